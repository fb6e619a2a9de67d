/* SPDX-License-Identifier: MIT
 *
 * scan-literals RULES: compares our literal matcher with Vectorscan's (or Hyperscan's) literal
 * API, on the events from events.mjs (standard input) and with the pack's own literals. Both get
 * the folded text and only count hits. Every other event warms up; the others are scanned once, in
 * sequence. Only texts of ASCII, which have a table of their own. Prints a line of JSON a set,
 * with the hits of each: the counts should be equal, but Vectorscan 5.4.9 on aarch64 finds fewer.
 * Built only where libhs is installed.
 */
#include <hs/hs.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "detect/patterns.h"
#include "scan/find/literal_search.h"
#include "scan/find/pattern_db_private.h"
#include "scan/text/fold.h"

enum { LITERALS_MAX = 1 << 17, SETS_MAX = 64 };

struct set {
	char *name;
	size_t seen, bytes, hits[2]; /* ours, the library's */
	double us[2];
};

static struct {
	const struct table *table;
	char *literal[LITERALS_MAX];
	size_t length[LITERALS_MAX];
	unsigned flags[LITERALS_MAX], id[LITERALS_MAX];
	unsigned literals;
	hs_database_t *hs;
	hs_scratch_t *scratch;
	struct search_room room;
	struct folded folded;
	size_t hits[2];
	struct set set[SETS_MAX];
	size_t sets;
} all;

static void die(const char *what)
{
	fprintf(stderr, "scan-literals: %s\n", what);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void add_literal(const char *bytes, size_t len)
{
	if (all.literals == LITERALS_MAX || !(all.literal[all.literals] = malloc(len)))
		die("too many literals");
	memcpy(all.literal[all.literals], bytes, len);
	all.length[all.literals] = len;
	all.id[all.literals] = all.literals;
	all.literals++;
}

/* The literals below NODE, which begin with the LEN bytes of WORD. */
static void add_below(uint32_t node, char *word, size_t len)
{
	const struct table_node *n = all.table->array[TABLE_NODES].data;

	/* The library accepts no literal that begins with a NUL; no event has one. */
	if (*word && n[node + 1].entry_kid >> 1 > n[node].entry_kid >> 1)
		add_literal(word, len);
	for (uint32_t kid = n[node].entry_kid & 1 ? node + 1 : 0; kid;
	     kid = n[kid].next_byte >> 8) {
		word[len] = (char)n[kid].next_byte;
		add_below(kid, word, len + 1);
	}
}

static void list_literals(void)
{
	static const struct table_tier tiers[TABLE_TIERS] = TABLE_TIER_LIST;
	const struct table_root *root = all.table->array[TABLE_ROOTS].data;

	for (size_t i = 0; i < all.table->array[TABLE_ROOTS].count; i++) {
		char word[STR_MAX + sizeof(root->bytes)];
		memcpy(word, &root[i].bytes, sizeof(root->bytes));
		if (root[i].node)
			add_below(root[i].node, word, tiers[root[i].tier].bytes);
	}
}

static void make_ours(const char *rules)
{
	static struct pack pack;
	static struct arena arena;
	char path[] = "/tmp/scan-literals.XXXXXX";
	struct db_cache cache = {.path = path};
	struct pack_options options = {.strict = true};
	struct pattern_list patterns;
	struct db *db = NULL;
	struct err err;
	int fd = mkstemp(path);

	if (fd < 0 || pack_load(&pack, rules, &options, &err) < 0 ||
	    patterns_collect(&pack, &arena, &patterns, &err) < 0)
		die("no rules");
	close(fd);
	db_key(patterns.pattern, patterns.count, cache.key);
	if (db_open(&cache, patterns.pattern, patterns.count, NULL, NULL, &db, &err) < 0)
		die(err.message);
	unlink(path);
	all.table = &db->table[JS_ASCII];
}

static void make_library(void)
{
	hs_compile_error_t *why = NULL;
	size_t size = 0;
	double before = now();

	if (hs_compile_lit_multi((const char *const *)all.literal, all.flags, all.id, all.length,
				 all.literals, HS_MODE_BLOCK, NULL, &all.hs, &why) != HS_SUCCESS)
		die(why->message);
	if (hs_alloc_scratch(all.hs, &all.scratch) != HS_SUCCESS ||
	    hs_database_size(all.hs, &size) != HS_SUCCESS)
		die("no scratch");
	printf("{\"literals\":%u,\"library\":\"%s\",\"compile_ms\":%.0f,\"bytes\":%zu}\n",
	       all.literals, hs_version(), (now() - before) / 1e3, size);
}

static void on_ours(void *context, const struct search_hit *hit, size_t count)
{
	(void)context, (void)hit;
	all.hits[0] += count;
}

static int on_library(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
		      void *context)
{
	(void)id, (void)from, (void)to, (void)flags, (void)context;
	all.hits[1]++;
	return 0;
}

static void ask_ours(void)
{
	search_run(all.table, &all.folded, &all.room, on_ours, NULL);
}

static void ask_library(void)
{
	if (hs_scan(all.hs, (const char *)all.folded.byte, (unsigned)all.folded.len, 0, all.scratch,
		    on_library, NULL) != HS_SUCCESS)
		die("the library fails");
}

static struct set *set_of(const char *name)
{
	for (size_t i = 0; i < all.sets; i++)
		if (strcmp(all.set[i].name, name) == 0)
			return &all.set[i];
	if (all.sets == SETS_MAX)
		die("too many sets");
	all.set[all.sets].name = strdup(name);
	return &all.set[all.sets++];
}

static void ask(struct set *s, const char *text, size_t len)
{
	static void (*const who[2])(void) = {ask_ours, ask_library};
	bool counts = s->seen++ % 2;
	struct err err;

	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] > 0x7f)
			return;
	if (fold_text(&all.folded, text, len, true, &err) < 0)
		die(err.message);
	for (int i = 0; i < 2; i++) {
		all.hits[i] = 0;
		double before = now();
		who[i]();
		s->us[i] += counts ? now() - before : 0;
		s->hits[i] += all.hits[i];
	}
	s->bytes += counts ? len : 0;
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t room = 0;

	if (argc != 2)
		die("RULES");
	make_ours(argv[1]);
	list_literals();
	make_library();
	for (ssize_t len; (len = getline(&line, &room, stdin)) > 0;) {
		json_t *o = json_loadb(line, (size_t)len, JSON_ALLOW_NUL, NULL);
		json_t *text = json_object_get(o, "text");
		if (text)
			ask(set_of(json_string_value(json_object_get(o, "set"))),
			    json_string_value(text), json_string_length(text));
		json_decref(o);
	}
	for (const struct set *t = all.set; t < all.set + all.sets; t++)
		if (t->bytes)
			printf("{\"set\":\"%s\",\"bytes\":%zu,\"mbs\":%.1f,\"library_mbs\":%.1f,"
			       "\"hits\":%"
			       "zu,"
			       "\"library_hits\":%zu}\n",
			       t->name, t->bytes, (double)t->bytes / t->us[0],
			       (double)t->bytes / t->us[1], t->hits[0], t->hits[1]);
	free(line);
	return 0;
}
