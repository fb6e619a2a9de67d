/* SPDX-License-Identifier: MIT
 *
 * Runs the reader of code in the box: as any other run, with nothing of the host's
 * but the interpreter and its library, little time and little memory, the code after the
 * reader's parts as standard input. Where the full tier is not to be had it runs without a cgroup;
 * where that is not either, code is not read at all.
 */
#include "flow/view.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/self.h"
#include "flow/enclose_private.h"
#include "flow/view_parse.h"
#include "view_program.h"

enum { OUTPUT_MAX = 2 * VIEW_TEXT_MAX, PIDS_MAX = 4, DISK_MAX = 1 << 20, SAID_MAX = 160 };

/* What an interpreter of the box finds on its descriptor, one after the other. */
struct part {
	const char *bytes;
	size_t len, at;
};
#define PART(array)                                                                                \
	{                                                                                          \
		array, sizeof(array) - 1, 0                                                        \
	}

/* What a language is called, and what reads it. */
static const struct {
	const char *name, *reader;
} languages[] = {
	{"python", "python"},	  {"bash", "bash"},	    {"sh", "bash"},
	{"shell", "bash"},	  {"docker", "docker"},	    {"make", "make"},
	{"markdown", "markdown"}, {"notebook", "notebook"}, {"calls", "calls"},
};

static const char *find_reader(const char *lang)
{
	for (size_t i = 0; i < ARRAY_SIZE(languages); i++)
		if (strcmp(languages[i].name, lang) == 0)
			return languages[i].reader;
	return NULL;
}

bool view_has_language(const char *lang)
{
	return find_reader(lang) != NULL;
}

void view_done(struct code_view *v)
{
	arena_done(&v->arena);
	*v = (struct code_view){.text = "", .reason = ""};
}

/* The reader's parts and the code after them: what the program finds as its standard input. */
static char *join_input(const char *code, size_t len, size_t *ret_len)
{
	size_t parts = sizeof(view_parts) - 1;
	char *data = malloc(parts + len);

	if (!data)
		return NULL;
	memcpy(data, view_parts, parts);
	if (len)
		memcpy(data + parts, code, len);
	*ret_len = parts + len;
	return data;
}

static void run_reader(const char *reader, const char *input, size_t len, enum tier tier,
		       struct result *ret)
{
	static const struct launch_sink quiet = {0};
	const char *const argv[] = {reader};
	struct request req;

	request_init(&req);
	req.lang = "python";
	req.isolated = true;
	req.tier = tier;
	req.code = view_start;
	req.code_len = sizeof(view_start) - 1;
	req.input = input;
	req.input_len = len;
	req.argv = argv;
	req.argc = ARRAY_SIZE(argv);
	req.limit[LIMIT_TIME] = VIEW_WALL_MS;
	req.limit[LIMIT_CPU_TIME] = VIEW_TIME_MS;
	req.limit[LIMIT_MEMORY] = VIEW_MEMORY;
	req.limit[LIMIT_OUTPUT] = OUTPUT_MAX;
	req.limit[LIMIT_PIDS] = PIDS_MAX;
	req.limit[LIMIT_DISK] = DISK_MAX;
	enclose_own(&req, &quiet, ret);
}

/* The last of what the reader said on standard error, on one line and printable. */
static void quote_said(const struct result *r, struct err *err)
{
	size_t len = 0, gap;
	AUTO_FREE char *all = capture_join(&r->out[1], &len, &gap);

	while (all && len && (all[len - 1] == '\n' || all[len - 1] == ' '))
		len--;
	size_t from = len > SAID_MAX ? len - SAID_MAX : 0;
	for (size_t i = from; all && i < len; i++)
		if (all[i] < 32 || all[i] > 126)
			all[i] = ' ';
	if (all && len > from)
		err_cause(err, "it said: %.*s", (int)(len - from), all + from);
}

