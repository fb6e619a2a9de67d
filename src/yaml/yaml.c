/* SPDX-License-Identifier: MIT
 *
 * Builds a tree from libyaml's events on a stack of fixed height, so the input cannot control the
 * depth of recursion or the memory. An alias shares its node, but its written-out size is counted,
 * so that walks of the tree are bounded too.
 */
#include "yaml/yaml.h"

#include <string.h>
#include <yaml.h>

#include "base/scope.h"
#include "yaml/scalar.h"
#include "yaml/yaml_text.h"

#define TAG_PREFIX "tag:yaml.org,2002:"

/* The children of a list or a map that is not complete yet. */
struct cell {
	struct cell *next;
	struct node_pair pair; /* a list uses only the value */
	bool merged;	       /* from a merge; an explicit key overrides it */
};

struct anchor {
	struct anchor *before;
	const char *name;
	const struct node *node; /* NULL while it is being read */
};

struct frame {
	struct node *node;
	struct anchor *anchor; /* or NULL */
	struct cell *first, *last;
	size_t count;
	bool has_key, is_merge; /* map: the key was read, the value not yet */
	struct text key;
	unsigned key_line;
};

struct reader {
	struct arena *arena;
	const struct node *root;
	struct anchor *anchors; /* the latest first */
	size_t nodes, anchorc, aliases, documents, depth;
	struct frame stack[YAML_DEPTH_MAX];
	unsigned line; /* of the event being handled */
	bool plain;    /* no anchors, aliases, merges and tags */
	struct err *err;
};

static int too_many(struct reader *r, const char *what, size_t most)
{
	return err_set(r->err, ERR_LIMIT, "%s: over the maximum of %zu", what, most);
}

/* Constructs that a person may misread. */
static int not_here(struct reader *r, const char *sign, const char *name, const char *what)
{
	return err_set(r->err, ERR_INPUT,
		       "%s%.64s: %s not allowed here; put a word that begins so in quotes", sign,
		       name, what);
}

static int count_nodes(struct reader *r, size_t more)
{
	r->nodes += more; /* cannot overflow: every tree's size is limited */
	return r->nodes > YAML_NODES_MAX
		       ? too_many(r, "values, aliases written out", YAML_NODES_MAX)
		       : 0;
}

/* NULL: out of memory; read_events reports it, here and below. */
static struct node *new_node(struct reader *r, enum node_kind kind)
{
	struct node *n = arena_alloc(r->arena, sizeof(*n));

	if (!n)
		return NULL;
	*n = (struct node){.kind = kind, .line = r->line, .size = 1};
	return n;
}

static struct cell *find_cell(const struct frame *f, struct text key)
{
	for (struct cell *c = f->first; c; c = c->next)
		if (c->pair.key.len == key.len && memcmp(c->pair.key.s, key.s, key.len) == 0)
			return c;
	return NULL;
}

static int add_cell(struct reader *r, struct frame *f, struct node_pair pair, bool merged)
{
	struct cell *c = arena_alloc(r->arena, sizeof(*c));

	if (f->node->kind == NODE_MAP && f->count == YAML_KEYS_MAX)
		return too_many(r, "keys of one map", YAML_KEYS_MAX);
	if (r->depth + pair.value->height > YAML_DEPTH_MAX)
		return too_many(r, "nested lists and maps", YAML_DEPTH_MAX);
	if (!c)
		return -1;
	*c = (struct cell){.pair = pair, .merged = merged};
	if (f->last)
		f->last->next = c;
	else
		f->first = c;
	f->last = c;
	f->count++;
	return 0;
}

/* The keys of SOURCE that the map does not have yet. */
static int merge_map(struct reader *r, struct frame *f, const struct node *source)
{
	if (source->kind != NODE_MAP)
		return err_set(r->err, ERR_INPUT, "<< takes a map or a list of maps, not %s",
			       node_kind_name(source->kind));
	for (size_t i = 0; i < source->map.count; i++) {
		const struct node_pair *p = &source->map.pair[i];
		if (find_cell(f, p->key))
			continue;
		if (count_nodes(r, p->value->size) < 0 || add_cell(r, f, *p, true) < 0)
			return -1;
	}
	return 0;
}

static int merge(struct reader *r, struct frame *f, const struct node *value)
{
	if (value->kind != NODE_LIST)
		return merge_map(r, f, value);
	for (size_t i = 0; i < value->list.count; i++)
		if (merge_map(r, f, value->list.item[i]) < 0)
			return -1;
	return 0;
}

