/* SPDX-License-Identifier: MIT
 *
 * Prints the code of a request, what is kept with it, and what is new since the last approved file
 * of that name. Each line stands behind its number. Parts that tie to a source are marked, and
 * their lines begin with >>. A line with escapes has a !, so that a literal "^M" in the code is not
 * mistaken for a return: the code cannot write in that column. A file of the workspace is shown
 * only if it is unchanged since the request.
 */
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "approval/act.h"
#include "approval/summary.h"
#include "approval/tree_hash.h"
#include "base/digest.h"
#include "base/io.h"
#include "base/linediff.h"
#include "base/scope.h"
#include "base/subpath.h"
#include "conf/units.h"
#include "door/cli/approvals.h"
#include "live/encoding.h"
#include "overlay/overlay.h"
#include "show/terminal.h"
#include "trust/id.h"

#define BELOW "         | "
#define MORE "      .. | "
enum { CHANGED_MAX = 128 << 10 };

/* One byte for each byte of the code: 1 if it ties to a source. */
static uint8_t *marks_of(const struct approval *a, size_t len)
{
	const struct approval_evidence *e = a->request.evidence.list;
	uint8_t *mark = calloc(len + 1, 1);

	for (size_t i = 0; mark && i < a->request.evidence.count; i++)
		if (e[i].code_to <= len && e[i].code_from <= e[i].code_to)
			memset(mark + e[i].code_from, 1, e[i].code_to - e[i].code_from);
	return mark;
}

static void show_code_line(const struct terminal_style *how, size_t number, const char *text,
			   size_t len)
{
	bool marked = how->mark && memchr(how->mark, 1, len);

	bool plain = terminal_is_plain(text, len);
	int column = printf("%s%c%5zu | ", marked ? ">>" : "  ", plain ? ' ' : '!', number);
	terminal_line(how, (size_t)column, text, len);
}

static void show_lines(const struct approval *a, const char *data, size_t len, uint8_t *mark)
{
	struct terminal_style how = {.to = stdout,
				     .colour = terminal_has_colour(stdout),
				     .below = BELOW,
				     .more = MORE,
				     .width = terminal_width(stdout)};
	size_t number = 0;

	if (mark && a->request.evidence.count)
		approvals_line("", ">> has parts that tie to a source");
	if (!terminal_is_plain(data, len))
		approvals_line("", "! has something that would not be seen: it is written out");
	for (size_t at = 0; at < len;) {
		const char *end = memchr(data + at, '\n', len - at);
		size_t n = end ? (size_t)(end - data) - at : len - at;
		how.mark = mark ? mark + at : NULL;
		show_code_line(&how, ++number, data + at, n);
		at += n + 1;
	}
	if (len && data[len - 1] != '\n')
		puts(APPROVALS_UNENDED);
}

static void print_lines(const struct approval *a, const char *data, size_t len)
{
	show_lines(a, data, len, NULL);
}

#define MORE "      .. | "
#define GREEN "\033[32m"
#define RED "\033[31m"
#define PLAIN "\033[0m"
enum { FILE_MAX = 1 << 20, LISTED_MAX = 200 };

static const char *const change_names[] = {"new", "changed", "deleted", "mode"};
static const char *const type_names[] = {"nothing", "file", "directory", "link", "other"};

static void put_diff_line(void *context, const struct linediff_line *line)
{
	const bool *colour = context;
	struct terminal_style how = {.to = stdout, .more = MORE, .width = terminal_width(stdout)};

	if (*colour)
		fputs(line->added ? GREEN : RED, stdout);
	int column = printf("%c %c%5zu | ", line->added ? '+' : '-',
			    terminal_is_plain(line->text, line->len) ? ' ' : '!', line->number);
	terminal_line(&how, (size_t)column, line->text, line->len);
	if (line->unended)
		puts(APPROVALS_UNENDED);
	if (*colour)
		fputs(PLAIN, stdout);
}

/* Names in the kept data are "before PATH" and "after PATH". */
static struct approval_code side(const struct approval *a, const struct approval_code *code,
				 const char *which, const char *path)
{
	struct approval_code ret = {.data = ""};
	struct arena arena = {0};
	const char *name = arena_printf(&arena, "%s %s", which, path);

	if (name)
		approval_attachment_find(&a->request, code, name, &ret);
	arena_done(&arena);
	return ret;
}

static void put_sides(const struct approval_change *c)
{
	char before[2 * APPROVAL_SHA256 + 1], after[2 * APPROVAL_SHA256 + 1];

	sodium_bin2hex(before, sizeof(before), c->before_sha256, sizeof(c->before_sha256));
	sodium_bin2hex(after, sizeof(after), c->after_sha256, sizeof(c->after_sha256));
	if (c->before_type)
		approvals_line("", "before: %llu bytes, %s", (unsigned long long)c->before_size,
			       before);
	if (c->after_type)
		approvals_line("", "after: %llu bytes, %s", (unsigned long long)c->after_size,
			       after);
}

