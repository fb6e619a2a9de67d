/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for events: any bytes go into the readers of JSON, and their trees into an
 * event. A refusal must have a reason; an accepted event must keep every promise of node.h and
 * event.h, and every field of it can be asked for. A broken promise aborts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "detect/event.h"
#include "detect/json_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool promise)
{
	if (!promise)
		abort();
}

static void check_text(struct text t)
{
	must(t.s && t.s[t.len] == '\0');
}

/* Returns the number of nodes. */
static size_t check_node(const struct node *n, unsigned depth)
{
	size_t size = 1;

	must(n && n->kind < NODE_KINDS && n->kind != NODE_INT && n->line >= 1);
	must(depth + n->height <= JSON_DEPTH_MAX && n->size <= JSON_NODES_MAX);
	must((n->height > 0) == (n->kind == NODE_LIST || n->kind == NODE_MAP));
	if (n->kind == NODE_STRING)
		check_text(n->text);
	for (size_t i = 0, line = n->line; n->kind == NODE_LIST && i < n->list.count; i++) {
		must(n->list.item[i]->line >= line);
		line = n->list.item[i]->line;
		size += check_node(n->list.item[i], depth + 1);
	}
	for (size_t i = 0; n->kind == NODE_MAP && i < n->map.count; i++) {
		const struct node_pair *p = &n->map.pair[i];
		check_text(p->key);
		must(p->line >= n->line && p->value->line >= p->line);
		must(!memchr(p->key.s, '\0', p->key.len) && node_get(n, p->key.s) == p->value);
		size += check_node(p->value, depth + 1);
	}
	must(size == n->size);
	return size;
}

static void check_event(const struct event *e)
{
	struct text text;
	struct err err = {0};

	must(e->type <= EVENT_OTHER && !e->plain);
	must(!e->content.len || e->content.s);
	for (unsigned f = 0; f <= FIELD_OTHER; f++) {
		const struct word *w = vocab_at(VOCAB_FIELD, f);
		if (field_resolve(e, (enum field)f, w ? w->name : "odd", &text, &err) == 0)
			must((text.s != NULL) == (text.len > 0));
		else
			must(err.code == ERR_INPUT && strstr(err.message, "metadata."));
	}
	must(!e->fields || e->fields->kind == NODE_MAP);
	must(!e->trace || node_count(node_get(e->trace, "spans")) <= EVENT_SPANS_MAX);
}

static void read_tree(const char *data, size_t len)
{
	struct arena arena = {0};
	const struct node *root = NULL;
	struct err err = {0};
	struct event e;

	if (json_read(data, len, 1, &arena, &root, &err) == 0) {
		check_node(root, 0);
		if (event_from_node(root, &e, &err) == 0)
			check_event(&e);
		else
			must(err.message[0]);
	} else {
		must((err.code == ERR_INPUT || err.code == ERR_LIMIT) && err.message[0]);
	}
	arena_done(&arena);
}

/* From the lenient reader: keys may repeat, and texts are any bytes. */
static size_t check_loose(const struct node *n, unsigned depth)
{
	size_t size = 1;

	must(n && n->kind < NODE_KINDS && n->line >= 1);
	must(depth + n->height <= JSON_DEPTH_MAX && n->size <= JSON_NODES_MAX);
	if (n->kind == NODE_STRING)
		check_text(n->text);
	for (size_t i = 0; n->kind == NODE_LIST && i < n->list.count; i++)
		size += check_loose(n->list.item[i], depth + 1);
	for (size_t i = 0; n->kind == NODE_MAP && i < n->map.count; i++) {
		check_text(n->map.pair[i].key);
		size += check_loose(n->map.pair[i].value, depth + 1);
	}
	must(size == n->size);
	return size;
}

/* It must accept everything that json_read accepts, with as many values. */
static void read_loose(const char *data, size_t len)
{
	struct arena arena = {0};
	const struct node *strict = NULL, *loose = NULL;
	struct err err = {0};
	bool good = json_read(data, len, 1, &arena, &strict, &err) == 0;

	if (json_read_loose(data, len, 1, &arena, &loose, &err) == 0) {
		check_loose(loose, 0);
		must(!good || loose->size == strict->size);
	} else {
		must(!good && (err.code == ERR_INPUT || err.code == ERR_LIMIT) && err.message[0]);
	}
	arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	/* In a buffer of its exact size, so that the sanitizer sees a read past the end. */
	AUTO_FREE char *copy = malloc(len ? len : 1);

	must(copy);
	if (len)
		memcpy(copy, data, len);
	read_tree(copy, len);
	read_loose(copy, len);
	return 0;
}