static int put_value(struct reader *r, struct frame *f, const struct node *value)
{
	struct node_pair pair = {f->key, value, f->key_line};
	struct cell *old = f->is_merge ? NULL : find_cell(f, f->key);

	f->has_key = false;
	if (f->is_merge)
		return merge(r, f, value);
	if (!old)
		return add_cell(r, f, pair, false);
	if (r->depth + value->height > YAML_DEPTH_MAX)
		return too_many(r, "nested lists and maps", YAML_DEPTH_MAX);
	old->pair = pair;
	old->merged = false;
	return 0;
}

/* A duplicate key is reported at once, so that the error has the line of the key. */
static int put_key(struct reader *r, struct frame *f, const struct node *n, bool is_merge)
{
	if (n->kind == NODE_LIST || n->kind == NODE_MAP)
		return err_set(r->err, ERR_INPUT, "a key must be a word, not %s",
			       node_kind_name(n->kind));
	if (is_merge && r->plain)
		return not_here(r, "<<", "", "a merge is");
	f->has_key = true;
	f->is_merge = is_merge;
	f->key = scalar_key(n, r->arena);
	f->key_line = r->line;
	const struct cell *old = is_merge ? NULL : find_cell(f, f->key);
	if (!old || old->merged)
		return 0;
	return err_set(r->err, ERR_INPUT, "the key \"%.64s\" is a duplicate of line %u", f->key.s,
		       old->pair.line);
}

/* Adds a complete node to its list or map. */
static int give(struct reader *r, const struct node *n, bool is_merge)
{
	struct frame *f = r->depth ? &r->stack[r->depth - 1] : NULL;

	if (!f)
		r->root = n;
	else if (f->node->kind == NODE_LIST)
		return add_cell(r, f, (struct node_pair){.value = n}, false);
	else if (!f->has_key)
		return put_key(r, f, n, is_merge);
	else
		return put_value(r, f, n);
	return 0;
}

static int set_anchor(struct reader *r, const yaml_char_t *name, const struct node *n,
		      struct anchor **ret)
{
	struct anchor *a;

	*ret = NULL;
	if (!name)
		return 0;
	if (r->plain)
		return not_here(r, "&", (const char *)name, "an anchor is");
	if (r->anchorc++ == YAML_ANCHORS_MAX)
		return too_many(r, "anchors", YAML_ANCHORS_MAX);
	a = arena_alloc(r->arena, sizeof(*a));
	if (!a)
		return -1;
	*a = (struct anchor){r->anchors, arena_dup(r->arena, (const char *)name), n};
	*ret = r->anchors = a;
	return 0;
}

static int on_alias(struct reader *r, const yaml_event_t *e)
{
	const char *name = (const char *)e->data.alias.anchor;
	const struct anchor *a = r->anchors;

	if (r->plain)
		return not_here(r, "*", name, "an alias is");
	if (r->aliases++ == YAML_ALIASES_MAX)
		return too_many(r, "aliases", YAML_ALIASES_MAX);
	while (a && strcmp(a->name, name) != 0)
		a = a->before;
	if (!a)
		return err_set(r->err, ERR_INPUT, "*%.64s: there is no such anchor", name);
	if (!a->node)
		return err_set(r->err, ERR_INPUT, "*%.64s: the value would contain itself", name);
	return count_nodes(r, a->node->size) < 0 ? -1 : give(r, a->node, false);
}

/* The kinds that a tag allows; a word of another kind is an error. */
static const struct {
	const char *tag;
	bool is_string; /* even if the word looks like another type */
	unsigned kinds;
} tags[] = {
	{"str", true, 1U << NODE_STRING},   {"timestamp", true, 1U << NODE_STRING},
	{"null", false, 1U << NODE_NULL},   {"bool", false, 1U << NODE_BOOL},
	{"int", false, 1U << NODE_INT},	    {"float", false, 1U << NODE_INT | 1U << NODE_FLOAT},
	{"seq", false, 1U << NODE_LIST},    {"map", false, 1U << NODE_MAP},
	{"merge", true, 1U << NODE_STRING},
};