/* How a run that is no answer ended, in words. */
static int explain(const struct result *r, struct err *err)
{
	if (r->err.code) {
		*err = r->err;
		err_context(err, "the code could not be read");
		return -1;
	}
	if (r->status == STATUS_TIMED_OUT)
		return err_set(err, ERR_LIMIT, "reading the code took longer than %d ms",
			       VIEW_WALL_MS);
	if (r->status == STATUS_LIMIT)
		return err_set(err, ERR_LIMIT, "reading the code reached the limit of %s",
			       limit_row((enum limit_id)r->wire.limit)->name);
	err_set(err, ERR_LIMIT, "the reader of the code ended with %s %d",
		r->status == STATUS_SIGNALED ? "signal" : "status",
		r->status == STATUS_SIGNALED ? r->signal : r->exit_code);
	quote_said(r, err);
	return -1;
}

static int parse(const char *data, size_t len, struct code_view *ret, struct err *err)
{
	if (view_parse(data, len, ret, err) < 0)
		return -1;
	if (ret->state != CODE_VIEW_NONE)
		return 0;
	enum err_code code = ret->limited ? ERR_LIMIT : ERR_INPUT;
	if (ret->line)
		return err_set(err, code, "line %u: %s", ret->line, ret->reason);
	return err_set(err, code, "%s", ret->reason);
}

static int take_answer(const struct result *r, struct code_view *ret, struct err *err)
{
	size_t len = 0, gap;

	if (r->status != STATUS_EXITED || r->exit_code != 0)
		return explain(r, err);
	if (capture_omitted(&r->out[0]))
		return err_set(err, ERR_LIMIT, "what was read of the code is too long");
	AUTO_FREE char *data = capture_join(&r->out[0], &len, &gap);
	if (!data)
		return err_memory(err);
	return parse(data, len, ret, err);
}

/* In the best box that there is here. */
static int read_code(const char *reader, const char *code, size_t len, struct code_view *ret,
		     struct err *err)
{
	AUTO_FREE struct result *r = calloc(1, sizeof(*r));
	AUTO_FREE char *input = join_input(code, len, &len);

	if (!r || !input)
		return err_memory(err);
	ret->tier = TIER_FULL;
	run_reader(reader, input, len, TIER_FULL, r);
	if (r->err.code == ERR_LAYER) {
		result_done(r);
		ret->tier = TIER_NO_CGROUP;
		run_reader(reader, input, len, TIER_NO_CGROUP, r);
	}
	int done = take_answer(r, ret, err);
	result_done(r);
	return done;
}

/* Empty but for where and in which tier it failed. */
static int lose(struct code_view *v)
{
	unsigned line = v->line;
	enum tier tier = v->tier;

	view_done(v);
	v->line = line;
	v->tier = tier;
	return -1;
}

int view_make(const char *lang, const char *code, size_t len, struct code_view *ret,
	      struct err *err)
{
	const char *reader = find_reader(lang);

	*ret = (struct code_view){.text = "", .reason = ""};
	if (!reader)
		return err_set(err, ERR_USAGE, "there is no code view of %.32s", lang);
	if (len > VIEW_CODE_MAX)
		return err_set(err, ERR_LIMIT, "code larger than %d MB is not read",
			       VIEW_CODE_MAX >> 20);
	if (read_code(reader, code, len, ret, err) == 0)
		return 0;
	return lose(ret);
}

int view_answer(const char *data, size_t len, struct code_view *ret, struct err *err)
{
	*ret = (struct code_view){.text = "", .reason = ""};
	return parse(data, len, ret, err) == 0 ? 0 : lose(ret);
}

/* A program that Python finds in its way, by two names: its code, for the one Python that can take it
 * as it is and looks for that first, and a source, which any other takes a millisecond to compile. If
 * that fails this interpreter ends: Python itself would go on without a sitecustomize. */
struct boot_program {
	const char *source_name, *code_name;
	const char *code;
	size_t code_len;
	struct part source;
};

_Static_assert(sizeof(view_encodings_code) + PATH_MAX < SPEC_FILE_MAX &&
		       sizeof(view_sitecustomize_code) + PATH_MAX < SPEC_FILE_MAX,
	       "a box cannot have it");

