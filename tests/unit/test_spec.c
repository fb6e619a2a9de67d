/* SPDX-License-Identifier: MIT
 *
 * The spec's encoder and decoder. The record numbers stand here a second time: they are the wire.
 */
#include "model/spec.h"

#include <stdlib.h>

#include "base/scope.h"
#include "tap.h"

enum tag {
	HEAD = 1,
	LIMITS,
	SHA256,
	TARGET,
	WORKSPACE,
	PRIVATE,
	CWD,
	PROGRAM,
	ARG,
	ENV,
	BIND,
	FILE_,
	EXEC,
	IDENTITY,
	MASK,
	SAVED,
	TAGS_END,
};

struct bytes {
	uint8_t *data;
	size_t len, size;
};

static void add(struct bytes *b, const void *data, size_t len)
{
	if (b->len + len + 1 > b->size) {
		b->size = 2 * (b->len + len + 1);
		b->data = realloc(b->data, b->size);
	}
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
}

static void add_record(struct bytes *b, unsigned tag, unsigned flags, const void *data, size_t len)
{
	struct {
		uint16_t tag, flags;
		uint32_t len;
	} r = {(uint16_t)tag, (uint16_t)flags, (uint32_t)len};

	add(b, &r, sizeof(r));
	add(b, data, len);
}

struct head {
	uint32_t job, tier, flags, payload, workspace, reserved;
};

/* The smallest spec that is taken, without the record SKIP. */
static struct bytes minimal(unsigned skip, const struct head *head)
{
	static const struct head plain;
	uint32_t magic = SPEC_MAGIC;
	uint64_t limit[LIMIT_COUNT];
	struct bytes b = {0};

	for (int i = 0; i < LIMIT_COUNT; i++)
		limit[i] = limit_row((enum limit_id)i)->fallback;
	add(&b, &magic, sizeof(magic));
	if (skip != HEAD)
		add_record(&b, HEAD, 0, head ? head : &plain, sizeof(plain));
	if (skip != LIMITS)
		add_record(&b, LIMITS, 0, limit, sizeof(limit));
	if (skip != CWD)
		add_record(&b, CWD, 0, "/tmp", 5);
	if (skip != PROGRAM)
		add_record(&b, PROGRAM, 0, "/bin/true", 10);
	if (skip != ARG)
		add_record(&b, ARG, 0, "true", 5);
	return b;
}

/* Frees B. What is refused must be refused as bad input. */
static bool decodes(struct bytes b, struct err *err)
{
	static struct spec spec;
	bool taken;

	memset(&spec, 0, sizeof(spec));
	taken = spec_decode(b.data, b.len, &spec, err) == 0;
	free(b.data);
	if (!taken && err->code != ERR_INPUT)
		printf("# refused, but badly: %u %s\n", err->code, err->message);
	return taken;
}

static bool refused(struct bytes b, const char *words)
{
	struct err err = {0};
	bool taken = decodes(b, &err), said = strstr(err.message, words) != NULL;

	if (!taken && !said)
		printf("# it says: %s\n", err.message);
	return !taken && said && err.code == ERR_INPUT;
}

static void test_minimal(void)
{
	struct err err = {0};
	static const struct {
		unsigned tag;
		const char *name;
	} needed[] = {{HEAD, "head"},
		      {LIMITS, "limits"},
		      {CWD, "cwd"},
		      {PROGRAM, "program"},
		      {ARG, "arg"}};

	ok(decodes(minimal(0, NULL), &err), "the smallest spec is taken");
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		ok(refused(minimal(needed[i].tag, NULL), needed[i].name), "without %s it is not",
		   needed[i].name);
	ok(refused((struct bytes){0}, "not a spec"), "nothing is not a spec");
	uint32_t other = SPEC_MAGIC + 1;
	struct bytes b = minimal(0, NULL);
	memcpy(b.data, &other, sizeof(other));
	ok(refused(b, "another version"), "another version is refused");
}

struct limit_case {
	unsigned tag;
	const char *name;
	size_t max_len;
	unsigned max;
};

