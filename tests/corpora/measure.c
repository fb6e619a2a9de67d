/* SPDX-License-Identifier: MIT
 *
 * measure CORPORA NAME=DIR[,DIR]...: the share of samples that each pack of rules flags, as in the
 * tables of docs/explanation/ARCHITECTURE.md. CORPORA has attack_code, attack_text, benign_code and
 * benign_text.jsonl. A share is given per source and as the mean over sources, never over all
 * samples, because a large corpus must not outweigh the others. Samples whose risk no guard should
 * stop are left out. It must never print a sample.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/start.h"
#include "base/scope.h"
#include "read/view.h"

enum { SOURCES_MAX = 64, PACKS_MAX = 4, DIRS_MAX = 16, NAME_MAX_BYTES = 64, PATH_BYTES = 4096 };

/* The text alone, with its decoded layers, and with the code view too. */
enum part { PART_TEXT, PART_DECODED, PART_CODE, PARTS };
static const char *const scope_names[PARTS] = {"text", "and decoded", "and code view"};

static const struct corpus {
	const char *name, *key, *title;
} corpora[] = {
	{"attack_code", "code", "Attack code: recall"},
	{"benign_code", "code", "Benign code: false positives"},
	{"attack_text", "text", "Attack text: recall"},
	{"benign_text", "text", "Benign text: false positives"},
};
enum { CORPORA = ARRAY_SIZE(corpora) };

struct subset {
	char name[NAME_MAX_BYTES];
	size_t count;
	size_t flagged[PACKS_MAX][LANE_COUNT][PARTS];
};

struct tally {
	struct subset source[SOURCES_MAX];
	size_t sourcec, undecided, left_out, views, viewless;
};

struct measured {
	const char *name;
	struct packs rules;
	struct started lane[LANE_COUNT];
};

static struct {
	struct measured pack[PACKS_MAX];
	size_t packc;
	struct tally tally[CORPORA];
} all;

/* NAME=DIR[,DIR] */
static void load(struct measured *m, char *argument)
{
	const char *dir[DIRS_MAX];
	char *dirs = strchr(argument, '='), *save = NULL;
	size_t count = 0;

	must(dirs != NULL, argument, &(struct err){.message = "it is not NAME=DIR"});
	*dirs++ = '\0';
	m->name = argument;
	for (char *one = strtok_r(dirs, ",", &save); one; one = strtok_r(NULL, ",", &save)) {
		must(count < DIRS_MAX, one, &(struct err){.message = "too many directories"});
		dir[count++] = one;
	}
	must(count > 0, argument, &(struct err){.message = "it is not NAME=DIR"});
	start_rules(&m->rules, dir, count, &(struct pack_options){0});
	for (unsigned lane = 0; lane < LANE_COUNT; lane++)
		m->lane[lane] = start_engine(&m->rules, DETECT_STRICT, (enum lane)lane);
}

static struct subset *source_of(struct tally *t, const char *name)
{
	for (size_t i = 0; i < t->sourcec; i++)
		if (!strcmp(t->source[i].name, name))
			return &t->source[i];
	must(t->sourcec < SOURCES_MAX, name, &(struct err){.message = "too many sources"});
	struct subset *s = &t->source[t->sourcec++];
	snprintf(s->name, sizeof(s->name), "%s", name);
	return s;
}

/* One sample, and its code view or NULL. */
static void scan(struct tally *t, struct subset *s, size_t pack, unsigned lane, struct text text,
		 const struct code_view *view)
{
	struct measured *m = &all.pack[pack];
	struct event event = {
		.type = EVENT_OTHER, .plain = true, .content = text, .time_ms = EVENT_TIME_NONE};
	struct findings f = {0};
	struct err err = {0};
	bool hit[PARTS] = {0};

	must(engine_scan(m->lane[lane].engine, m->lane[lane].thread, &event, &f, &err) == 0,
	     s->name, &err);
	if (view) {
		struct text code = {view->text, view->text_len};
		must(engine_scan_view(m->lane[lane].engine, m->lane[lane].thread, &event, VIEW_CODE,
				      code, &f, &err) == 0,
		     s->name, &err);
	}
	for (size_t i = 0; i < f.count; i++) {
		t->undecided += f.list[i].undecided;
		hit[PART_TEXT] |= f.list[i].view == VIEW_TEXT;
		hit[PART_DECODED] |= f.list[i].view != VIEW_CODE;
		hit[PART_CODE] = true;
	}
	for (int i = 0; i < PARTS; i++)
		s->flagged[pack][lane][i] += hit[i];
	findings_done(&f);
}

static bool is_left_out(const json_t *sample)
{
	static const char *const risks[] = {"design-flaw", "low", "intent-only"};
	const char *risk = json_string_value(json_object_get(sample, "risk"));
	const char *label = json_string_value(json_object_get(sample, "label"));

	for (size_t i = 0; risk && i < ARRAY_SIZE(risks); i++)
		if (!strcmp(risk, risks[i]))
			return true;
	return label && !strcmp(label, "design_flaw_request");
}

