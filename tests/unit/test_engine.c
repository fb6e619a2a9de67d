/* SPDX-License-Identifier: MIT
 *
 * The engine: what strict mode finds and reference mode does not, patterns that cannot be decided,
 * views, places, verdicts and maxima. tests/atr compares the evaluation of rules in both modes
 * with the reference.
 */
#include "engine_kit.h"

static const char *const zebra[] = {
	HEAD("Z", "high", "llm_io") ANY MATCH("content", "zebra\\s+stripes"), NULL};

/* The limit counts UTF-16 units and not bytes. */
static void length_in_units(struct kit *k, char *text)
{
	enum { UNITS = REFERENCE_LENGTH_MAX - 13 };

	for (size_t i = 0; i <= UNITS; i++)
		memcpy(text + 13 + 2 * i, "\xc3\xa9", 2);
	IS(scan_text(k, text, 13 + 2 * UNITS), "Z ", "the longest text that the reference reads");
	IS(scan_text(k, text, 13 + 2 * UNITS + 2), "", "one more unit");
}

static void length(void)
{
	enum { FILL = REFERENCE_LENGTH_MAX };
	AUTO_FREE char *text = malloc(2 * FILL + 20);
	struct kit k;

	scratch_must(text, "memory");
	memset(text, '.', FILL + 20);
	memcpy(text, "zebra stripes", 13);
	ok(set_up(&k, zebra, DETECT_REFERENCE, false), "reference mode: %s", k.said);
	IS(scan_text(&k, text, FILL), "Z ", "as long as the reference reads");
	IS(scan_text(&k, text, FILL + 1), "", "one more");
	length_in_units(&k, text);
	memset(text + 13, '.', FILL);
	tear_down(&k);
	ok(set_up(&k, zebra, DETECT_STRICT, false), "strict mode: %s", k.said);
	IS(scan_text(&k, text, FILL + 1), "Z ", "strict mode finds it");
	tear_down(&k);
}

static void layers(void)
{
	/* "go, zebra stripes and more" */
	static const char hidden[] = "see Z28sIHplYnJhIHN0cmlwZXMgYW5kIG1vcmU= there";
	static const char both[] = "zebra stripes Z28sIHplYnJhIHN0cmlwZXMgYW5kIG1vcmU=";
	struct kit k;

	ok(set_up(&k, zebra, DETECT_STRICT, false), "strict mode");
	IS(scan_text(&k, hidden, sizeof(hidden) - 1), "Z:base64 ", "behind base64");
	IS(scan_text(&k, both, sizeof(both) - 1), "Z ", "a rule is found once");
	IS(scan_text(&k, "%7aebra%20stripes", 17), "Z:url ", "behind escapes");
	IS(scan_text(&k, "nothing", 7), "", "the last event has no effect");
	tear_down(&k);
	ok(set_up(&k, zebra, DETECT_REFERENCE, false), "reference mode");
	IS(scan_text(&k, hidden, sizeof(hidden) - 1), "", "the reference does not search there");
	tear_down(&k);
}

