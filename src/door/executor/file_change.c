/* SPDX-License-Identifier: MIT
 *
 * The methods that change files. Each change is a start in the box, through the sentence: decided and
 * recorded like any other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/pages.h"
#include "base/scope.h"
#include "door/executor/file_call.h"
#include "door/executor/rpc.h"
#include "live/mounts.h"

/* Runs CODE in the box, with INPUT. 0: it succeeded. -1: the call was answered. */
static int change(struct file_call *c, const char *code, const char *input, size_t input_len)
{
	static const struct launch_sink quiet = {0};
	AUTO_KEPT_BOX struct kept_box k = KEPT_BOX_NONE;
	AUTO_PAGES struct request *r = pages_new(sizeof(*r));
	AUTO_PAGES struct result *result = pages_new(sizeof(*result));
	struct err err;

	if (!r || !result || c->arena.failed) {
		desk_error(c->desk, RPC_FAILED, "out of memory");
		return -1;
	}
	int use = box_job_use(c->desk, c->job, &k, &err);
	if (use == 1)
		desk_answer(c->desk, json_pack("{s:b}", "noBox", 1));
	else if (use < 0)
		desk_error(c->desk, RPC_FAILED, "cordon: %.400s", err.message);
	if (use != 0)
		return -1;
	box_job_request(c->desk, c->job, r);
	r->code = code;
	r->code_len = strlen(code);
	r->file = "command";
	r->input = input;
	r->input_len = input_len;
	r->wait = false; /* the next file would wait too */
	flow_run_live(r, &k, &c->desk->session, &quiet, result);
	bool done = result->status == STATUS_EXITED && result->exit_code == 0;
	if (!done && result->status == STATUS_EXITED) {
		size_t len = 0, gap;
		AUTO_FREE char *text = capture_join(&result->out[1], &len, &gap);
		bool is_missing = text && strstr(text, "No such file or directory");
		desk_error(c->desk, is_missing ? RPC_NOT_FOUND : RPC_FAILED, "%.*s",
			   text ? (int)strcspn(text, "\n") : 0, text ? text : "");
	} else if (!done) {
		AUTO_FREE char *words = desk_words(result, r);
		desk_error(c->desk, RPC_INVALID, "%.900s", words ? words : "cordon: not run");
	}
	result_done(result);
	return done ? 0 : -1;
}

static void changed(struct file_call *c, const char *code, const char *input, size_t input_len)
{
	if (change(c, code, input, input_len) == 0)
		file_answer(c, json_object());
}

/* An error if the directory above the path does not exist. */
static int check_parent(struct file_call *c)
{
	AUTO_FREE char *above = strdup(c->path);
	struct stat st;

	if (!above)
		return ENOMEM;
	char *slash = strrchr(above, '/');
	slash[slash == above] = '\0';
	return box_file_stat(c->files, above, true, &st) < 0 ? errno
	       : S_ISDIR(st.st_mode)			     ? 0
							     : ENOTDIR;
}

void file_write(struct file_call *c)
{
	const json_t *text = json_object_get(c->params, "dataBase64");
	size_t len = 0;
	AUTO_FREE char *data = json_is_string(text) ? rpc_bytes(json_string_value(text),
								json_string_length(text), &len)
						    : NULL;
	struct stat st;
	int error;

	if (!data) {
		desk_error(c->desk, json_is_string(text) ? RPC_INVALID : RPC_PARAMS,
			   "fs/writeFile requires valid base64 dataBase64");
		return;
	}
	if (!file_is_direct(c))
		return;
	if (box_file_stat(c->files, c->path, true, &st) == 0)
		error = S_ISDIR(st.st_mode) ? EISDIR : 0;
	else
		error = errno == ENOENT ? check_parent(c) : errno;
	if (error) {
		file_fail(c, error);
		return;
	}
	changed(c,
		arena_printf(&c->arena, "exec dd of=%s bs=64K status=none\n",
			     arena_quote(&c->arena, c->path)),
		data, len);
}

