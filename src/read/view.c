/* SPDX-License-Identifier: MIT
 *
 * Runs the reader of code in a box. The box shows of the host only the interpreter and its
 * library, and has little time and memory. Standard input is the reader's parts, then the code. If
 * this machine cannot build the full tier, the reader runs without a cgroup; if that fails too,
 * the code is not read.
 */
#include "read/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/scope.h"
#include "conf/profile.h"
#include "live/boot.h"
#include "live/enclose.h"
#include "read/view_parse.h"

enum { OUTPUT_MAX = 2 * VIEW_TEXT_MAX, PIDS_MAX = 4, DISK_MAX = 1 << 20, STDERR_QUOTED_MAX = 160 };

/* Readers of languages that have no profile. */
static const struct {
	const char *name, *reader;
} languages[] = {
	{"sh", "bash"},		  {"shell", "bash"},	    {"docker", "docker"}, {"make", "make"},
	{"markdown", "markdown"}, {"notebook", "notebook"}, {"calls", "calls"},
};

static const char *find_reader(const char *lang)
{
	const struct profile *p = profile_find(lang);

	if (p)
		return p->reader;
	for (size_t i = 0; i < ARRAY_SIZE(languages); i++)
		if (strcmp(languages[i].name, lang) == 0)
			return languages[i].reader;
	return NULL;
}

static bool has_language(const char *lang)
{
	return find_reader(lang) != NULL;
}

/* The standard input of the reader. */
static char *join_input(const char *code, size_t len, size_t *ret_len)
{
	struct boot_reader reader = boot_reader();
	char *data = malloc(reader.parts_len + len);

	if (!data)
		return NULL;
	memcpy(data, reader.parts, reader.parts_len);
	if (len)
		memcpy(data + reader.parts_len, code, len);
	*ret_len = reader.parts_len + len;
	return data;
}

void view_request(struct request *ret, enum tier tier)
{
	request_init(ret);
	ret->lang = "python";
	ret->isolated = true;
	ret->tier = tier;
	ret->code = boot_reader().program;
	ret->code_len = boot_reader().program_len;
	ret->limit[LIMIT_TIME] = VIEW_WALL_MS;
	ret->limit[LIMIT_CPU_TIME] = VIEW_TIME_MS;
	ret->limit[LIMIT_MEMORY] = VIEW_MEMORY;
	ret->limit[LIMIT_OUTPUT] = OUTPUT_MAX;
	ret->limit[LIMIT_PIDS] = PIDS_MAX;
	ret->limit[LIMIT_DISK] = DISK_MAX;
}

static void run_reader(const char *reader, const char *input, size_t len, enum tier tier,
		       struct result *ret)
{
	static const struct launch_sink quiet = {0};
	const char *const argv[] = {reader};
	struct request req;

	view_request(&req, tier);
	req.input = input;
	req.input_len = len;
	req.argv = argv;
	req.argc = ARRAY_SIZE(argv);
	enclose_own(&req, &quiet, ret);
}

/* Quotes the end of the reader's standard error, on one line, in printable ASCII. */
static void quote_stderr(const struct result *r, struct err *err)
{
	size_t len = 0, gap;
	AUTO_FREE char *all = capture_join(&r->out[1], &len, &gap);

	while (all && len && (all[len - 1] == '\n' || all[len - 1] == ' '))
		len--;
	size_t from = len > STDERR_QUOTED_MAX ? len - STDERR_QUOTED_MAX : 0;
	for (size_t i = from; all && i < len; i++)
		if (all[i] < 32 || all[i] > 126)
			all[i] = ' ';
	if (all && len > from)
		err_cause(err, "its standard error ends with: %.*s", (int)(len - from), all + from);
}

/* Sets the error of a run that gave no answer. */
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
	quote_stderr(r, err);
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
		return err_set(err, ERR_LIMIT, "the code view is too long");
	AUTO_FREE char *data = capture_join(&r->out[0], &len, &gap);
	if (!data)
		return err_memory(err);
	return parse(data, len, ret, err);
}

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

/* Empties a view except the line and tier of its failure. */
static int clear_failed(struct code_view *v)
{
	unsigned line = v->line;
	enum tier tier = v->tier;

	code_view_done(v);
	v->line = line;
	v->tier = tier;
	return -1;
}

static int read_view(const char *lang, const char *code, size_t len, struct code_view *ret,
		     struct err *err)
{
	const char *reader = find_reader(lang);

	*ret = (struct code_view){.text = "", .reason = ""};
	if (!reader)
		return err_set(err, ERR_USAGE, "no code view for the language %.32s", lang);
	if (len > VIEW_CODE_MAX)
		return err_set(err, ERR_LIMIT, "cannot read code larger than %d MB",
			       VIEW_CODE_MAX >> 20);
	if (read_code(reader, code, len, ret, err) == 0)
		return 0;
	return clear_failed(ret);
}

int view_answer(const char *data, size_t len, struct code_view *ret, struct err *err)
{
	*ret = (struct code_view){.text = "", .reason = ""};
	return parse(data, len, ret, err) == 0 ? 0 : clear_failed(ret);
}

const struct code_reader view_reader = {has_language, read_view};
