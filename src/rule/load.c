/* SPDX-License-Identifier: MIT
 *
 * Walks a directory and reads what is in it. Every document has an arena of its own until it has
 * proved to be a rule: what is refused leaves nothing behind. Names are followed as the reference
 * follows them, links included; only regular files are opened, and never waited for.
 */
#include "rule/load.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/scope.h"
#include "rule/yaml.h"

struct loader {
	struct pack *pack;
	const struct pack_options *options;
	char *data; /* room for the largest file and one byte */
	int depth;
	struct err *err;
};

static void send(struct loader *l, const struct rule_report *r)
{
	size_t *count = r->level == RULE_ERROR ? &l->pack->errors : &l->pack->warnings;

	(*count)++;
	if (l->options->report && (r->level == RULE_ERROR || l->options->warnings))
		l->options->report(l->options->context, r);
}

/* The error becomes a report. With strict it is also the end. */
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

static void on_report(void *context, const struct rule_report *r)
{
	struct loader *l = context;

	if (r->level == RULE_ERROR && !l->err->message[0])
		err_set(l->err, ERR_INPUT, "%s:%u: %s: %s", r->file, r->line, r->id, r->words);
	send(l, r);
}

enum { INDEX_SIZE = 32768 }; /* a power of two, and never half full */
_Static_assert(INDEX_SIZE > 2 * PACK_RULES_MAX, "the index has room");

/* Where ID stands in the index, or the empty place where it would. */
static uint32_t *index_place(const struct pack *p, const char *id)
{
	uint32_t at = 2166136261U; /* FNV-1a */

	for (const char *c = id; *c; c++)
		at = (at ^ (unsigned char)*c) * 16777619U;
	at ^= at >> 15;
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
			return err_set(l->err, ERR_SYSTEM, "no memory");
		p->rule = more;
		p->room = room;
	}
	if (!p->index)
		p->index = calloc(INDEX_SIZE, sizeof(*p->index));
	if (!p->index || !p->rule)
		return err_set(l->err, ERR_SYSTEM, "no memory");
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

/* A document that is good is the pack's; the others' memory goes with ARENA. */
static int take_document(struct loader *l, const char *file, size_t len, struct arena *arena)
{
	const struct node *root;
	struct rule rule = {0};
	unsigned line;

	if (yaml_read(l->data, len, arena, &root, &line, l->err) < 0)
		return skip(l, file, line, NULL);
	if (rule_parse(root, arena_dup(arena, file), arena, &rule, &line, l->err) < 0)
		return skip(l, file, line, rule.id);
	const struct rule *twin = pack_find(l->pack, rule.id);
	if (twin) {
		err_set(l->err, ERR_INPUT, "the id is taken already, in %.256s", twin->file);
		return skip(l, file, rule.line, rule.id);
	}
	if (count_nodes(l, root) < 0 || add_rule(l, &rule) < 0)
		return -1;
	l->err->message[0] = '\0';
	size_t errors = rule_check(&rule, on_report, l);
	arena_adopt(&l->pack->arena, arena);
	return errors && l->options->strict ? -1 : 0;
}

/* The bytes of a regular file; -1 leaves the error. One byte more than allowed is enough to know. */
static ssize_t read_file(struct loader *l, const char *file)
{
	AUTO_CLOSE int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(l->err, ERR_INPUT, "cannot be read");
	if (!S_ISREG(st.st_mode))
		return err_set(l->err, ERR_INPUT, "is no regular file");
	ssize_t len = io_read_full(fd, l->data, YAML_BYTES_MAX + 1);
	if (len < 0)
		return err_errno(l->err, ERR_INPUT, "cannot be read");
	if (len > YAML_BYTES_MAX)
		return err_set(l->err, ERR_LIMIT, "is larger than %d bytes", YAML_BYTES_MAX);
	return len;
}