static void take(const struct corpus *c, struct tally *t, const json_t *sample)
{
	const json_t *text = json_object_get(sample, c->key);
	const char *name = json_string_value(json_object_get(sample, "source"));

	must(text && name, c->name, &(struct err){.message = "a line is no sample"});
	if (is_left_out(sample)) {
		t->left_out++;
		return;
	}
	struct subset *s = source_of(t, name);
	struct text content = {json_string_value(text), json_string_length(text)};
	const char *lang = json_string_value(json_object_get(sample, "lang"));
	struct code_view view = {0};
	struct err err = {0};
	bool seen = lang && view_reader.has_language(lang) &&
		    view_reader.read(lang, content.s, content.len, &view, &err) == 0;
	t->views += seen;
	t->viewless += lang && view_reader.has_language(lang) && !seen;
	s->count++;
	for (size_t i = 0; i < all.packc; i++)
		for (unsigned lane = 0; lane < LANE_COUNT; lane++)
			scan(t, s, i, lane, content, seen ? &view : NULL);
	code_view_done(&view);
}

static void read_corpus(const char *dir, size_t number)
{
	AUTO_FREE char *line = NULL;
	char path[PATH_BYTES];
	size_t room = 0;

	snprintf(path, sizeof(path), "%s/%s.jsonl", dir, corpora[number].name);
	FILE *f = fopen(path, "re");
	struct err err = {0};
	if (!f)
		err_errno(&err, ERR_INPUT, "cannot be opened");
	must(f != NULL, path, &err);
	for (ssize_t n; (n = getline(&line, &room, f)) > 0;) {
		json_t *sample = json_loadb(line, (size_t)n, JSON_ALLOW_NUL, NULL);
		must(sample != NULL, path, &(struct err){.message = "a line is no JSON"});
		take(&corpora[number], &all.tally[number], sample);
		json_decref(sample);
	}
	fclose(f);
}

static double share(const struct subset *s, size_t pack, unsigned lane, enum part scope)
{
	return 100.0 * (double)s->flagged[pack][lane][scope] / (double)s->count;
}

static double macro(const struct tally *t, size_t pack, unsigned lane, enum part scope)
{
	double sum = 0;

	for (size_t i = 0; i < t->sourcec; i++)
		sum += share(&t->source[i], pack, lane, scope);
	return t->sourcec ? sum / (double)t->sourcec : 0;
}

/* From the narrowest lane to the widest. */
static const enum lane order[LANE_COUNT] = {LANE_ENFORCE, LANE_ALERT, LANE_HUNT};

static void print_summary(void)
{
	printf("| rules | lane | view |");
	for (size_t i = 0; i < CORPORA; i++)
		printf(" %s |", corpora[i].title);
	printf("\n|---|---|---|---|---|---|---|\n");
	for (size_t p = 0; p < all.packc; p++)
		for (size_t l = 0; l < LANE_COUNT; l++)
			for (int scope = 0; scope < PARTS; scope++) {
				printf("| %s | %s | %s |", all.pack[p].name,
				       vocab_at(VOCAB_LANE, order[l])->name, scope_names[scope]);
				for (size_t i = 0; i < CORPORA; i++)
					printf(" %.1f %% |",
					       macro(&all.tally[i], p, order[l], (enum part)scope));
				printf("\n");
			}
}

/* A cell: the share in all views, and in brackets how much the other views added to the text. */
static void print_cell(double text, double views)
{
	if (views > text)
		printf(" %.1f (+%.1f) |", views, views - text);
	else
		printf(" %.1f |", views);
}

static void print_corpus(size_t number)
{
	const struct tally *t = &all.tally[number];

	printf("\n%s, in per cent of samples", corpora[number].title);
	if (t->left_out)
		printf(" (%zu left out: no guard should stop them)", t->left_out);
	printf("\n\n| source | n |");
	for (size_t p = 0; p < all.packc; p++)
		for (size_t l = 0; l < LANE_COUNT; l++)
			printf(" %s, %s |", all.pack[p].name, vocab_at(VOCAB_LANE, order[l])->name);
	printf("\n|---|---|");
	for (size_t i = 0; i < all.packc * LANE_COUNT; i++)
		printf("---|");
	printf("\n");
	for (size_t i = 0; i <= t->sourcec; i++) {
		const struct subset *s = &t->source[i];
		if (i < t->sourcec)
			printf("| %s | %zu |", s->name, s->count);
		else
			printf("| *mean over %zu sources* | |", t->sourcec);
		for (size_t p = 0; p < all.packc; p++)
			for (size_t l = 0; l < LANE_COUNT; l++)
				print_cell(i < t->sourcec ? share(s, p, order[l], PART_TEXT)
							  : macro(t, p, order[l], PART_TEXT),
					   i < t->sourcec ? share(s, p, order[l], PART_CODE)
							  : macro(t, p, order[l], PART_CODE));
		printf("\n");
	}
	if (t->views + t->viewless)
		printf("\nA code view was made of %zu samples; %zu more could not be read.\n",
		       t->views, t->viewless);
	if (t->undecided)
		printf("\n%zu findings were undecided: a limit was reached. They count.\n",
		       t->undecided);
}

int main(int argc, char **argv)
{
	if (argc < 3 || argc - 2 > PACKS_MAX) {
		fprintf(stderr, "measure CORPORA NAME=DIR[,DIR]...: at most %d packs\n", PACKS_MAX);
		return 2;
	}
	for (int i = 2; i < argc; i++)
		load(&all.pack[all.packc++], argv[i]);
	for (size_t i = 0; i < CORPORA; i++)
		read_corpus(argv[1], i);
	print_summary();
	for (size_t i = 0; i < CORPORA; i++)
		print_corpus(i);
	for (size_t i = 0; i < all.packc; i++) {
		for (unsigned lane = 0; lane < LANE_COUNT; lane++)
			started_done(&all.pack[i].lane[lane]);
		packs_done(&all.pack[i].rules);
	}
	return 0;
}
