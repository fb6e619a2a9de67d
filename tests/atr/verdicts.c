/* SPDX-License-Identifier: MIT
 *
 * verdicts RULES [EXCEPTIONS]: compares our engine in reference mode with the reference. Standard
 * input is the output of tests/atr/ask.mjs. Rules, their order, severity, confidence and the
 * verdict must be equal; where the reference throws, we must refuse. Strict mode must find at
 * least the same, with two exceptions: sessions, which use another clock, and rules about
 * something absent, because strict mode also sees text after a quotation. Exceptions are lines
 * "verdict ID reason". Prints TAP; an exception that does not occur is a failure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/start.h"
#include "../unit/tap.h"
#include "detect/json_read.h"

enum { SHOWN_MAX = 15, EXCEPTIONS_MAX = 64, FOUND_MAX = 4096 };

struct found {
	const char *id, *severity;
	double confidence;
};

static struct {
	struct packs rules;
	struct started reference[LANE_COUNT], strict[LANE_COUNT];
	size_t events, skills, throws, findings, decoded, differ, verdicts, errors, undecided,
		shown;
	size_t lost, more;
	char exception[EXCEPTIONS_MAX][64];
	size_t used[EXCEPTIONS_MAX], exceptions;
} all;

static void build(const char *rules)
{
	start_rules(&all.rules, &rules, 1, &(struct pack_options){0});
	for (unsigned lane = 0; lane < LANE_COUNT; lane++) {
		all.reference[lane] = start_engine(&all.rules, DETECT_REFERENCE, (enum lane)lane);
		all.strict[lane] = start_engine(&all.rules, DETECT_STRICT, (enum lane)lane);
	}
	printf("# %zu rules, %zu patterns, %zu of them no expression\n", all.rules.pack.rulec,
	       all.rules.patterns.count, all.rules.refused);
}

static bool is_asked(const struct node *only, const char *id)
{
	if (!only)
		return true;
	for (size_t i = 0; i < node_count(only); i++)
		if (!strcmp(node_string(node_item(only, i)), id))
			return true;
	return false;
}

static bool is_excused(const char *id)
{
	for (size_t i = 0; i < all.exceptions; i++)
		if (!strcmp(all.exception[i], id)) {
			all.used[i]++;
			return true;
		}
	return false;
}

static void show(const char *what, const char *id, const char *line, size_t len)
{
	if (all.shown++ < SHOWN_MAX)
		printf("# %s %s: %.*s\n", what, id, (int)(len < 700 ? len : 700), line);
}

static bool is_same(const struct found *a, const struct found *b)
{
	return !strcmp(a->id, b->id) && !strcmp(a->severity, b->severity) &&
	       a->confidence == b->confidence;
}

static size_t read_expected(const struct node *matches, struct found *to)
{
	size_t n = 0;

	for (size_t i = 0; i < node_count(matches) && n < FOUND_MAX; i++, n++) {
		const struct node *m = node_item(matches, i);
		to[n].id = node_string(node_item(m, 0));
		to[n].severity = node_string(node_item(m, 1));
		node_number(node_item(m, 2), &to[n].confidence);
	}
	return n;
}

/* The findings for the rules asked about; F keeps them too, for the verdict. */
static size_t read_ours(struct findings *f, const struct node *only, struct found *to)
{
	size_t n = 0;

	for (size_t i = 0; i < f->count && n < FOUND_MAX; i++) {
		const struct finding *one = &f->list[i];
		if (!is_asked(only, one->rule->id))
			continue;
		all.undecided += one->undecided;
		all.decoded += one->view == VIEW_DECODED;
		to[n] = (struct found){one->rule->id, one->rule->severity_name, one->confidence};
		f->list[n++] = *one;
	}
	f->count = n;
	return n;
}