static void put_change(const struct approval *a, const struct approval_code *code,
		       const struct approval_change *c)
{
	struct approval_code before = side(a, code, "before", c->path),
			     after = side(a, code, "after", c->path);
	bool colour = terminal_has_colour(stdout);

	approvals_line(change_names[c->change & 3], "%s", c->path);
	bool both = c->before_type && c->after_type;
	if (both && c->before_type != c->after_type)
		approvals_line("", "a %s, was a %s", type_names[c->after_type % 5],
			       type_names[c->before_type % 5]);
	else if (c->before_type + c->after_type != OVERLAY_FILE && !both)
		approvals_line("", "a %s", type_names[(c->before_type + c->after_type) % 5]);
	else if (c->after_type == OVERLAY_LINK)
		approvals_line("", "a link; it leads to what is shown");
	if (both && c->before_mode != c->after_mode)
		approvals_line("", "mode %04llo, was %04llo", (unsigned long long)c->after_mode,
			       (unsigned long long)c->before_mode);
	else if (c->change == 0 && c->after_type == OVERLAY_FILE && c->after_mode & 0111)
		approvals_line("", "a program: mode %04llo", (unsigned long long)c->after_mode);
	if (c->note[0])
		approvals_line("BEWARE", "%s", c->note);
	if (c->shown != APPROVAL_TEXT) {
		approvals_line("not shown", c->shown == APPROVAL_NOT_TEXT ? "it is not text"
									  : "it is too large");
		put_sides(c);
		return;
	}
	if (linediff((struct linediff_text){before.data, before.len},
		     (struct linediff_text){after.data, after.len}, put_diff_line, &colour) < 0)
		approvals_line("", "no memory to show it");
}

/* Prints the files of LIST, one per line. */
static void put_files(const struct approval *a, const struct approval_code *code, const char *list,
		      const char *label)
{
	AUTO_FREE struct tree_file *f = malloc(sizeof(*f));
	struct approval_code kept = {0};
	size_t count = 0;

	if (!f || !approval_attachment_find(&a->request, code, list, &kept))
		return;
	const char *at = kept.data, *end = at + kept.len;
	while (tree_list_next(&at, end, f))
		if (count++ < LISTED_MAX)
			approvals_line(count == 1 ? label : "", "%.16s %8llu %s", f->sha256,
				       (unsigned long long)f->bytes, f->name);
	if (count > LISTED_MAX)
		approvals_line("", "and %zu more; --json has all of them", count - LISTED_MAX);
	if (count)
		approvals_line("", "cordon approvals show %s --file PATH shows one", a->id);
}

static void print_contents(const struct approval *a, const struct approval_code *code)
{
	const struct approval_change *c = a->request.changes.list;
	struct approval_code input = {0};

	for (size_t i = 0; i < a->request.changes.count; i++)
		put_change(a, code, &c[i]);
	if (approval_attachment_find(&a->request, code, "stdin", &input) && input.len) {
		approvals_line("stdin", "%zu bytes, exactly what it would read", input.len);
		print_lines(a, input.data, input.len);
	}
	put_files(a, code, "files", "files");
	put_files(a, code, "pending files", "pending");
}

/* Opens the conversation's pending changes of the workspace; -1 if there are none. */
static int open_pending(struct approvals *v, const struct approval *a, int workspace,
			struct err *err)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;
	struct id id;

	if (!id_parse(a->request.conversation, strlen(a->request.conversation), &id))
		return err_set(err, ERR_INPUT, "its conversation is not known");
	if (overlay_open(&o, v->state.dir, id.byte, workspace, err) < 0)
		return -1;
	int tree = overlay_open_tree(&o);
	return tree < 0 ? err_errno(err, ERR_INPUT, "the conversation's pending changes") : tree;
}