/* Evidence adds up: a condition may hold in the event and another in a layer. */
static void layers_add_up(void)
{
	static const char *const rules[] = {
		HEAD("NOT", "low", "llm_io") "detection:\n  condition: NOT a\n  conditions:\n"
					     "    a: {field: content, patterns: [zebra]}\n",
		HEAD("BOTH", "low", "llm_io") "detection:\n  condition: all\n  conditions:\n" MATCH(
			"content", "zebra") MATCH("content", "tigers"),
		HEAD("SEQ", "low", "llm_io") ANY
		"    - {steps: [{patterns: [zebra]}, {patterns: [tigers]}]}\n",
		"id: CODE\ntitle: T\nstatus: stable\nseverity: low\nagent_source: {type: llm_io}\n"
		"tags: {category: model-abuse, suppress_in_code_blocks: true}\n"
		"detection:\n  condition: all\n  conditions:\n" MATCH("content", "tigers")
			MATCH("content", "shell"),
		HEAD("WORD", "low", "llm_io") ANY
		"    - {field: content, operator: contains, value: lions and}\n",
		NULL};
	/* "go, lions and tigers now" */
	static const char text[] = "zebra Z28sIGxpb25zIGFuZCB0aWdlcnMgbm93 there";
	static const char quoted[] = "`shell` Z28sIGxpb25zIGFuZCB0aWdlcnMgbm93 there";
	struct kit k;

	ok(set_up(&k, rules, DETECT_STRICT, false), "%s", k.said);
	IS(scan_text(&k, text, sizeof(text) - 1), "BOTH:base64 SEQ:base64 WORD:base64 ",
	   "the word is found");
	IS(scan_text(&k, quoted, sizeof(quoted) - 1), "WORD:base64 NOT ",
	   "a quoted match stays quoted");
	IS(scan_text(&k, quoted + 1, sizeof(quoted) - 2), "WORD:base64 NOT CODE:base64 ",
	   "without the quotes it matches");
	IS(scan_text(&k, "nobody", 6), "NOT ", "it is not");
	tear_down(&k);
}

/* Normalising removes marks; a pattern can match them before that. */
static void raw_text(void)
{
	static const char *const rules[] = {
		HEAD("MARK", "low", "llm_io") ANY MATCH("content", "\\u200b"),
		HEAD("WORD", "low", "llm_io") ANY MATCH("content", "zebra"), NULL};
	struct kit k;

	ok(set_up(&k, rules, DETECT_STRICT, false), "%s", k.said);
	IS(scan_text(&k,
		     "ze\xe2\x80\x8b"
		     "bra",
		     8),
	   "MARK WORD ", "both forms are asked");
	tear_down(&k);
}

static void undecided(void)
{
	char text[96];
	struct kit k;

	memset(text, 'x', sizeof(text));
	text[63] = '!';
	ok(set_up(&k, slow, DETECT_STRICT, false), "%s", k.said);
	IS(scan_text(&k, text, 64), "ONE? TWO NOT? ",
	   "a limit is a finding unless it does not matter");
	IS(scan_text(&k, text, 20), "ONE TWO ", "without the limit all rules are decided");
	/* The same, and a layer of only x. */
	snprintf(text, sizeof(text), "%s", "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4 xxxxxxxxxxxx");
	IS(scan_text(&k, text, strlen(text)), "ONE:base64 TWO:base64 NOT ", "a layer");
	memset(text, 'x', 50);
	snprintf(text + 50, sizeof(text) - 50, "%s", " eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4");
	IS(scan_text(&k, text, strlen(text)), "ONE:base64 TWO:base64 NOT? ",
	   "a layer can decide an undecided rule");
	tear_down(&k);
}

/* COUNT different texts, in hex, that each take many steps. */
static char *slow_layers(int count)
{
	char *text = malloc((size_t)count * 128), *p = text;

	for (int i = 0; text && i < count; i++) {
		for (int k = 0; k < 50; k++)
			p += sprintf(p, "%02x", 'x');
		p += sprintf(p, "21%02x%02x|", 'a' + i % 26, 'a' + i / 26 % 26);
		p += sprintf(p, "%c ", 'g' + i / 676);
	}
	return text;
}

/* Are all layers searched with this many steps? */
static bool is_searched(const char *text, uint64_t steps)
{
	struct kit k;

	kit_layers_steps = steps;
	bool good = set_up(&k, slow, DETECT_STRICT, false) && *scan_text(&k, text, strlen(text)) &&
		    !k.found.unsearched;
	tear_down(&k);
	kit_layers_steps = 1;
	return good;
}

/* The steps of the first two of three, and one less. */
static void steps_of_layers(void)
{
	AUTO_FREE char *text = slow_layers(3);
	uint64_t few = 1, many = 1ULL << 40;

	ok(text && !is_searched(text, few) && is_searched(text, many), "the steps can be counted");
	while (many - few > 1) {
		uint64_t middle = few + (many - few) / 2;
		*(is_searched(text, middle) ? &many : &few) = middle;
	}
	ok(is_searched(text, many) && !is_searched(text, many - 1) && is_searched(text, many + 1),
	   "%llu steps are enough, and always the same", (unsigned long long)many);
}

