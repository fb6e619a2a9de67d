/* SPDX-License-Identifier: MIT
 *
 * chance DOCUMENTS CODE: how often code ties to documents that have nothing to do with it, and how
 * fast all that is. Each argument is a list of files' names, or a .jsonl whose members "text" or
 * "code" are taken. Snippets of 2 KB are held against some of the documents, chosen at random from
 * a fixed sequence. It only tells; CHANCE_SHOW=1 also shows what tied (never from a .jsonl).
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/scope.h"
#include "trust/evidence/attribute.h"

enum { TEXT_MAX = 256 << 10, TEXT_MIN = 1024, SNIPPET = 2048, TRIALS = 200, MOST = 20000 };

struct texts {
	char **data;
	size_t *len, count;
	bool secret;
};

static void must(bool done, const char *what)
{
	if (done)
		return;
	fprintf(stderr, "chance: %s\n", what);
	exit(1);
}

static void add(struct texts *t, const char *data, size_t len)
{
	if (t->count == MOST || len < TEXT_MIN)
		return;
	if (len > TEXT_MAX)
		len = TEXT_MAX;
	t->data[t->count] = malloc(len);
	must(t->data[t->count] != NULL, "out of memory");
	memcpy(t->data[t->count], data, len);
	t->len[t->count++] = len;
}

static void add_file(struct texts *t, const char *path)
{
	static char buf[TEXT_MAX];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(buf, 1, sizeof(buf), f) : 0;

	add(t, buf, n);
	if (f)
		fclose(f);
}

static void add_json(struct texts *t, const char *line)
{
	json_t *o = json_loads(line, 0, NULL);
	json_t *s = json_object_get(o, "text") ? json_object_get(o, "text")
					       : json_object_get(o, "code");

	if (json_is_string(s))
		add(t, json_string_value(s), json_string_length(s));
	json_decref(o);
}

static struct texts load(const char *list)
{
	struct texts t = {calloc(MOST, sizeof(char *)), calloc(MOST, sizeof(size_t)), 0,
			  strstr(list, ".jsonl") != NULL};
	FILE *f = fopen(list, "r");
	char *line = NULL;
	size_t room = 0;

	must(f && t.data && t.len, list);
	for (ssize_t n; (n = getline(&line, &room, f)) > 0;) {
		line[n - 1] = '\0';
		if (t.secret)
			add_json(&t, line);
		else
			add_file(&t, line);
	}
	free(line);
	fclose(f);
	must(t.count > 1, "too few texts");
	return t;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

static void show(const struct texts *code, const char *snippet, const struct attribution *a)
{
	if (!getenv("CHANCE_SHOW") || code->secret)
		return;
	for (size_t i = 0; i < a->count; i++)
		printf("#   %s %zu: %.*s\n", tie_name(a->list[i].tie), a->list[i].weight,
		       (int)a->list[i].len, snippet + a->list[i].at);
}

/* Processor time: others use this machine, too. */
static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

struct sums {
	size_t whole, span, span40, atom, any, bytes, prints, atoms;
	uint64_t index_ns, tie_ns;
};

static void try_one(const struct texts *docs, const struct texts *code, size_t each,
		    uint64_t *state, struct sums *sums)
{
	struct index *ix = calloc(each, sizeof(*ix));
	enum tie *ties = calloc(each, sizeof(*ties));
	size_t c = next_random(state) % code->count, len = code->len[c];
	size_t at = len > SNIPPET ? next_random(state) % (len - SNIPPET) : 0;
	struct origin_text t = {.data = code->data[c] + at, .len = len < SNIPPET ? len : SNIPPET};
	struct attribution a;
	struct err err;
	bool had[TIE_COUNT] = {0}, long_span = false;
	uint64_t begin = now_ns();

	for (size_t i = 0; i < each; i++) {
		size_t d = next_random(state) % docs->count;
		struct origin_text doc = {.data = docs->data[d], .len = docs->len[d]};
		must(index_build(&doc, 1, &ix[i], &err) == 0, "index");
		sums->bytes += doc.len;
		sums->prints += ix[i].list[INDEX_SPANS].count;
		sums->atoms += ix[i].list[INDEX_ATOMS].count;
	}
	sums->index_ns += now_ns() - begin;
	begin = now_ns();
	must(attribute(&t, 1, ix, each, ties, &a, &err) == 0, "attribute");
	sums->tie_ns += now_ns() - begin;
	show(code, t.data, &a);
	for (size_t i = 0; i < a.count; i++) {
		had[a.list[i].tie] = true;
		long_span = long_span || (a.list[i].tie == TIE_SPAN && a.list[i].weight >= 40);
	}
	sums->whole += had[TIE_WHOLE];
	sums->span += had[TIE_SPAN];
	sums->atom += had[TIE_ATOM];
	sums->span40 += long_span;
	sums->any += a.count > 0;
	for (size_t i = 0; i < each; i++)
		index_done(&ix[i]);
	free(ix);
	free(ties);
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = {1, 5, 20, 100};

	must(argc == 3, "DOCUMENTS CODE");
	struct texts docs = load(argv[1]), code = load(argv[2]);
	printf("%zu documents, %zu programs; of %d snippets of %d bytes tie by chance:\n",
	       docs.count, code.count, TRIALS, SNIPPET);
	printf("documents     KB    span  span>=40   atom    any   index MB/s   us/snippet  "
	       "B/byte\n");
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct sums s = {0};
		uint64_t state = 88172645463325252ULL + i;
		for (int n = 0; n < TRIALS; n++)
			try_one(&docs, &code, sizes[i], &state, &s);
		printf("%9zu %6zu %6.2f%% %7.2f%% %6.2f%% %6.2f%% %10.1f %10.1f %8.2f\n", sizes[i],
		       s.bytes / TRIALS / 1000, 100.0 * s.span / TRIALS, 100.0 * s.span40 / TRIALS,
		       100.0 * s.atom / TRIALS, 100.0 * s.any / TRIALS,
		       1e3 * (double)s.bytes / (double)s.index_ns, (double)s.tie_ns / 1e3 / TRIALS,
		       8.0 * (double)(s.prints + s.atoms) / (double)s.bytes);
	}
	return 0;
}