static void compare(struct findings *f, const struct node *answer, const char *line, size_t len)
{
	static struct found ours[FOUND_MAX], theirs[FOUND_MAX];
	const char *verdict = node_string(node_get(answer, "verdict"));
	size_t t = read_expected(node_get(answer, "matches"), theirs);
	size_t o = read_ours(f, node_get(answer, "only"), ours), i = 0;

	all.findings += t;
	while (i < t && i < o && is_same(&ours[i], &theirs[i]))
		i++;
	if (i < t || i < o) {
		const char *id = i < o ? ours[i].id : theirs[i].id;
		if (is_excused(id))
			return;
		all.differ++;
		show(i < o && i < t ? theirs[i].id : i < o ? "too many" : "missing", id, line, len);
	} else if (strcmp(verdict, detect_verdict_name(detect_verdict(f, NULL))) != 0) {
		all.verdicts++;
		show("another verdict", verdict, line, len);
	}
}

static bool has(const struct findings *f, const struct rule *rule)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->list[i].rule == rule)
			return true;
	return false;
}

static bool has_not(const struct rule *rule)
{
	return strcasestr(rule->expression, "not ") != NULL;
}

/* F: the findings of reference mode. */
static void compare_strict(const struct event *event, unsigned lane, const struct findings *f,
			   const char *line, size_t len)
{
	struct findings strict = {0};
	struct err err = {0};

	if (event->session)
		return;
	must(engine_scan(all.strict[lane].engine, all.strict[lane].thread, event, &strict, &err) ==
		     0,
	     "strict mode", &err);
	for (size_t i = 0; i < f->count; i++)
		if (!has(&strict, f->list[i].rule) && !has_not(f->list[i].rule)) {
			all.lost++;
			show("strict mode misses", f->list[i].rule->id, line, len);
		}
	all.more += strict.count > f->count;
	findings_done(&strict);
}

static void take(const char *line, size_t len)
{
	struct arena arena = {0};
	const struct node *answer = NULL;
	struct event event = {0};
	struct findings f = {0};
	struct err err = {0};

	must(json_read(line, len, 1, &arena, &answer, &err) == 0, "the reference", &err);
	unsigned lane = vocab_find(VOCAB_LANE, node_string(node_get(answer, "lane")));
	bool throws = node_get(answer, "throws");
	int result = event_from_node(node_get(answer, "event"), &event, &err);
	if (result == 0)
		result = engine_scan(all.reference[lane].engine, all.reference[lane].thread, &event,
				     &f, &err);
	all.events++;
	all.skills += event.skill;
	all.throws += throws;
	if (throws != (result < 0)) {
		all.errors++;
		show("refused otherwise", err.message, line, len);
	} else if (!throws) {
		compare_strict(&event, lane, &f, line, len);
		compare(&f, answer, line, len);
	}
	findings_done(&f);
	arena_done(&arena);
}

static void read_exceptions(const char *path)
{
	char line[512];
	FILE *f = fopen(path, "r");

	if (!f)
		exit(2);
	while (fgets(line, sizeof(line), f) && all.exceptions < EXCEPTIONS_MAX)
		if (sscanf(line, "verdict %63s", all.exception[all.exceptions]) == 1)
			all.exceptions++;
	fclose(f);
}

static void done(void)
{
	for (unsigned lane = 0; lane < LANE_COUNT; lane++) {
		started_done(&all.reference[lane]);
		started_done(&all.strict[lane]);
	}
	packs_done(&all.rules);
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t room = 0;

	if (argc < 2)
		return 2;
	if (argc > 2)
		read_exceptions(argv[2]);
	build(argv[1]);
	for (ssize_t len; (len = getline(&line, &room, stdin)) > 0;)
		take(line, (size_t)len);
	free(line);
	ok(all.events && all.findings, "%zu events (%zu skills), %zu findings, %zu refused",
	   all.events, all.skills, all.findings, all.throws);
	ok(!all.differ, "%zu events with other rules, severities, confidences or order",
	   all.differ);
	ok(!all.verdicts, "%zu other verdicts", all.verdicts);
	ok(!all.errors, "%zu refused by one and not by the other", all.errors);
	ok(!all.undecided, "%zu undecided", all.undecided);
	ok(!all.lost && all.more, "%zu findings that strict mode misses, %zu events with more",
	   all.lost, all.more);
	ok(all.decoded > 0 || !all.skills, "%zu findings behind base64", all.decoded);
	for (size_t i = 0; i < all.exceptions; i++)
		ok(all.used[i] > 0, "the exception %s occurs", all.exception[i]);
	done();
	return tap_done();
}