/* -1: unknown tag. */
static int find_tag(struct reader *r, const yaml_char_t *tag)
{
	const char *name =
		strcmp((const char *)tag, "!") == 0 ? TAG_PREFIX "str" : (const char *)tag;

	if (r->plain)
		return not_here(r, "", (const char *)tag, "a tag is");
	if (strncmp(name, TAG_PREFIX, strlen(TAG_PREFIX)) == 0)
		for (size_t i = 0; i < ARRAY_SIZE(tags); i++)
			if (strcmp(tags[i].tag, name + strlen(TAG_PREFIX)) == 0)
				return (int)i;
	return err_set(r->err, ERR_INPUT, "the tag %.64s is not allowed", name);
}

static int check_tag(struct reader *r, int tag, enum node_kind kind)
{
	if (tags[tag].kinds & (1U << kind))
		return 0;
	return err_set(r->err, ERR_INPUT, "the tag !!%s does not fit %s", tags[tag].tag,
		       node_kind_name(kind));
}

static struct text copy(struct reader *r, const yaml_char_t *s, size_t len)
{
	char *to = arena_alloc(r->arena, len + 1);

	if (r->arena->failed)
		return (struct text){"", 0};
	memcpy(to, s, len);
	to[len] = '\0';
	return (struct text){to, len};
}

static int on_scalar(struct reader *r, const yaml_event_t *e)
{
	bool plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	int tag = e->data.scalar.tag ? find_tag(r, e->data.scalar.tag) : -1;
	struct anchor *anchor;

	if (e->data.scalar.tag && tag < 0)
		return -1;
	if (e->data.scalar.length > YAML_STRING_MAX)
		return too_many(r, "bytes of one string", YAML_STRING_MAX);
	if (count_nodes(r, 1) < 0)
		return -1;
	struct node *n = new_node(r, NODE_STRING);
	if (!n)
		return -1;
	n->text = copy(r, e->data.scalar.value, e->data.scalar.length);
	bool is_merge = plain && n->text.len == 2 && memcmp(n->text.s, "<<", 2) == 0;
	if (tag >= 0 ? !tags[tag].is_string : plain)
		scalar_resolve(n->text, n);
	if (tag >= 0 && check_tag(r, tag, n->kind) < 0)
		return -1;
	if (set_anchor(r, e->data.scalar.anchor, n, &anchor) < 0)
		return -1;
	return give(r, n, is_merge);
}

static int open_frame(struct reader *r, enum node_kind kind, const yaml_char_t *anchor,
		      const yaml_char_t *tag)
{
	if (r->depth == YAML_DEPTH_MAX)
		return too_many(r, "nested lists and maps", YAML_DEPTH_MAX);
	if (tag) {
		int found = find_tag(r, tag);
		if (found < 0 || check_tag(r, found, kind) < 0)
			return -1;
	}
	if (count_nodes(r, 1) < 0)
		return -1;
	struct frame *f = &r->stack[r->depth++];
	*f = (struct frame){.node = new_node(r, kind)};
	return f->node ? set_anchor(r, anchor, NULL, &f->anchor) : -1;
}

static int on_list(struct reader *r, const yaml_event_t *e)
{
	return open_frame(r, NODE_LIST, e->data.sequence_start.anchor, e->data.sequence_start.tag);
}

static int on_map(struct reader *r, const yaml_event_t *e)
{
	return open_frame(r, NODE_MAP, e->data.mapping_start.anchor, e->data.mapping_start.tag);
}

static void fill_list(const struct frame *f, const struct node **to)
{
	for (const struct cell *c = f->first; c; c = c->next)
		*to++ = c->pair.value;
	f->node->list.item = to - f->count;
	f->node->list.count = f->count;
}

static void fill_map(const struct frame *f, struct node_pair *to)
{
	for (const struct cell *c = f->first; c; c = c->next)
		*to++ = c->pair;
	f->node->map.pair = to - f->count;
	f->node->map.count = f->count;
}

static int on_end(struct reader *r, const yaml_event_t *e)
{
	struct frame *f = &r->stack[--r->depth];
	bool is_map = f->node->kind == NODE_MAP;
	void *to = arena_alloc(
		r->arena, f->count * (is_map ? sizeof(struct node_pair) : sizeof(struct node *)));

	(void)e;
	if (r->arena->failed)
		return -1;
	for (const struct cell *c = f->first; c; c = c->next) {
		f->node->size += c->pair.value->size;
		if (c->pair.value->height > f->node->height)
			f->node->height = c->pair.value->height;
	}
	f->node->height++;
	if (is_map)
		fill_map(f, to);
	else
		fill_list(f, to);
	if (f->anchor)
		f->anchor->node = f->node;
	return give(r, f->node, false);
}

