/* SPDX-License-Identifier: MIT
 *
 * The fuzz target of rules that are kept ready to use: any bytes as the names, rows, set and trees of
 * a warm file (warm_fixed.h), behind its codes, which are made right here. Whatever they are: they are
 * refused with a reason, or events can be held against them, with findings or an error; nothing is
 * read outside. Bytes that are as they were find what the rules themselves find.
 */
#include "detect/json_read.h"
#include "rule/stamps.h"
#include "warm_fixed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Events that ask every kind of rule, twice in one session. */
static const char *const events[] = {
	"{\"type\":\"llm_input\",\"content\":\"pebble one, x\",\"sessionId\":\"s\",\"timestamp\":1,"
	"\"fields\":{\"a\":\"1\"}}",
	"{\"type\":\"tool_call\",\"content\":\"a moon\",\"sessionId\":\"s\",\"timestamp\":2,"
	"\"fields\":{\"tool_name\":\"shell\",\"tool_args\":\"sandstone\"}}",
	"{\"type\":\"llm_output\",\"content\":\"slate ```pebble one```\",\"sessionId\":\"s\","
	"\"timestamp\":3,\"metrics\":{\"event_count\":5}}",
	"{\"type\":\"llm_input\",\"trace\":{\"spans\":[{\"attributes\":{\"a\":\"one\",\"b\":"
	"\"two\"}}"
	"]}}",
};

/* The parts, each of its exact size, so that the sanitizer sees a read past the end. */
struct parts {
	uint32_t number[WARM_NUMBERS];
	char *names;
	struct lazy_row *row;
	uint8_t *set, *trees;
	size_t trees_len;
};

static void *take(const uint8_t **at, size_t *left, size_t len)
{
	void *copy = malloc(len ? len : 1);

	warm_must(copy && len <= *left);
	if (len)
		memcpy(copy, *at, len);
	*at += len;
	*left -= len;
	return copy;
}

static bool split(const uint8_t *data, size_t len, struct parts *ret)
{
	const uint8_t *at = data + sizeof(ret->number);
	size_t left = len - sizeof(ret->number), rows;

	if (len < sizeof(ret->number))
		return false;
	memcpy(ret->number, data, sizeof(ret->number));
	rows = ret->number[WARM_ROWS_COUNT] * sizeof(struct lazy_row);
	if (ret->number[WARM_NAMES_LEN] > left || rows > left - ret->number[WARM_NAMES_LEN] ||
	    ret->number[WARM_SET_LEN] > left - ret->number[WARM_NAMES_LEN] - rows)
		return false;
	ret->names = take(&at, &left, ret->number[WARM_NAMES_LEN]);
	ret->row = take(&at, &left, rows);
	ret->set = take(&at, &left, ret->number[WARM_SET_LEN]);
	ret->trees_len = left;
	ret->trees = take(&at, &left, left);
	return true;
}

static void parts_done(struct parts *p)
{
	free(p->names);
	free(p->row);
	free(p->set);
	free(p->trees);
}

/* What is behind the codes is what is looked for. */
static void make_codes(struct parts *p)
{
	struct err err;

	for (size_t i = 0; i < p->number[WARM_ROWS_COUNT]; i++) {
		struct lazy_row *r = &p->row[i];
		if (r->at <= p->trees_len && r->len <= p->trees_len - r->at)
			warm_must(cache_file_seal((uint8_t[CACHE_FILE_KEY]){0}, CACHE_FILE_TREE,
						  p->trees + r->at, r->len, &r->mac, &err) == 0);
	}
}

static void look_at(const struct engine *e, struct engine_thread *t, const struct findings *f)
{
	size_t offset = 0, seen = 0;
	struct engine_place place;
	struct err err;

	warm_must(engine_place_init(&place, (struct text){"a pebble one", 12}, &err) == 0);
	for (size_t i = 0; i < f->count; i++) {
		seen += strlen(f->list[i].rule->id) + strlen(f->list[i].why);
		for (size_t k = 0; k < f->list[i].matchedc; k++)
			if (f->list[i].matched[k] < f->list[i].rule->conditionc)
				engine_locate(e, t, f->list[i].rule, f->list[i].matched[k], &place,
					      &offset);
	}
	engine_place_done(&place);
	warm_must(seen >= f->count && offset <= 12);
}