/* The text without its invisible characters was scanned already, because that is its normal form.
 * As a layer it takes no steps, so these are left for the layers after it. */
static void known_layer(void)
{
	static const char hidden[] =
		"xxxxxxxx\xe2\x80\x8bxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
	char text[256];

	snprintf(text, sizeof(text), "%s! %s", hidden, "787878787878787878787878787878787878217a");
	ok(is_searched(text, 1), "a layer that was scanned takes no steps");
	snprintf(text, sizeof(text), "%s%%21 %s", hidden,
		 "787878787878787878787878787878787878217a");
	ok(!is_searched(text, 1), "another one does");
}

/* The layers together may not take more steps than their maximum; exceeding it is a finding. */
static void late(void)
{
	AUTO_FREE char *text = slow_layers(2000);
	struct kit k;

	ok(text && set_up(&k, slow, DETECT_STRICT, false), "%s", k.said);
	IS(scan_text(&k, text, strlen(text)), "ONE?:hex TWO:hex CORDON-LIMIT-LAYERS?: NOT ",
	   "slow layers");
	ok(k.found.unsearched && !strcmp(k.found.unsearched, "steps"),
	   "not all layers are searched");
	ok(detect_verdict(&k.found, NULL) == DETECT_ASK, "the verdict is a question");
	IS(scan_text(&k, "nobody", 6), "NOT ", "without layers");
	ok(!k.found.unsearched, "no layer is left out");
	tear_down(&k);
}

/* A part that was not searched is a finding, listed once, also beside other views. */
static void unsearched(void)
{
	/* "zebra stripes" five times in base64. */
	static const char text[] =
		"VjJ4amVGWXlSbGhVYmxKVFZqSlNjVlJVUmt0T1ZteFhZVVZPYVZJd05IcFZSbEYz"
		"VUZFOVBRPT0=";
	struct event e = {.type = EVENT_LLM_INPUT, .content = {text, sizeof(text) - 1}};
	struct err err;
	struct kit k;

	ok(set_up(&k, zebra, DETECT_STRICT, false), "%s", k.said);
	IS(scan(&k, &e), "CORDON-LIMIT-LAYERS?: ", "nested too deeply");
	IS(k.found.list[0].why, "they are nested deeper than the maximum",
	   "the finding has the reason");
	ok(detect_verdict(&k.found, NULL) == DETECT_ASK, "a question");
	struct text code = {"zebra  stripes", 14};
	ok(engine_scan_view(k.engine, k.thread, &e, VIEW_CODE, code, &k.found, &err) == 0 &&
		   undecided_add(&k.found, UNDECIDED_CODE, VIEW_CODE, "so", &err) == 0 &&
		   undecided_add(&k.found, UNDECIDED_CODE, VIEW_CODE, "again", &err) == 0 &&
		   undecided_add_layers(&k.found, &err) == 0,
	   "more undecided findings");
	ok(k.found.count == 3 && !strcmp(k.found.list[k.found.count - 1].why, "so"),
	   "each is listed once: %s", ids(&k));
	tear_down(&k);
	ok(set_up(&k, zebra, DETECT_REFERENCE, false), "%s", k.said);
	IS(scan(&k, &e), "", "the reference does not search there");
	tear_down(&k);
}

static int locate(const struct kit *k, const struct rule *rule, size_t number, struct text text,
		  size_t *ret_offset)
{
	struct engine_place place;
	struct err err;
	int result = engine_place_init(&place, text, &err);

	if (result == 0)
		result = engine_locate(k->engine, k->thread, rule, number, &place, ret_offset);
	engine_place_done(&place);
	return result;
}