static void add_file(struct view_boot *boot, struct arena *arena, const char *name,
		     const char *bytes, size_t len)
{
	const char *path = arena_printf(arena, "%s/%s", boot->dir, name);

	boot->file[boot->files++] = (struct spec_file){path, bytes, false, len};
}

static void add_program(struct view_boot *boot, struct arena *arena, const struct boot_program *p)
{
	const char *source =
		arena_printf(arena,
			     "import posix\n"
			     "try:\n"
			     "    made = compile(posix.pread(8, %zu, %zu), 'boot', 'exec')\n"
			     "except BaseException:\n"
			     "    posix._exit(125)\n"
			     "exec(made)\n"
			     "del made\n",
			     p->source.len, p->source.at);

	add_file(boot, arena, p->source_name, source, strlen(source));
	if (p->code_len)
		add_file(boot, arena, p->code_name, p->code, p->code_len);
}

/* What is in our own file for it. */
enum { AT_START, AT_START_CODE, AT_PARTS, AT_ENCODINGS, AT_SITECUSTOMIZE, AT_TELEMETRY, AT_COUNT };

static int find_parts(struct part part[AT_COUNT], struct err *err)
{
	static const struct part all[AT_COUNT] = {
		[AT_START] = PART(view_start),
		[AT_START_CODE] = PART(view_start_code),
		[AT_PARTS] = PART(view_parts),
		[AT_ENCODINGS] = PART(view_encodings),
		[AT_SITECUSTOMIZE] = PART(view_sitecustomize),
		[AT_TELEMETRY] = PART(view_telemetry),
	};

	memcpy(part, all, sizeof(all));
	for (size_t i = 0; i < AT_COUNT; i++)
		if (self_offset(part[i].bytes, part[i].len, &part[i].at) < 0) {
			err_set(err, ERR_SYSTEM, "the reader of code is not in our own file");
			err_cause(err, "what is mapped is not the file that was started");
			err_cure(err, "install cordon anew, or run it without --telemetry");
			return -1;
		}
	return 0;
}

/* A name and its value in a line each; modules last, because anybody's text may be in it. */
static void add_values(struct view_boot *boot, struct arena *arena, const struct part *part)
{
	const struct part *start = &part[AT_START], *code = &part[AT_START_CODE];
	const struct part *telemetry = &part[AT_TELEMETRY];
	const char *values = arena_printf(
		arena,
		"code %s\nkey %s\nparts %zu\nstart %zu %zu\nstart_code %zu %zu\n"
		"waits %d\ntelemetry %zu %zu\n\n%s",
		boot->code, view_key, part[AT_PARTS].at, start->len, start->at, code->len, code->at,
		boot->waits, boot->telemetry ? telemetry->len : 0, telemetry->at, boot->modules);

	add_file(boot, arena, "values", values, strlen(values));
}

int view_boot(struct view_boot *boot, struct arena *arena, struct err *err)
{
	struct part part[AT_COUNT];
	AUTO_CLOSE int fd = self_open();

	if (fd < 0)
		return err_errno(err, ERR_SYSTEM,
				 "opening our own file, where the reader of code is");
	if (find_parts(part, err) < 0)
		return -1;
	const struct boot_program encodings = {
		"encodings/__init__.py", "encodings/__pycache__/__init__." VIEW_TAG ".pyc",
		view_encodings_code, sizeof(view_encodings_code) - 1, part[AT_ENCODINGS]};
	const struct boot_program sitecustomize = {
		"sitecustomize.py", "__pycache__/sitecustomize." VIEW_TAG ".pyc",
		view_sitecustomize_code, sizeof(view_sitecustomize_code) - 1,
		part[AT_SITECUSTOMIZE]};
	add_values(boot, arena, part);
	if (boot->waits)
		add_program(boot, arena, &encodings);
	add_program(boot, arena, &sitecustomize);
	boot->parts = scope_take_fd(&fd);
	return 0;
}
