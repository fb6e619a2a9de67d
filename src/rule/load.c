/* SPDX-License-Identifier: MIT
 *
 * Reads a pack's files one after another. Each document has its own arena until it has proved to be
 * a rule, so a refused document leaves no memory behind. A tree from the YAML reader and one from the
 * cache (tree_cache.h) are handled alike.
 */
#include "rule/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/scope.h"
#include "rule/lazy.h"
#include "yaml/yaml.h"

enum { RECORD_START = 1 << 20 };

static void record_add(struct pack_record *r, const char *data, size_t len)
{
	uint64_t bytes = len;
	size_t need = r->len + sizeof(bytes) + len; /* both are bounded by PACK_BYTES_MAX */

	if (need > r->room) {
		size_t room = need * 2 > RECORD_START ? need * 2 : RECORD_START;
		uint8_t *grown = r->failed ? NULL : realloc(r->data, room);
		r->failed = !grown;
		if (!grown)
			return;
		r->data = grown;
		r->room = room;
	}
	memcpy(r->data + r->len, &bytes, sizeof(bytes));
	memcpy(r->data + r->len + sizeof(bytes), data, len);
	r->len = need;
	r->count++;
}

void record_done(struct pack_record *record)
{
	free(record->data);
	*record = (struct pack_record){0};
}

struct loader {
	struct pack *pack;
	const struct pack_options *options;
	struct pack_record *record; /* or NULL */
	struct err *err;
};

static void send(struct loader *l, const struct rule_report *r)
{
	size_t *count = r->level == RULE_ERROR ? &l->pack->errors : &l->pack->warnings;

	(*count)++;
	if (l->options->report && (r->level == RULE_ERROR || l->options->warnings))
		l->options->report(l->options->context, r);
}

/* Reports the error; with STRICT, fails with it. */
static int refuse(struct loader *l, const char *file, unsigned line, const char *id)
{
	struct rule_report r = {RULE_ERROR, file, line, id ? id : "", l->err->message};

	send(l, &r);
	if (!l->options->strict)
		return 0;
	if (line)
		err_context(l->err, "%s:%u%s%s", file, line, *r.id ? ": " : "", r.id);
	else
		err_context(l->err, "%s", file);
	return -1;
}

static int skip(struct loader *l, const char *file, unsigned line, const char *id)
{
	l->pack->skipped++;
	return refuse(l, file, line, id);
}

/* Leaves out a file that is not a rule. Running out of memory is not the file's fault: it fails, so
 * that no rule is missing silently. */
static int skip_bad(struct loader *l, const char *file, unsigned line, const char *id)
{
	if (l->err->code == ERR_SYSTEM)
		return -1;
	return skip(l, file, line, id);
}

static void on_report(void *context, const struct rule_report *r)
{
	struct loader *l = context;

	if (r->level == RULE_ERROR && !l->err->message[0])
		err_set(l->err, ERR_INPUT, "%s:%u: %s: %s", r->file, r->line, r->id, r->words);
	send(l, r);
}

enum { INDEX_SIZE = 32768 }; /* a power of two, and never half full */
_Static_assert(INDEX_SIZE > 2 * PACK_RULES_MAX, "the index has room");

/* The place of ID in the index, or the empty place for it. */
static uint32_t *index_place(const struct pack *p, const char *id)
{
	uint64_t at = hash_bytes(HASH_BEGIN, id, strlen(id));

	at ^= at >> 32;
	while (p->index[at % INDEX_SIZE] &&
	       strcmp(p->rule[p->index[at % INDEX_SIZE] - 1].id, id) != 0)
		at++;
	return &p->index[at % INDEX_SIZE];
}

static int add_rule(struct loader *l, const struct rule *rule)
{
	struct pack *p = l->pack;

	if (p->rulec == PACK_RULES_MAX)
		return err_set(l->err, ERR_LIMIT, "a pack has at most %d rules", PACK_RULES_MAX);
	if (p->rulec == p->room) {
		size_t room = p->room ? p->room * 2 : 64;
		struct rule *more = realloc(p->rule, room * sizeof(*more));
		if (!more)
			return err_memory(l->err);
		p->rule = more;
		p->room = room;
	}
	if (!p->index)
		p->index = calloc(INDEX_SIZE, sizeof(*p->index));
	if (!p->index || !p->rule)
		return err_memory(l->err);
	p->rule[p->rulec] = *rule;
	p->rule[p->rulec].order = (unsigned)p->rulec;
	*index_place(p, rule->id) = (uint32_t)++p->rulec;
	return 0;
}