static void views(void)
{
	struct event e = {.type = EVENT_LLM_INPUT, .content = {"nothing", 7}};
	struct err err;
	struct kit k;
	size_t at = 0;

	ok(set_up(&k, zebra, DETECT_STRICT, false), "%s", k.said);
	IS(scan(&k, &e), "", "the text has no finding");
	struct text code = {"zebra  stripes", 14};
	ok(engine_scan_view(k.engine, k.thread, &e, VIEW_CODE, code, &k.found, &err) == 0 &&
		   engine_scan_view(k.engine, k.thread, &e, VIEW_CODE, code, &k.found, &err) == 0,
	   "two views");
	IS(ids(&k), "Z:code ", "the first one has the finding, once");
	const struct rule *z = k.found.list[0].rule;
	struct text where = {"\xff\xf0\x9f\x98\x80 zebra stripes", 19};
	ok(locate(&k, z, 0, where, &at) == 0 && at == 6, "it is at byte %zu", at);
	where.s++;
	where.len--;
	ok(locate(&k, z, 0, where, &at) == 0 && at == 5, "and at %zu when nothing is broken", at);
	ok(locate(&k, z, 0, e.content, &at) == -1, "it does not match there");
	ok(locate(&k, z, 1, where, &at) == -1, "there is no such condition");
	tear_down(&k);
}

static void classes(void)
{
	static const char *const rules[] = {
		HEAD("LLM", "high", "llm_io") ANY MATCH("user_input", "zebra"),
		HEAD("TOOL", "high", "tool_call") ANY MATCH("tool_args", "zebra"),
		HEAD("NAME", "high", "tool_call") ANY MATCH("tool_name", "zebra"),
		HEAD("MEMORY", "high", "memory_access") ANY MATCH("content", "zebra"),
		"id: DRAFT\ntitle: T\nstatus: draft\nmaturity: draft\nseverity: low\n"
		"agent_source: {type: llm_io}\n" ANY MATCH("content", "zebra"),
		"id: OLD\ntitle: T\nstatus: deprecated\nmaturity: deprecated\nseverity: low\n"
		"agent_source: {type: llm_io}\n" ANY MATCH("content", "zebra"),
		NULL};
	struct event e = {.type = EVENT_OTHER, .plain = true, .content = {"zebra", 5}};
	struct kit k;

	ok(set_up(&k, rules, DETECT_STRICT, false), "%s", k.said);
	IS(scan(&k, &e), "LLM TOOL MEMORY ", "a plain text is every text field");
	IS(scan_text(&k, "zebra", 5), "LLM ", "an event has a source");
	IS(scan_json(&k, "{\"type\":\"tool_call\",\"content\":\"zebra\"}"), "TOOL NAME ",
	   "another one has another");
	IS(scan_json(&k, "{\"type\":\"tool_call\",\"content\":\"x\",\"fields\":{\"tool_args\":"
			 "\"zebra\"}}"),
	   "TOOL ", "only the field counts");
	tear_down(&k);
	ok(set_up(&k, rules, DETECT_STRICT, true), "%s", k.said);
	IS(scan_text(&k, "zebra", 5), "LLM DRAFT OLD ", "inactive rules when asked for");
	tear_down(&k);
}

static void errors(void)
{
	static const char *const rules[] = {HEAD("M", "high", "llm_io") ANY MATCH("odd", "zebra"),
					    NULL};
	struct engine_options options = {0};
	struct engine *engine = NULL;
	struct err err = {0};
	struct kit k, other;

	ok(set_up(&k, rules, DETECT_STRICT, false), "%s", k.said);
	IS(scan_json(&k, "{\"type\":\"llm_input\",\"metadata\":{\"odd\":{}}}"), "!",
	   "a field that is not a string is refused");
	ok(strstr(k.said, "metadata.odd is a map"), "the error names it: %s", k.said);
	IS(scan_json(&k, "{\"type\":\"llm_input\",\"metadata\":{\"odd\":\"zebra\"}}"), "M ",
	   "the next event is scanned");
	ok(set_up(&other, slow, DETECT_STRICT, false) &&
		   engine_new(&k.pack, &k.patterns, other.db, &options, &engine, &err) < 0 &&
		   strstr(err.message, "2 patterns in the database, 1"),
	   "a database of another pack: %s", err.message);
	tear_down(&other);
	tear_down(&k);
}