static const struct limit_case limits[] = {
	{HEAD, "head", 24, 1},
	{LIMITS, "limits", LIMIT_COUNT * 8, 1},
	{SHA256, "sha256", 32, 1},
	{TARGET, "payload", 4096, 1},
	{WORKSPACE, "workspace", 4096, 1},
	{PRIVATE, "private", 4096, 1},
	{CWD, "cwd", 4096, 1},
	{PROGRAM, "program", 4096, 1},
	{ARG, "arg", SPEC_STRING_MAX, SPEC_ARGS_MAX},
	{ENV, "env", SPEC_STRING_MAX, SPEC_ENV_MAX},
	{BIND, "bind", 8194, SPEC_BINDS_MAX},
	{FILE_, "file", SPEC_FILE_MAX, SPEC_FILES_MAX},
	{EXEC, "exec", 4096, SPEC_PROGRAMS_MAX},
	{IDENTITY, "identity", 24, SPEC_BINDS_MAX},
	{MASK, "mask", 32 + 4096, SPEC_MASKS_MAX},
	{SAVED, "saved", 4096, 1},
};

/* A value this record takes; its length. */
static size_t good_value(unsigned tag, char *buf)
{
	memset(buf, 0, 256);
	if (tag == SHA256)
		return 32;
	if (tag == ENV)
		return (size_t)sprintf(buf, "A=b") + 1;
	if (tag == BIND || tag == FILE_) {
		memcpy(buf, "/a\0/b", 6);
		return 6;
	}
	return (size_t)sprintf(buf, "/a") + 1;
}

static void test_counts(const struct limit_case *c)
{
	char value[256];
	size_t len = good_value(c->tag, value);
	struct err err = {0};
	struct bytes full = minimal(c->tag, NULL), over = minimal(c->tag, NULL);

	for (unsigned i = 0; i < c->max; i++) {
		add_record(&full, c->tag, 0, value, len);
		add_record(&over, c->tag, 0, value, len);
	}
	add_record(&over, c->tag, 0, value, len);
	/* A private directory goes with its tier only; the count is what is looked at here. */
	if (c->tag == PRIVATE)
		free(full.data);
	else
		ok(decodes(full, &err), "%u times %s are taken", c->max, c->name);
	ok(refused(over, c->name), "%u times %s are not", c->max + 1, c->name);
}

static void test_twice(unsigned tag, const char *name)
{
	struct bytes b = minimal(0, NULL);
	uint8_t zeros[LIMIT_COUNT * 8] = {0};

	add_record(&b, tag, 0, zeros, tag == HEAD ? 24 : sizeof(zeros));
	ok(refused(b, name), "%s comes once", name);
}

/* A string record at its longest and one byte longer. */
static void test_lengths(const struct limit_case *c)
{
	char *value = malloc(c->max_len + 2);
	struct err err = {0};
	struct bytes b = minimal(c->tag, NULL);

	memset(value, 'x', c->max_len + 2);
	memcpy(value, c->tag == ENV ? "A=" : "/x", 2);
	if (c->tag == BIND || c->tag == FILE_)
		memcpy(value, "/a\0/", 4);
	value[c->max_len - 1] = '\0';
	add_record(&b, c->tag, 0, value, c->max_len);
	if (c->tag != PRIVATE)
		ok(decodes(b, &err), "%s may have %zu bytes", c->name, c->max_len);
	else
		free(b.data);
	value[c->max_len - 1] = 'x';
	value[c->max_len] = '\0';
	b = minimal(c->tag, NULL);
	add_record(&b, c->tag, 0, value, c->max_len + 1);
	ok(refused(b, c->name), "%s may not have %zu", c->name, c->max_len + 1);
	free(value);
}

static void test_each_record(void)
{
	test_twice(HEAD, "head");
	test_twice(LIMITS, "limits");
	for (size_t i = 2; i < IDENTITY - 1; i++) {
		test_counts(&limits[i]);
		if (limits[i].tag != SHA256)
			test_lengths(&limits[i]);
	}
	for (unsigned tag = HEAD; tag < TAGS_END; tag++) {
		struct bytes b = minimal(tag, NULL);
		add_record(&b, tag, 0, NULL, 0);
		ok(refused(b, limits[tag - 1].name), "an empty %s record is refused",
		   limits[tag - 1].name);
	}
}

struct value_case {
	unsigned tag, flags;
	const char *what, *value;
	size_t len;
};

#define VALUE(tag, flags, what, text)                                                              \
	{                                                                                          \
		tag, flags, what, text, sizeof(text)                                               \
	}