void file_make_directory(struct file_call *c)
{
	bool recursive = file_flag(c, "recursive", true);
	struct stat st;
	int error = 0;

	if (box_file_stat(c->files, c->path, true, &st) == 0) {
		if (recursive && S_ISDIR(st.st_mode))
			file_answer(c, json_object());
		else
			file_fail(c, EEXIST);
		return;
	}
	error = errno;
	if (box_file_stat(c->files, c->path, false, &st) == 0)
		error = EEXIST; /* a link that leads nowhere */
	else if (error == ENOENT && recursive)
		error = 0;
	else if (error == ENOENT)
		error = check_parent(c);
	if (error)
		file_fail(c, error);
	else
		changed(c,
			arena_printf(&c->arena, "exec mkdir %s-- %s\n", recursive ? "-p " : "",
				     arena_quote(&c->arena, c->path)),
			NULL, 0);
}

/* -1 if it has entries. */
static int check_empty(struct file_call *c)
{
	struct box_entry *entry = NULL;
	size_t count = 0;
	bool cut = false;

	if (box_file_list(c->files, c->path, 1, &entry, &count, &cut) < 0)
		return errno;
	box_entries_free(entry, count);
	return count || cut ? ENOTEMPTY : 0;
}

void file_remove(struct file_call *c)
{
	bool recursive = file_flag(c, "recursive", true), force = file_flag(c, "force", true);
	const char *quoted = arena_quote(&c->arena, c->path);
	struct stat st;

	if (box_file_stat(c->files, c->path, false, &st) < 0) {
		if (errno == ENOENT && force)
			file_answer(c, json_object());
		else
			file_fail(c, errno);
		return;
	}
	int error = S_ISDIR(st.st_mode) && !recursive ? check_empty(c) : 0;
	if (error)
		file_fail(c, error);
	else
		changed(c, arena_printf(&c->arena, "exec rm -rf -- %s\n", quoted), NULL, 0);
}

/* Why a copy to the path cannot be made, or 0. */
static int check_target(struct file_call *c, const char *to, bool is_dir)
{
	struct file_call at = {.files = c->files, .path = (char *)to};
	struct stat st;

	if (box_file_stat(c->files, to, true, &st) == 0)
		return is_dir == S_ISDIR(st.st_mode) ? 0 : is_dir ? EEXIST : EISDIR;
	return errno == ENOENT ? check_parent(&at) : errno;
}

void file_copy(struct file_call *c)
{
	AUTO_FREE char *to = file_path(c, "destinationPath");
	struct stat st;

	if (!to) {
		desk_error(c->desk, RPC_PARAMS, "destinationPath: a file: URI is needed");
		return;
	}
	if (box_file_stat(c->files, c->path, true, &st) < 0) {
		file_fail(c, errno);
		return;
	}
	if (S_ISDIR(st.st_mode) && !file_flag(c, "recursive", false)) {
		desk_error(c->desk, RPC_INVALID,
			   "fs/copy requires recursive: true when sourcePath is a directory");
		return;
	}
	if (strcmp(to, c->path) == 0 && !S_ISDIR(st.st_mode)) { /* an error to cp */
		file_answer(c, json_object());
		return;
	}
	/* cp would not follow a link to a directory. */
	AUTO_FREE char *real = S_ISDIR(st.st_mode) ? box_file_real(c->files, to) : NULL;
	if (S_ISDIR(st.st_mode) && path_below(real ? real : to, c->path)) {
		desk_error(c->desk, RPC_INVALID,
			   "fs/copy cannot copy a directory to itself or one of its descendants");
		return;
	}
	int error = check_target(c, to, S_ISDIR(st.st_mode));
	if (error) {
		file_fail(c, error);
		return;
	}
	changed(c,
		arena_printf(&c->arena, "exec cp %s-- %s %s\n",
			     S_ISDIR(st.st_mode) ? "-RT " : "-T ", arena_quote(&c->arena, c->path),
			     arena_quote(&c->arena, real ? real : to)),
		NULL, 0);
}
