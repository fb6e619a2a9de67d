/* SPDX-License-Identifier: MIT
 *
 * warm DIR...: rules that are read from YAML and rules that are kept, with their database, say the
 * same of every string in the rules' own test cases, as a tool's call, as a text and as a skill:
 * the same findings, conditions and confidence, in the same order. The clock is ahead, so that what
 * was just written has settled (tests/tests.mk). Prints TAP.
 */
#include <stdlib.h>
#include <string.h>

#include "../unit/tap.h"
#include "detect/packs.h"
#include "rule/lazy.h"

int64_t __real_stamp_now(void);
int64_t __wrap_stamp_now(void);

int64_t __wrap_stamp_now(void)
{
	return __real_stamp_now() + 2 * STAMP_TICK_NS;
}

static struct {
	struct packs read, kept;
	size_t events, findings, different;
} all;

static void die(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

static int open_rules(struct packs *set, const char *dir, const char *cache, struct err *err)
{
	struct packs_options options = {.directory = &dir, .directories = 1};
	struct engine_options engine = {.lane = LANE_HUNT};

	options.places.cache = cache;
	return packs_open(set, &options, &engine, err);
}

static bool is_same(const struct finding *a, const struct finding *b)
{
	return strcmp(a->rule->id, b->rule->id) == 0 && a->undecided == b->undecided &&
	       a->confidence == b->confidence && a->view == b->view &&
	       strcmp(a->decoding, b->decoding) == 0 && a->matchedc == b->matchedc &&
	       memcmp(a->matched, b->matched, a->matchedc * sizeof(*a->matched)) == 0 &&
	       strcmp(a->rule->title, b->rule->title) == 0 &&
	       strcmp(a->rule->file, b->rule->file) == 0 && a->rule->severity == b->rule->severity;
}

static void ask(const struct packs *set, const struct event *event, struct findings *ret)
{
	struct err err = {0};

	if (engine_scan(set->engine, set->thread, event, ret, &err) < 0)
		die(err.message);
}

static void compare(const struct event *event)
{
	struct findings a = {0}, b = {0};

	ask(&all.read, event, &a);
	ask(&all.kept, event, &b);
	bool same = a.count == b.count;
	for (size_t i = 0; same && i < a.count; i++)
		same = is_same(&a.list[i], &b.list[i]);
	all.events++;
	all.findings += a.count;
	all.different += !same;
	findings_done(&a);
	findings_done(&b);
}

static void try_text(struct text text)
{
	struct event call = {.type = EVENT_TOOL_CALL, .time_ms = EVENT_TIME_NONE, .content = text};
	struct event plain = {.plain = true, .time_ms = EVENT_TIME_NONE, .content = text};
	struct event skill = {.skill = true, .time_ms = EVENT_TIME_NONE, .content = text};

	compare(&call);
	compare(&plain);
	compare(&skill);
}

/* Every string of a tree, which has an end: node.h. */
static void try_strings(const struct node *n)
{
	for (size_t i = 0; n && n->kind == NODE_LIST && i < n->list.count; i++)
		try_strings(n->list.item[i]);
	for (size_t i = 0; n && n->kind == NODE_MAP && i < n->map.count; i++)
		try_strings(n->map.pair[i].value);
	if (n && n->kind == NODE_STRING)
		try_text(n->text);
}

static void check(const char *dir, const char *cache)
{
	struct err err = {0};

	memset(&all, 0, sizeof(all));
	for (int i = 0; i < 2; i++) {
		struct packs set = {0};
		if (open_rules(&set, dir, cache, &err) < 0)
			die(err.message);
		packs_done(&set);
	}
	if (open_rules(&all.read, dir, NULL, &err) < 0 ||
	    open_rules(&all.kept, dir, cache, &err) < 0)
		die(err.message);
	ok(!all.read.warm.bytes && all.kept.warm.bytes && lazy_made(&all.kept.pack) == 0 &&
		   db_decoded(all.kept.db) == 0,
	   "%zu rules are kept, and none of them is read", all.kept.pack.rulec);
	for (size_t i = 0; i < all.read.pack.rulec; i++) {
		try_strings(all.read.pack.rule[i].test_cases);
		try_strings(all.read.pack.rule[i].evasion_tests);
	}
	ok(all.findings && !all.different, "%zu events, %zu findings, %zu events are different",
	   all.events, all.findings, all.different);
	packs_done(&all.read);
	packs_done(&all.kept);
}

int main(int argc, char **argv)
{
	char cache[] = "/tmp/rules-warm.XXXXXX", command[64];

	if (!mkdtemp(cache))
		return 1;
	for (int i = 1; i < argc; i++)
		check(argv[i], cache);
	snprintf(command, sizeof(command), "rm -rf %s", cache);
	return system(command) == 0 ? tap_done() : 1;
}