#define BARE(tag, what, text)                                                                      \
	{                                                                                          \
		tag, 0, what, text, sizeof(text) - 1                                               \
	}

static const struct value_case bad_values[] = {
	VALUE(CWD, 0, "a relative path", "tmp"),
	VALUE(CWD, 0, "an empty path", ""),
	VALUE(CWD, 0, "..", "/tmp/.."),
	VALUE(CWD, 0, ".. inside", "/tmp/../etc"),
	VALUE(CWD, 0, ".", "/./tmp"),
	VALUE(CWD, 0, "an empty part", "/tmp//a"),
	VALUE(CWD, 0, "a slash at the end", "/tmp/"),
	VALUE(CWD, 0, "a newline", "/tmp/a\nb"),
	VALUE(CWD, 0, "an escape", "/tmp/\033[m"),
	VALUE(CWD, 0, "a delete", "/tmp/\x7f"),
	VALUE(CWD, 0, "two strings", "/tmp\0/a"),
	BARE(CWD, "a string without end", "/tmp"),
	BARE(SHA256, "a short hash", "0123456789"),
	VALUE(PROGRAM, 0, "a relative program", "true"),
	VALUE(TARGET, 0, "a relative target", "main.py"),
	VALUE(WORKSPACE, 0, "a relative workspace", "x/y"),
	VALUE(PRIVATE, 0, "a private directory with ..", "/tmp/../x"),
	VALUE(EXEC, 0, "a relative exec", "bin/ls"),
	BARE(ARG, "an argument without end", "true"),
	VALUE(ARG, 0, "two arguments in one", "a\0b"),
	VALUE(ENV, 0, "a variable without =", "PATH"),
	VALUE(ENV, 0, "a variable without name", "=x"),
	VALUE(ENV, 0, "an empty variable", ""),
	VALUE(BIND, 0, "one path", "/usr"),
	VALUE(BIND, 0, "three paths", "/a\0/b\0/c"),
	VALUE(BIND, 0, "a relative source", "usr\0/usr"),
	VALUE(BIND, 0, "a relative target", "/usr\0usr"),
	VALUE(BIND, 0, "a target with ..", "/usr\0/usr/../etc"),
	VALUE(BIND, 64, "an unknown flag", "/usr\0/usr"),
	VALUE(BIND, 0x8000, "the highest flag", "/usr\0/usr"),
	VALUE(FILE_, 0, "a file without content", "/etc/hosts"),
	VALUE(FILE_, 2, "an unknown flag", "/etc/hosts\0x"),
	VALUE(FILE_, 0, "a relative file", "etc/hosts\0x"),
	VALUE(FILE_, 1, "a link with a NUL", "/bin\0usr\0bin"),
	BARE(FILE_, "a file without end", "/etc/hosts\0x"),
};

/* Which file a bind's source was: once, of the bind before it, and of a file that there can be. */
static void test_identity(void)
{
	static const struct identity_case {
		const char *what;
		unsigned binds, records;
		uint64_t ino;
		size_t len;
		bool taken;
	} cases[] = {
		{"one for a bind", 1, 1, 7, 24, true},	{"one without a bind", 0, 1, 7, 24, false},
		{"two for a bind", 1, 2, 7, 24, false}, {"the file 0", 1, 1, 0, 24, false},
		{"a byte less", 1, 1, 7, 23, false},	{"a byte more", 1, 1, 7, 25, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct identity_case *c = &cases[i];
		uint64_t value[4] = {1, c->ino, 3, 0};
		struct bytes b = minimal(0, NULL);
		struct err err = {0};
		for (unsigned n = 0; n < c->binds; n++)
			add_record(&b, BIND, 0, "/a\0/b", 6);
		for (unsigned n = 0; n < c->records; n++)
			add_record(&b, IDENTITY, 0, value, c->len);
		ok(c->taken ? decodes(b, &err) : refused(b, "identity"), "identity: %s is %s",
		   c->what, c->taken ? "taken" : "refused");
	}
}

/* Which file of the host's, and its path in the box; LEN: of both. */
static void test_mask(void)
{
	static const struct {
		const char *what, *path;
		size_t ino, len, times;
		bool taken;
	} cases[] = {{"as many as may be", "/w/x", 2, 37, SPEC_MASKS_MAX, true},
		     {"one more", "/w/x", 2, 37, SPEC_MASKS_MAX + 1, false},
		     {"one for no file", "/w/x", 0, 37, 1, false},
		     {"a relative path", "w/x", 2, 36, 1, false},
		     {"4096 bytes", "/w/x", 2, 32 + 4096, 1, true},
		     {"4097 bytes", "/w/x", 2, 32 + 4097, 1, false}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value[4 + 4104 / 8] = {1, cases[i].ino, 0, 5};
		struct bytes b = minimal(0, NULL);
		struct err err = {0};
		memset(value + 4, 'x', cases[i].len > 37 ? cases[i].len - 33 : 0);
		memcpy(value + 4, cases[i].path, strlen(cases[i].path));
		for (size_t n = 0; n < cases[i].times; n++)
			add_record(&b, MASK, 0, value, cases[i].len);
		ok(cases[i].taken ? decodes(b, &err) : refused(b, "mask"), "mask: %s, %s",
		   cases[i].what, cases[i].taken ? "taken" : "refused");
	}
}

static void test_values(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad_values); i++) {
		const struct value_case *c = &bad_values[i];
		struct bytes b = minimal(c->tag, NULL);
		add_record(&b, c->tag, c->flags, c->value, c->len);
		ok(refused(b, limits[c->tag - 1].name), "%s: %s is refused",
		   limits[c->tag - 1].name, c->what);
	}
}