/* Counters just before they overflow. */
static void wrap(void)
{
	struct kit k;

	ok(set_up(&k, zebra, DETECT_STRICT, false), "%s", k.said);
	IS(scan_text(&k, "zebra stripes", 13), "Z ", "before");
	k.thread->epoch = k.thread->round = k.thread->scan = UINT32_MAX - 1;
	for (int i = 0; i < 4; i++) {
		IS(scan_text(&k, "zebra stripes", 13), "Z ", "around the overflow of counters");
		IS(scan_text(&k, "nothing", 7), "", "and no old mark counts");
	}
	tear_down(&k);
}

static void verdicts(void)
{
	static const struct {
		enum severity severity;
		double confidence;
		enum detect_verdict is;
	} rows[] = {
		{SEVERITY_CRITICAL, 0, DETECT_DENY},   {SEVERITY_HIGH, 0.8, DETECT_DENY},
		{SEVERITY_HIGH, 0.799, DETECT_ASK},    {SEVERITY_MEDIUM, 0.6, DETECT_ASK},
		{SEVERITY_MEDIUM, 0.59, DETECT_ALLOW}, {SEVERITY_LOW, 1, DETECT_ALLOW},
		{SEVERITY_OTHER, 1, DETECT_ALLOW},
	};
	struct findings none = {0};

	ok(detect_verdict(&none, NULL) == DETECT_ALLOW, "nothing found: allow");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rule rule = {.severity = rows[i].severity};
		struct finding one = {.rule = &rule, .confidence = rows[i].confidence};
		struct findings f = {.count = 1, .list = &one};
		ok(detect_verdict(&f, NULL) == rows[i].is, "severity %d at %g: %s",
		   rows[i].severity, rows[i].confidence, detect_verdict_name(rows[i].is));
		one.undecided = true;
		ok(detect_verdict(&f, NULL) ==
			   (rows[i].is == DETECT_DENY ? DETECT_DENY : DETECT_ASK),
		   "undecided: at least a question");
	}
}

/* It need not be the first finding. */
static void verdict_behind(void)
{
	struct rule rule = {.severity = SEVERITY_LOW};
	struct finding list[] = {{.rule = &rule}, {.rule = &rule, .undecided = true}};
	struct findings f = {.count = 2, .list = list};
	const struct finding *about;

	ok(detect_verdict(&f, &about) == DETECT_ASK && about == &list[1], "behind another finding");
}

static void order(void)
{
	struct rule rule[] = {{.severity = SEVERITY_LOW, .order = 0},
			      {.severity = SEVERITY_OTHER, .order = 1},
			      {.severity = SEVERITY_INFORMATIONAL, .order = 2},
			      {.severity = SEVERITY_CRITICAL, .order = 3},
			      {.severity = SEVERITY_LOW, .order = 4}};
	static const double confidence[] = {0.5, 0.7, 0.7, 0.5, 0.9};
	static const unsigned want[] = {3, 4, 0, 1, 2};
	struct finding list[5];
	struct findings f = {.count = 5, .list = list};
	bool right = true;

	for (int i = 0; i < 5; i++)
		list[4 - i] = (struct finding){.rule = &rule[i], .confidence = confidence[i]};
	findings_sort(&f, 0);
	for (int i = 0; i < 5; i++)
		right = right && list[i].rule->order == want[i];
	ok(right, "severity, then confidence, then the pack's order");
}