static int on_document(struct reader *r, const yaml_event_t *e)
{
	(void)e;
	if (r->documents++ == 0)
		return 0;
	return err_set(r->err, ERR_INPUT, "a second document: one file is one document");
}

static int on_nothing(struct reader *r, const yaml_event_t *e)
{
	(void)r, (void)e;
	return 0;
}

static int (*const handlers[])(struct reader *r, const yaml_event_t *e) = {
	[YAML_NO_EVENT] = on_nothing,		[YAML_STREAM_START_EVENT] = on_nothing,
	[YAML_STREAM_END_EVENT] = on_nothing,	[YAML_DOCUMENT_START_EVENT] = on_document,
	[YAML_DOCUMENT_END_EVENT] = on_nothing, [YAML_ALIAS_EVENT] = on_alias,
	[YAML_SCALAR_EVENT] = on_scalar,	[YAML_SEQUENCE_START_EVENT] = on_list,
	[YAML_SEQUENCE_END_EVENT] = on_end,	[YAML_MAPPING_START_EVENT] = on_map,
	[YAML_MAPPING_END_EVENT] = on_end,
};

static int complain(struct reader *r, const yaml_parser_t *p)
{
	r->line = (unsigned)p->problem_mark.line + 1;
	if (p->error == YAML_MEMORY_ERROR)
		return err_memory(r->err);
	return err_set(r->err, ERR_INPUT, "not YAML: %s%s%s",
		       p->problem ? p->problem : "unreadable", p->context ? ", " : "",
		       p->context ? p->context : "");
}

static int read_events(struct reader *r, yaml_parser_t *p)
{
	for (bool more = true; more;) {
		yaml_event_t e;
		if (!yaml_parser_parse(p, &e))
			return complain(r, p);
		r->line = (unsigned)e.start_mark.line + 1;
		int result = handlers[e.type](r, &e);
		more = e.type != YAML_STREAM_END_EVENT;
		yaml_event_delete(&e);
		if (r->arena->failed)
			return err_memory(r->err);
		if (result < 0)
			return -1;
	}
	return r->root ? 0 : err_set(r->err, ERR_INPUT, "the document is empty");
}

/* As js-yaml, adds a missing newline at the end: a block string there keeps its newline. */
static int parse(struct reader *r, const char *data, size_t len)
{
	AUTO_FREE unsigned char *text = malloc(len + 1);
	yaml_parser_t p;

	if (!text || !yaml_parser_initialize(&p))
		return err_memory(r->err);
	memcpy(text, data, len);
	text[len] = '\n';
	bool ended = !len || data[len - 1] == '\n';
	yaml_parser_set_encoding(&p, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&p, text, ended ? len : len + 1);
	int result = read_events(r, &p);
	yaml_parser_delete(&p);
	return result;
}

static int read_document(const char *data, size_t len, bool plain, struct arena *arena,
			 const struct node **ret, unsigned *ret_line, struct err *err)
{
	static const char bom[] = "\xef\xbb\xbf";
	AUTO_FREE struct reader *r = calloc(1, sizeof(*r));

	*ret_line = 1;
	if (!r)
		return err_memory(err);
	if (len > YAML_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "%zu bytes: over the maximum of %d", len,
			       YAML_BYTES_MAX);
	const char *bad = yaml_text_error(data, len, ret_line);
	if (bad)
		return err_set(err, ERR_INPUT, "it holds %s", bad);
	if (len >= 3 && memcmp(data, bom, 3) == 0) {
		data += 3;
		len -= 3;
	}
	r->arena = arena;
	r->plain = plain;
	r->err = err;
	r->line = 1;
	int result = parse(r, data, len);
	*ret_line = r->line;
	if (result == 0)
		*ret = r->root;
	return result;
}

int yaml_read(const char *data, size_t len, struct arena *arena, const struct node **ret,
	      unsigned *ret_line, struct err *err)
{
	return read_document(data, len, false, arena, ret, ret_line, err);
}

int yaml_read_plain(const char *data, size_t len, struct arena *arena, const struct node **ret,
		    unsigned *ret_line, struct err *err)
{
	return read_document(data, len, true, arena, ret, ret_line, err);
}

const char *yaml_library(void)
{
	return yaml_get_version_string();
}