static void test_heads(void)
{
	static const struct head bad[] = {
		{JOB_START + 1, 0, 0, 0, 0, 0},	   {0, TIER_COUNT, 0, 0, 0, 0},
		{0, 0, SPEC_FLAGS + 1, 0, 0, 0},   {0, 0, 0, PAYLOAD_PROGRAM + 1, 0, 0},
		{0, 0, 0, 0, WORKSPACE_RW + 1, 0}, {0, 0, 0, 0, 0, 1},
		{UINT32_MAX, 0, 0, 0, 0, 0},	   {0, UINT32_MAX, 0, 0, 0, 0},
	};
	static const struct head workspace = {.workspace = WORKSPACE_RW};
	static const struct head payload = {.payload = PAYLOAD_FILE};
	static const struct head plain = {.tier = TIER_NO_USERNS};
	static const struct head bare_net = {.tier = TIER_NO_USERNS, .flags = SPEC_NET};
	static const struct head live = {.flags = SPEC_LIVE};
	static const struct head probe_net = {.job = JOB_PROBE, .flags = SPEC_NET};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ok(refused(minimal(0, &bad[i]), "head"), "odd head %zu is refused", i);
	ok(refused(minimal(0, &workspace), "workspace"), "a workspace without its path");
	ok(refused(minimal(0, &payload), "payload"), "a payload without target and hash");
	ok(refused(minimal(0, &plain), "private"), "no-userns without a private directory");
	struct bytes b = minimal(0, NULL);
	add_record(&b, PRIVATE, 0, "/tmp/x", 7);
	ok(refused(b, "private"), "a private directory in another tier");
	b = minimal(0, &bare_net);
	add_record(&b, PRIVATE, 0, "/tmp/x", 7);
	ok(refused(b, "network"), "a network without a private one");
	b = minimal(0, &plain);
	add_record(&b, PRIVATE, 0, "/tmp/x", 7);
	add_record(&b, MASK, 0, "0123456789abcdefghijklmn/x", 27);
	ok(refused(b, "mask"), "a mask without mounts");
	ok(refused(minimal(0, &probe_net), "network"), "a network for doctor");
	ok(refused(minimal(0, &live), "live"), "a live box that may execute nothing");
}

static void test_limit_values(void)
{
	for (int i = 0; i < LIMIT_COUNT; i++) {
		const struct limit_row *row = limit_row((enum limit_id)i);
		const struct {
			uint64_t value;
			bool taken;
		} cases[] = {{row->min, true},
			     {row->max, true},
			     {row->max + 1, false},
			     {row->min - 1, row->min == 1 && row->fallback == 0},
			     {UINT64_MAX, false}};
		for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
			struct bytes b = minimal(LIMITS, NULL);
			uint64_t limit[LIMIT_COUNT];
			struct err err = {0};
			for (int j = 0; j < LIMIT_COUNT; j++)
				limit[j] = limit_row((enum limit_id)j)->fallback;
			limit[i] = cases[c].value;
			add_record(&b, LIMITS, 0, limit, sizeof(limit));
			ok(decodes(b, &err) == cases[c].taken, "limit %s of %llu is %s", row->name,
			   (unsigned long long)cases[c].value,
			   cases[c].taken ? "taken" : "refused");
		}
	}
}