static void sessions(void)
{
	static const char *const rules[] = {
		HEAD("COUNT", "high", "llm_io") ANY
		"    - {metric: event_count, operator: gte, threshold: 2, window: 1m}\n",
		HEAD("SEQ", "low", "llm_io") ANY "    - {within: 1m, steps: [{patterns: [one]}, "
						 "{patterns: [two]}]}\n",
		NULL};
	struct kit k;
	char text[128];
	const char *const words[] = {"one", "x", "two", "one", "two"};
	const int seconds[] = {0, 10, 20, 200, 300};
	/* A session keeps a sequence that was seen: the reference looks for the first. */
	const char *const found[] = {"", "", "COUNT SEQ ", "SEQ ", "SEQ "};

	ok(set_up(&k, rules, DETECT_STRICT, false), "%s", k.said);
	for (int i = 0; i < 5; i++) {
		snprintf(text, sizeof(text),
			 "{\"type\":\"llm_input\",\"content\":\"%s\",\"sessionId\":\"s\","
			 "\"timestamp\":%d}",
			 words[i], 1000 * seconds[i]);
		IS(scan_json(&k, text), found[i], "windows use the events' own time");
	}
	IS(scan_json(&k, "{\"type\":\"llm_input\",\"content\":\"one two\"}"), "SEQ ",
	   "two steps in one event need no session");
	tear_down(&k);
}

static void trace(void)
{
	static const char *const rules[] = {
		HEAD("T", "high", "agent_trace") "detection:\n  method: trace\n  condition: any\n"
						 "  conditions: []\n  trace: {forbid: [{shape: "
						 "{attributes: {a: {regex: '${span.attributes.b}'}}"
						 "}}]}\n",
		NULL};
	struct kit k;

	ok(set_up(&k, rules, DETECT_STRICT, false), "%s", k.said);
	IS(scan_json(&k, "{\"type\":\"llm_input\",\"trace\":{\"spans\":[{\"attributes\":{\"a\":"
			 "\"x\",\"b\":\"(x+)+\"}}]}}"),
	   "T? ", "an expression from the event is not compiled");
	IS(scan_json(&k, "{\"type\":\"llm_input\",\"trace\":{\"spans\":[]}}"), "", "no span");
	tear_down(&k);
}

#define FORBIDS(id, regexes)                                                                       \
	HEAD(id, "high", "agent_trace")                                                            \
	"detection:\n  method: trace\n  condition: any\n  conditions: []\n  trace: {forbid: ["     \
	"{shape: {attributes: {" regexes "}}}]}\n"

/* The expressions of one rule's block follow directly on those of another's. */
static void traces(void)
{
	static const char *const rules[] = {FORBIDS("A", "a: {regex: '^one'}, b: {regex: '^two'}"),
					    FORBIDS("B", "a: {regex: '^three'}"),
					    FORBIDS("C", "a: {regex: '^four'}"), NULL};
	struct kit k;

	ok(set_up(&k, rules, DETECT_STRICT, false), "%s", k.said);
	IS(scan_json(&k, "{\"type\":\"llm_input\",\"trace\":{\"spans\":[{\"attributes\":{\"a\":"
			 "\"one\",\"b\":\"two\"}}]}}"),
	   "A ", "both expressions of the first block");
	IS(scan_json(&k, "{\"type\":\"llm_input\",\"trace\":{\"spans\":[{\"attributes\":{\"a\":"
			 "\"three\",\"b\":\"two\"}},{\"attributes\":{\"a\":\"four\"}}]}}"),
	   "B C ", "and those of the next ones");
	tear_down(&k);
}

/* The numbers of conditions that hold in the only finding. */
static void has_numbers(struct kit *k, const char *event, uint32_t a, uint32_t b, const char *what)
{
	const struct finding *f = k->found.list;
	size_t offset;

	scan_json(k, event);
	ok(k->found.count == 1 && (f = k->found.list)->matchedc == 2 && f->matched[0] == a &&
		   f->matched[1] == b &&
		   locate(k, f->rule, 1, (struct text){"xyz", 3}, &offset) < 0,
	   "%s", what);
}