static int load_file(struct loader *l, const char *file)
{
	struct arena arena = {0};
	ssize_t len = read_file(l, file);

	l->pack->files++;
	if (len < 0)
		return skip(l, file, 0, NULL);
	l->pack->bytes += (size_t)len;
	if (l->pack->bytes > PACK_BYTES_MAX)
		return err_set(l->err, ERR_LIMIT, "a pack has at most %lu bytes", PACK_BYTES_MAX);
	int result = take_document(l, file, (size_t)len, &arena);
	arena_done(&arena);
	return result;
}

/* As the reference: what is after the last dot, unless the name begins with that dot. */
static bool is_rule_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot != name && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in the directory, sorted by their bytes. */
static int list_names(struct loader *l, const char *path, struct arena *arena, char ***ret,
		      size_t *ret_count)
{
	AUTO_CLOSEDIR DIR *dir = opendir(path);
	AUTO_FREE char **names = calloc(PACK_ENTRIES_MAX, sizeof(*names));
	size_t count = 0;

	if (!dir)
		return err_errno(l->err, ERR_INPUT, "%.256s", path);
	if (!names)
		return err_set(l->err, ERR_SYSTEM, "no memory");
	for (struct dirent *e; (e = readdir(dir));) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (count == PACK_ENTRIES_MAX)
			return err_set(l->err, ERR_LIMIT, "%.256s: more than %d names in it", path,
				       PACK_ENTRIES_MAX);
		names[count++] = arena_dup(arena, e->d_name);
	}
	if (arena->failed)
		return err_set(l->err, ERR_SYSTEM, "no memory");
	qsort(names, count, sizeof(*names), by_name);
	*ret = names;
	*ret_count = count;
	names = NULL;
	return 0;
}

static int load_directory(struct loader *l, const char *path);

static int load_entry(struct loader *l, const char *path, const char *name)
{
	struct stat st;

	if (stat(path, &st) < 0) {
		if (!is_rule_name(name))
			return 0;
		err_errno(l->err, ERR_INPUT, "cannot be read");
		return skip(l, path, 0, NULL);
	}
	if (S_ISDIR(st.st_mode))
		return load_directory(l, path);
	return S_ISREG(st.st_mode) && is_rule_name(name) ? load_file(l, path) : 0;
}

static int load_directory(struct loader *l, const char *path)
{
	AUTO_FREE char **names = NULL;
	struct arena arena = {0};
	size_t count = 0;
	int result = 0;

	if (l->depth == PACK_DEPTH_MAX)
		return err_set(l->err, ERR_LIMIT, "%.256s: directories are read %d deep", path,
			       PACK_DEPTH_MAX);
	l->depth++;
	result = list_names(l, path, &arena, &names, &count);
	for (size_t i = 0; result == 0 && i < count; i++) {
		const char *child = arena_printf(&arena, "%s/%s", path, names[i]);
		result = arena.failed ? err_set(l->err, ERR_SYSTEM, "no memory")
				      : load_entry(l, child, names[i]);
	}
	l->depth--;
	arena_done(&arena);
	return result;
}

int pack_load(struct pack *pack, const char *path, const struct pack_options *options,
	      struct err *err)
{
	AUTO_FREE char *data = malloc(YAML_BYTES_MAX + 1), *clean = strdup(path);
	struct loader l = {.pack = pack, .options = options, .data = data, .err = err};
	struct stat st;

	if (!data || !clean)
		return err_set(err, ERR_SYSTEM, "no memory");
	for (size_t len = strlen(clean); len > 1 && clean[len - 1] == '/'; len--)
		clean[len - 1] = '\0';
	if (stat(clean, &st) < 0)
		return err_errno(err, ERR_INPUT, "%.256s", clean);
	return S_ISDIR(st.st_mode) ? load_directory(&l, clean) : load_file(&l, clean);
}

void pack_done(struct pack *pack)
{
	arena_done(&pack->arena);
	free(pack->rule);
	free(pack->index);
	*pack = (struct pack){0};
}

const struct rule *pack_find(const struct pack *pack, const char *id)
{
	uint32_t place = pack->index ? *index_place(pack, id) : 0;

	return place ? &pack->rule[place - 1] : NULL;
}