/* All that is found, as ids; -1: an event could not be asked about. */
static int ask(const struct engine *e, char *said, size_t size)
{
	struct err err = {0};
	struct engine_thread *t = engine_thread_new(e, &err);
	int failed = 0;

	said[0] = '\0';
	for (size_t i = 0; t && i < 2 * ARRAY_SIZE(events); i++) {
		const char *text = events[i % ARRAY_SIZE(events)];
		const struct node *n = NULL;
		struct arena arena = {0};
		struct findings f = {0};
		struct event event;
		warm_must(json_read(text, strlen(text), 1, &arena, &n, &err) == 0 &&
			  event_from_node(n, &event, &err) == 0);
		event.skill = i >= ARRAY_SIZE(events) && i % 2;
		err = (struct err){0};
		if (engine_scan(e, t, &event, &f, &err) < 0) {
			warm_must(err.code && err.message[0]);
			failed = -1;
		}
		look_at(e, t, &f);
		for (size_t k = 0; k < f.count; k++)
			strncat(said, f.list[k].rule->id, size - strlen(said) - 1);
		strncat(said, " ", size - strlen(said) - 1);
		findings_done(&f);
		arena_done(&arena);
	}
	engine_thread_free(t);
	return t ? failed : -1;
}

static void try_parts(const struct warm_fixed *w, const struct parts *p, bool is_whole)
{
	struct engine_options options = {.mode = p->number[WARM_MODE] & 1, .lane = LANE_HUNT};
	struct lazy_rows rows = {.row = p->row,
				 .count = p->number[WARM_ROWS_COUNT],
				 .trees = p->trees,
				 .trees_len = p->trees_len,
				 .names = p->names,
				 .names_len = p->number[WARM_NAMES_LEN]};
	struct engine *engine = NULL;
	struct pack pack = {0};
	struct err err = {0};
	char said[4096], expected[4096];

	if (lazy_open(&pack, &rows, &err) == 0 &&
	    engine_load(p->set, p->number[WARM_SET_LEN], &pack, w->db, &options, &engine, &err) ==
		    0) {
		int failed = ask(engine, said, sizeof(said));
		warm_must(!is_whole ||
			  (failed == 0 && ask(w->engine, expected, sizeof(expected)) == 0 &&
			   strcmp(said, expected) == 0 && strchr(said, 'F')));
	} else {
		warm_must(!is_whole && err.code && err.message[0]);
	}
	engine_free(engine);
	pack_done(&pack);
}

/* The stamps of a warm file lie before its rows; no bytes of theirs may lead out either. */
static void try_stamps(const struct parts *p)
{
	size_t dirs = p->number[WARM_SET_LEN] / sizeof(struct stamps_dir);
	struct stamps s = {.dirs = dirs / 2,
			   .files = p->trees_len / sizeof(struct stamps_file),
			   .names_len = p->number[WARM_NAMES_LEN],
			   .dir = (struct stamps_dir *)(void *)p->set,
			   .file = (struct stamps_file *)(void *)p->trees,
			   .names = p->names};

	if (stamps_are_sound(&s))
		for (size_t i = 0; i < s.dirs; i++)
			warm_must(strlen(s.names + s.dir[i].path) < s.names_len);
}

/* Nothing has been changed. */
static bool warm_is_whole(const struct warm_fixed *w, enum detect_mode mode, const uint8_t *data,
			  size_t len)
{
	size_t need = warm_write(w, mode, NULL);

	if (need != len)
		return false;
	AUTO_FREE uint8_t *all = malloc(need);
	warm_must(all != NULL);
	warm_write(w, mode, all);
	return memcmp(all, data, len) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct warm_fixed fixed[2];
	struct parts p = {0};

	if (!split(data, len, &p))
		return 0;
	enum detect_mode mode = p.number[WARM_MODE] & 1;
	struct warm_fixed *w = &fixed[mode];
	if (!w->engine)
		warm_make(w, mode);
	bool is_whole = warm_is_whole(w, mode, data, len);
	make_codes(&p);
	try_parts(w, &p, is_whole);
	try_stamps(&p);
	parts_done(&p);
	return 0;
}