static void numbers(void)
{
	static const char *const rules[] = {
		HEAD("S", "high", "llm_io") ANY MATCH("content", "x") MATCH("content", "y")
			MATCH("content", "z") "  method: signature\n  signature: {indicators: "
					      "[{target_field: a, value: '1'}, "
					      "{target_field: b, value: '2'}, "
					      "{target_field: c, value: '3'}]}\n",
		HEAD("T", "high", "agent_trace") ANY MATCH("content", "x") MATCH("content", "y")
			MATCH("content", "z") "  method: trace\n  trace: {forbid: "
					      "[{shape: {attributes: {a: 9}}}, "
					      "{shape: {attributes: {a: 1}}}], require: "
					      "[{target_shape: {attributes: {a: 9}}}, "
					      "{target_shape: {attributes: {a: 1}}}]}\n",
		NULL};
	struct kit k;

	ok(set_up(&k, rules, DETECT_STRICT, false), "%s", k.said);
	has_numbers(
		&k,
		"{\"type\":\"llm_input\",\"content\":\"xyz\",\"fields\":{\"b\":\"2\",\"c\":\"3\"}}",
		1, 2, "indicators have their own numbers");
	has_numbers(&k,
		    "{\"type\":\"llm_input\",\"content\":\"xyz\",\"trace\":{\"spans\":[{"
		    "\"attributes\":{\"a\":1}}]}}",
		    1, 3, "so has what a trace forbids and requires");
	tear_down(&k);
}

/* COUNT conditions, each about a field or a measurement of its own. */
static bool fits(bool fields, size_t count)
{
	static const char head[] = HEAD("R%zu", "low", "llm_io") ANY;
	enum { PER_RULE = 200 };
	const char *rules[100] = {NULL};
	struct kit k;
	size_t n = 0;

	for (size_t done = 0; done < count; n++) {
		size_t room = sizeof(head) + PER_RULE * 128, at;
		char *text = malloc(room);
		scratch_must(text && n < ARRAY_SIZE(rules) - 1, "memory");
		at = (size_t)snprintf(text, room, head, n);
		for (size_t i = 0; i < PER_RULE && done < count; i++, done++)
			at += (size_t)snprintf(text + at, room - at,
					       "    - {%s: n%zu, operator: %s: 1}\n",
					       fields ? "field" : "metric", done,
					       fields ? "regex, value: x, more" : "gt, threshold");
		rules[n] = text;
	}
	bool good = set_up(&k, rules, DETECT_STRICT, false);
	printf("# %s\n", k.said);
	tear_down(&k);
	while (n-- > 0)
		free((char *)rules[n]);
	return good;
}

static void maxima(void)
{
	AUTO_FREE char *text = malloc(EVENT_BYTES_MAX + 1);
	struct kit k;

	ok(fits(true, RULESET_FIELDS_MAX), "%d fields", RULESET_FIELDS_MAX);
	ok(!fits(true, RULESET_FIELDS_MAX + 1), "one more field is refused");
	ok(fits(false, RULESET_MARKS_MAX), "%d measurements", RULESET_MARKS_MAX);
	ok(!fits(false, RULESET_MARKS_MAX + 1), "one more measurement is refused");
	scratch_must(text && set_up(&k, zebra, DETECT_REFERENCE, false), "memory");
	memset(text, '.', EVENT_BYTES_MAX + 1);
	IS(scan_text(&k, text, EVENT_BYTES_MAX), "", "the longest event");
	IS(scan_text(&k, text, EVENT_BYTES_MAX + 1), "!", "one more byte");
	tear_down(&k);
}

int main(void)
{
	const char *dir = scratch_enter();

	length();
	layers();
	layers_add_up();
	raw_text();
	undecided();
	late();
	steps_of_layers();
	known_layer();
	views();
	classes();
	errors();
	wrap();
	verdicts();
	verdict_behind();
	unsearched();
	order();
	sessions();
	trace();
	traces();
	numbers();
	maxima();
	scratch_leave(dir);
	return tap_done();
}