static void test_unknown(void)
{
	static const unsigned tags[] = {0, TAGS_END, 255, 256, 0x8001, 0xffff};

	for (size_t i = 0; i < ARRAY_SIZE(tags); i++) {
		struct bytes b = minimal(0, NULL);
		add_record(&b, tags[i], 0, "x", 2);
		ok(refused(b, "unknown record"), "record %u is unknown", tags[i]);
	}
	struct bytes b = minimal(0, NULL);
	add(&b, "", 1);
	ok(refused(b, "half a record"), "a byte too many is refused");
	b = minimal(0, NULL);
	uint32_t huge = UINT32_MAX;
	memcpy(b.data + 8, &huge, sizeof(huge));
	ok(refused(b, "past its end"), "a length beyond the end is refused");
	b = minimal(0, NULL);
	while (b.len <= SPEC_BYTES_MAX)
		add_record(&b, ARG, 0, NULL, 0);
	ok(refused(b, "not a spec"), "more than the maximum of bytes is refused");
}

static void fill(struct spec *s, enum tier tier)
{
	static char long_arg[SPEC_STRING_MAX];

	memset(s, 0, sizeof(*s));
	memset(long_arg, 'y', sizeof(long_arg) - 1);
	s->tier = tier;
	s->flags = SPEC_FLAGS & ~(SPEC_NET | SPEC_LIVE); /* which that tier does not have */
	s->payload = PAYLOAD_FILE;
	s->payload_target = "/cordon/main.py";
	memset(s->payload_sha256, 7, 32);
	s->workspace = WORKSPACE_OVERLAY;
	s->workspace_path = "/home/a b/\xc3\xa4";
	s->private_dir = tier == TIER_NO_USERNS ? "/tmp/cordon-x" : NULL;
	s->mask[0] = (struct spec_mask){"/workspace/.cache", {3, 4, 0}, true, 0};
	s->maskc = !s->private_dir;
	s->cwd = "/workspace";
	s->program = "/usr/bin/python3.11";
	for (int i = 0; i < LIMIT_COUNT; i++)
		s->limit[i] = limit_row((enum limit_id)i)->max;
	s->argv[s->argc++] = "python3";
	s->argv[s->argc++] = "";
	s->argv[s->argc++] = long_arg;
	s->env[s->envc++] = "A=";
	s->env[s->envc++] = "B==\n=";
	s->bind[s->bindc++] = (struct spec_bind){"/usr", "/", BIND_FLAGS & ~BIND_WRITABLE, {0}};
	s->bind[s->bindc++] = (struct spec_bind){"/opt", "/opt", 0, {1, 2, UINT64_MAX}};
	s->file[s->filec++] = (struct spec_file)SPEC_TEXT("/etc/x", "");
	s->file[s->filec++] = (struct spec_file)SPEC_TEXT("/etc/y", "\n\0\xff\0");
	s->file[s->filec++] = (struct spec_file){"/bin", "usr/bin", true, 7};
	s->exec[s->programc++] = "/usr/bin/ls";
}