static int show_file(const struct approval *a, int dir, const struct tree_file *f, struct err *err)
{
	AUTO_CLOSE int fd = subpath_open(dir, f->name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
	AUTO_FREE char *data = malloc(FILE_MAX + 1);
	uint8_t sha256[DIGEST_BYTES];
	char hex[2 * DIGEST_BYTES + 1];
	struct err why;

	if (!data)
		return err_memory(err);
	ssize_t n = fd < 0 ? -1 : io_read_full(fd, data, FILE_MAX + 1);
	if (n < 0)
		return err_errno(err, ERR_INPUT, "%.300s", f->name);
	if (n > FILE_MAX)
		return err_set(err, ERR_LIMIT, "%.300s has more than %d bytes", f->name, FILE_MAX);
	digest_of(sha256, data, (size_t)n);
	sodium_bin2hex(hex, sizeof(hex), sha256, sizeof(sha256));
	if (strcmp(hex, f->sha256) != 0) {
		err_set(err, ERR_CONFLICT, "%.300s is not the file that the request is about",
			f->name);
		err_cause(err, "the file has changed since the request was made");
		return -1;
	}
	approvals_line("file", "%zd bytes, %s", n, f->name);
	/* Only the first file that runs is refused in another encoding. */
	if (encoding_check(profile_find("python"), f->name, data, (size_t)n, &why) < 0)
		approvals_line("BEWARE", "an interpreter may read other text than this: %s",
			       why.message);
	print_lines(a, data, (size_t)n);
	return 0;
}

/* The requester may have named it from another directory. */
static const char *workspace_of(const struct approval_request *r)
{
	static const char what[] = "workspace ";
	const struct approval_input *in = r->inputs.list;

	for (size_t i = 0; i < r->inputs.count; i++)
		if (strncmp(in[i].name, what, sizeof(what) - 1) == 0)
			return in[i].name + sizeof(what) - 1;
	return r->workspace;
}

int approvals_file(struct approvals *v, const struct approval *a, const struct approval_code *code,
		   const char *path, struct err *err)
{
	AUTO_FREE struct tree_file *f = malloc(sizeof(*f));
	struct approval_code files = {.data = ""}, pending = {.data = ""};

	if (!f)
		return err_memory(err);
	approval_attachment_find(&a->request, code, "files", &files);
	approval_attachment_find(&a->request, code, "pending files", &pending);
	bool is_pending = tree_list_find(pending.data, pending.len, path, f);
	if (!is_pending && !tree_list_find(files.data, files.len, path, f)) {
		err_set(err, ERR_USAGE, "%s names no file %.200s", a->id, path);
		err_cure(err, "cordon approvals show %s lists them", a->id);
		return -1;
	}
	const char *at = workspace_of(&a->request);
	AUTO_CLOSE int workspace = open(at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (workspace < 0)
		return err_errno(err, ERR_INPUT, "%.200s", at);
	AUTO_CLOSE int tree = is_pending ? open_pending(v, a, workspace, err) : -1;
	if (is_pending && tree < 0)
		return -1;
	return show_file(a, is_pending ? tree : workspace, f, err);
}

void approvals_code(const struct approval *a, const struct approval_code *all, uint64_t now)
{
	struct approval_code code = approval_code_alone(&a->request, all);
	AUTO_FREE uint8_t *mark = marks_of(a, code.len);

	if (!approval_is_changes(&a->request)) {
		printf("  code        %zu bytes, exactly what would %s\n", code.len,
		       strcmp(a->request.lang, APPROVAL_ACT) == 0 ? "happen" : "run");
		show_lines(a, code.data, code.len, mark);
	}
	print_contents(a, all);
	approvals_details(a, now);
}

static void show_diff_line(void *context, const struct linediff_line *line)
{
	struct terminal_style how = {.to = stdout, .more = MORE, .width = terminal_width(stdout)};

	(*(size_t *)context)++;
	int column = printf("%c %c%5zu | ", line->added ? '+' : '-',
			    terminal_is_plain(line->text, line->len) ? ' ' : '!', line->number);
	terminal_line(&how, (size_t)column, line->text, line->len);
	if (line->unended)
		puts(APPROVALS_UNENDED);
}

static int show_diff(const struct approval *last, const struct approval *now,
		     const struct approval_code *from, const struct approval_code *to,
		     struct err *err)
{
	size_t lines = 0;

	approvals_line("what is new",
		       "against %s, the last approved of that name in that conversation", last->id);
	int r = linediff((struct linediff_text){from->data, last->request.code_len},
			 (struct linediff_text){to->data, now->request.code_len}, show_diff_line,
			 &lines);
	if (r < 0)
		return err_memory(err);
	if (!lines)
		approvals_line("", "the code is the same%s",
			       last->request.code_len == now->request.code_len
				       ? ""
				       : " but for the newline at its end");
	if (r == 1)
		approvals_line("", "they are too different to be compared line by line");
	AUTO_BUF struct buf words = {.most = CHANGED_MAX};
	if (approval_changed(&last->request, from, &now->request, to, &words))
		approvals_line("", "what changed: %.*s", (int)words.len, (const char *)words.data);
	return 0;
}

int approvals_diff(struct approvals *v, const struct approval *a, const struct approval_code *code,
		   struct err *err)
{
	AUTO_APPROVAL struct approval last = {0};
	struct approval_code before = {0};

	if (approval_is_changes(&a->request)) /* changes are already a diff against the directory */
		return 0;
	int found = approval_load_last(v->store, a, &last, err);
	if (found < 0)
		return -1;
	if (!found) {
		approvals_line("what is new",
			       "all: nothing of that name was approved in that conversation, or "
			       "it is not kept");
		return 0;
	}
	if (approval_load_code(v->store, &last, &before, err) < 0)
		return -1;
	int r = show_diff(&last, a, &before, code, err);
	free((void *)before.data);
	return r;
}