static int count_nodes(struct loader *l, const struct node *root)
{
	l->pack->nodes += root->size;
	if (l->pack->nodes <= PACK_NODES_MAX)
		return 0;
	return err_set(l->err, ERR_LIMIT, "a pack has at most %d values", PACK_NODES_MAX);
}

static int take_tree(struct loader *l, const char *file, const struct node *root,
		     struct arena *arena)
{
	struct rule rule = {0};
	unsigned line;

	if (rule_parse(root, arena_dup(arena, file), arena, &rule, &line, l->err) < 0)
		return skip_bad(l, file, line, rule.id);
	const struct rule *twin = pack_find(l->pack, rule.id);
	if (twin) {
		err_set(l->err, ERR_INPUT, "the id is taken already, in %.256s", twin->file);
		return skip(l, file, rule.line, rule.id);
	}
	if (count_nodes(l, root) < 0 || add_rule(l, &rule) < 0)
		return -1;
	l->err->message[0] = '\0';
	size_t errors = rule_check(&rule, on_report, l);
	return errors && l->options->strict ? -1 : 0;
}

/* If the document is a rule, the pack takes over ARENA; else ARENA is freed. */
static int take_document(struct loader *l, const char *file, const char *data, size_t len,
			 struct arena *arena)
{
	const struct node *root;
	size_t before = l->pack->rulec;
	unsigned line;

	if (yaml_read(data, len, arena, &root, &line, l->err) < 0)
		return skip_bad(l, file, line, NULL);
	int result = take_tree(l, file, root, arena);
	if (l->pack->rulec > before)
		arena_adopt(&l->pack->arena, arena);
	return result;
}

static int count_bytes(struct loader *l, size_t len)
{
	l->pack->bytes += len;
	if (l->pack->bytes > PACK_BYTES_MAX)
		return err_set(l->err, ERR_LIMIT, "a pack has at most %lu bytes", PACK_BYTES_MAX);
	return 0;
}

static int on_file(void *context, const char *file, const char *data, size_t len)
{
	struct loader *l = context;
	struct arena arena = {0};

	l->pack->files++;
	if (!data)
		return skip(l, file, 0, NULL);
	if (count_bytes(l, len) < 0)
		return -1;
	if (l->record)
		record_add(l->record, data, len);
	int result = take_document(l, file, data, len, &arena);
	arena_done(&arena);
	return result;
}

int pack_load(struct pack *pack, const char *path, const struct pack_options *options,
	      struct err *err)
{
	return pack_load_recorded(pack, path, options, NULL, err);
}

int pack_load_recorded(struct pack *pack, const char *path, const struct pack_options *options,
		       struct pack_record *record, struct err *err)
{
	struct loader l = {.pack = pack, .options = options, .record = record, .err = err};

	return pack_files_read(path, on_file, &l, err);
}

int pack_add_tree(struct pack *pack, const char *file, size_t bytes, const struct node *root,
		  const struct pack_options *options, struct err *err)
{
	struct loader l = {.pack = pack, .options = options, .err = err};

	pack->files++;
	return count_bytes(&l, bytes) < 0 ? -1 : take_tree(&l, file, root, &pack->arena);
}

void pack_done(struct pack *pack)
{
	arena_done(&pack->arena);
	lazy_free(pack->lazy);
	free(pack->rule);
	free(pack->index);
	*pack = (struct pack){0};
}

const struct rule *pack_rule(const struct pack *pack, size_t number)
{
	return pack->lazy ? lazy_rule(pack->lazy, number) : &pack->rule[number];
}

static const struct rule *find_lazy(const struct pack *pack, const char *id)
{
	for (size_t i = 0; i < pack->rulec; i++) {
		const struct rule *rule = pack_rule(pack, i);
		if (rule && strcmp(rule->id, id) == 0)
			return rule;
	}
	return NULL;
}

const struct rule *pack_find(const struct pack *pack, const char *id)
{
	if (pack->lazy)
		return find_lazy(pack, id);
	uint32_t place = pack->index ? *index_place(pack, id) : 0;

	return place ? &pack->rule[place - 1] : NULL;
}