static bool same_text(const char *a, const char *b)
{
	return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

static bool same(const struct spec *a, const struct spec *b)
{
	bool r = a->job == b->job && a->tier == b->tier && a->flags == b->flags &&
		 a->payload == b->payload && a->workspace == b->workspace && a->argc == b->argc &&
		 a->envc == b->envc && a->bindc == b->bindc && a->filec == b->filec &&
		 a->programc == b->programc && same_text(a->payload_target, b->payload_target) &&
		 same_text(a->workspace_path, b->workspace_path) &&
		 same_text(a->private_dir, b->private_dir) && same_text(a->cwd, b->cwd) &&
		 same_text(a->program, b->program) &&
		 memcmp(a->limit, b->limit, sizeof(a->limit)) == 0 &&
		 memcmp(a->payload_sha256, b->payload_sha256, 32) == 0;
	for (size_t i = 0; r && i <= a->argc; i++)
		r = same_text(a->argv[i], b->argv[i]);
	for (size_t i = 0; r && i <= a->envc; i++)
		r = same_text(a->env[i], b->env[i]);
	for (size_t i = 0; r && i < a->bindc; i++)
		r = same_text(a->bind[i].source, b->bind[i].source) &&
		    same_text(a->bind[i].target, b->bind[i].target) &&
		    a->bind[i].flags == b->bind[i].flags &&
		    memcmp(&a->bind[i].identity, &b->bind[i].identity,
			   sizeof(a->bind[i].identity)) == 0;
	for (size_t i = 0; r && i < a->filec; i++)
		r = same_text(a->file[i].target, b->file[i].target) &&
		    a->file[i].len == b->file[i].len &&
		    memcmp(a->file[i].content, b->file[i].content, a->file[i].len + 1) == 0 &&
		    a->file[i].is_link == b->file[i].is_link;
	for (size_t i = 0; r && i < a->programc; i++)
		r = same_text(a->exec[i], b->exec[i]);
	for (size_t i = 0; r && i < a->maskc; i++)
		r = same_text(a->mask[i].path, b->mask[i].path) &&
		    a->mask[i].frozen == b->mask[i].frozen &&
		    memcmp(&a->mask[i].identity, &b->mask[i].identity,
			   sizeof(a->mask[i].identity)) == 0;
	return r && a->maskc == b->maskc;
}

static void test_roundtrip(enum tier tier)
{
	static struct spec spec, back;
	AUTO_FREE uint8_t *data = NULL;
	size_t len = 0;
	struct err err = {0};
	memset(&back, 0, sizeof(back));
	fill(&spec, tier);
	ok(spec_encode(&spec, &data, &len, &err) == 0 && spec_decode(data, len, &back, &err) == 0 &&
		   same(&spec, &back),
	   "a spec with everything is encoded, and decoded to the same");
}

/* Cut anywhere it is refused, but for cuts between records that leave all that must be there. */
static void test_cuts(void)
{
	static struct spec spec, part;
	AUTO_FREE uint8_t *data = NULL;
	size_t len = 0, taken = 0, odd = 0;
	struct err err = {0};
	fill(&spec, TIER_NO_USERNS);
	spec.argv[2] = "short";
	spec_encode(&spec, &data, &len, &err);
	for (size_t cut = 0; cut < len; cut++) {
		AUTO_FREE uint8_t *copy = malloc(cut + 1);
		memcpy(copy, data, cut);
		memset(&part, 0, sizeof(part));
		if (spec_decode(copy, cut, &part, &err) == 0)
			taken++;
		else
			odd += err.code != ERR_INPUT || !err.message[0];
	}
	/* After each of: 3 arguments, 2 variables, 2 binds and the identity of one, 3 files. */
	ok(len > 300 && taken == 11,
	   "cut at each of its %zu bytes: taken only between list records", len);
	ok(odd == 0, "every refusal has a reason");
}

static void test_encode_bounds(void)
{
	static struct spec spec;
	static char longer[SPEC_STRING_MAX + 1];
	uint8_t *data = NULL;
	size_t len = 0;
	struct err err = {0};

	memset(longer, 'z', sizeof(longer) - 1);
	fill(&spec, TIER_NO_USERNS);
	spec.argv[0] = longer;
	ok(spec_encode(&spec, &data, &len, &err) == -1 && !data,
	   "a too long argument is not encoded");
	fill(&spec, TIER_NO_USERNS);
	for (size_t i = spec.argc; i < 40; i++)
		spec.argv[spec.argc++] = spec.argv[2];
	ok(spec_encode(&spec, &data, &len, &err) == -1 && !data, "nor more than 4 MB of them");
	fill(&spec, TIER_NO_USERNS);
	longer[4096] = '\0';
	longer[0] = '/';
	spec.cwd = longer;
	ok(spec_encode(&spec, &data, &len, &err) == -1 && !data, "nor a path that is too long");
}

int main(void)
{
	test_minimal();
	test_each_record();
	test_values();
	test_identity();
	test_mask();
	test_heads();
	test_limit_values();
	test_unknown();
	test_roundtrip(TIER_NO_USERNS);
	test_roundtrip(TIER_FULL);
	test_cuts();
	test_encode_bounds();
	return tap_done();
}
