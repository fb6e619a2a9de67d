/* SPDX-License-Identifier: MIT
 *
 * cordon box exec, cp and ls: each starts one command in a live box, through the sentence. With a
 * terminal on both sides the program gets a terminal of the box.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pages.h"
#include "base/scope.h"
#include "door/cli/box.h"
#include "door/cli/own_terminal.h"
#include "live/mounts.h"

/* "/a", "b/../c/." to "/a/c". */
static char *clean_path(struct arena *a, const char *dir, const char *path)
{
	char *all = arena_printf(a, "%s/%s", *path == '/' ? "" : dir, path), *to = all;
	size_t len;

	for (const char *at = all; at && *at; at += len) {
		at += strspn(at, "/");
		len = strcspn(at, "/");
		if (len == 2 && strncmp(at, "..", 2) == 0)
			while (to > all && *--to != '/')
				;
		else if (len && !(len == 1 && *at == '.')) {
			*to++ = '/';
			memmove(to, at, len);
			to += len;
		}
	}
	if (all && to == all)
		*to++ = '/';
	if (all)
		*to = '\0';
	return all;
}

/* The caller's directory, if the workspace has it; otherwise the workspace. */
static int choose_directory(struct cli_call *call, const char *here, const char *asked,
			    struct request *r, struct err *err)
{
	char workspace[PATH_MAX];

	if (!realpath(r->workspace, workspace))
		return err_errno(err, ERR_INPUT, "%.200s", r->workspace);
	bool is_below = strcmp(here, workspace) == 0 || path_below(here, workspace);
	if (asked)
		r->cwd = clean_path(&call->arena, is_below ? here : workspace, asked);
	else if (is_below)
		r->cwd = here;
	return (asked && !r->cwd) || call->arena.failed ? err_memory(err) : 0;
}

/* The request of CALL has the code. */
static int start(struct cli_call *call, struct kept_box *k, struct err *err)
{
	AUTO_PAGES struct cli_call *made = pages_new(sizeof(*made));
	const struct box_options *o = (const void *)call->own;
	char here[PATH_MAX];

	if (!made)
		return err_memory(err);
	if (!getcwd(here, sizeof(here)))
		here[0] = '\0';
	made->box = LAUNCH_NONE;
	if (box_use(call, call->argv[1], k, made, err) < 0)
		return -1;
	if (call->flag_values.where[CONFIG_LIMIT + LIMIT_OUTPUT])
		made->passes_all = false;
	if (choose_directory(call, here, o->cwd, &made->request, err) < 0)
		return -1;
	if (!o->no_tty && !call->json && own_terminal_is_wanted(call->request.stdin_file))
		own_terminal_ask(&made->request);
	int status = cli_run(made);
	config_done(&made->config);
	return status;
}

int box_exec(struct cli_call *call, struct kept_box *k, struct err *err)
{
	struct request *r = &call->request;

	if (!r->argc) {
		err_set(err, ERR_USAGE, "no command is given");
		err_cure(err, "cordon box exec %s -- npm test", call->argv[1]);
		return -1;
	}
	const char *program = *r->argv++;
	r->argc--;
	if (cli_command_line(call, program, err) < 0)
		return -1;
	if (!r->stdin_file)
		r->stdin_file = "-";
	return start(call, k, err);
}

/* NAME:PATH, or NULL. Ends the name. */
static const char *split(char *word)
{
	char *colon = strchr(word, ':');

	if (!colon || memchr(word, '/', (size_t)(colon - word)))
		return NULL;
	*colon = '\0';
	return colon + 1;
}

static int use_code(struct cli_call *call, const char *code, struct err *err)
{
	struct request *r = &call->request;

	if (!code)
		return err_memory(err);
	r->lang = "bash";
	r->file = "command";
	r->code = code;
	r->code_len = strlen(code);
	return 0;
}

/* The copy is made beside FILE: a failure leaves FILE as it was. */
static int print_to(const char *file, char **ret_copy, struct arena *a, struct err *err)
{
	*ret_copy = NULL;
	if (strcmp(file, "-") == 0)
		return 0;
	char *copy = arena_printf(a, "%s.cordon-%d", file, (int)getpid());
	AUTO_CLOSE int fd = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		return err_errno(err, ERR_INPUT, "%.200s", file);
	*ret_copy = copy;
	return 0;
}

static int copy_out(struct cli_call *call, const char *to, struct kept_box *k, struct err *err)
{
	char *copy;

	if (print_to(to, &copy, &call->arena, err) < 0)
		return -1;
	int status = start(call, k, err);
	if (!copy)
		return status;
	if (status == 0 && (fflush(stdout) != 0 || rename(copy, to) < 0))
		status = err_errno(err, ERR_INPUT, "%.200s", to);
	if (status != 0)
		unlink(copy);
	return status;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* FROM is a file of the host; PATH is in the box. */
static int copy_in(struct cli_call *call, const char *from, const char *path, struct kept_box *k,
		   struct err *err)
{
	struct arena *a = &call->arena;
	struct stat st = {0};

	if (strcmp(from, "-") != 0 && stat(from, &st) < 0)
		return err_errno(err, ERR_INPUT, "%.200s", from);
	if (S_ISDIR(st.st_mode)) {
		err_set(err, ERR_USAGE, "%.200s is a directory, and cp copies one file", from);
		err_cure(err, "tar c %.100s | cordon box exec %s -- tar x", arena_quote(a, from),
			 call->argv[1]);
		return -1;
	}
	const char *code =
		arena_printf(a, "to=%s\nif [ -d \"$to\" ]; then to=$to/%s; fi\ncat >\"$to\"%s\n",
			     *path ? arena_quote(a, path) : ".", arena_quote(a, base_of(from)),
			     st.st_mode & 0100 ? " && chmod +x \"$to\"" : "");
	call->request.stdin_file = from;
	return use_code(call, code, err) < 0 ? -1 : start(call, k, err);
}

int box_copy(struct cli_call *call, struct kept_box *k, struct err *err)
{
	char *from = call->argv[1], *to = call->argv[2];
	const char *to_box = split(to), *from_box = split(from);
	struct arena *a = &call->arena;
	struct stat st;

	if (!to_box == !from_box) {
		err_set(err, ERR_USAGE,
			"one of the two must be NAME:PATH in a box, and the other a file");
		err_cure(err, "cordon box cp data.csv NAME:data.csv");
		return -1;
	}
	((struct box_options *)(void *)call->own)->no_tty = true;
	call->argv[1] = to_box ? to : from;
	if (to_box)
		return copy_in(call, from, to_box, k, err);
	const char *file = to;
	if (stat(to, &st) == 0 && S_ISDIR(st.st_mode))
		file = arena_printf(a, "%s/%s", to, base_of(from_box));
	if (!file ||
	    use_code(call, arena_printf(a, "exec cat -- %s\n", arena_quote(a, from_box)), err) < 0)
		return file ? -1 : err_memory(err);
	return copy_out(call, file, k, err);
}

int box_list_files(struct cli_call *call, struct kept_box *k, struct err *err)
{
	const char *path = call->argc > 2 ? call->argv[2] : ".";
	struct arena *a = &call->arena;

	((struct box_options *)(void *)call->own)->no_tty = true;
	if (use_code(call, arena_printf(a, "exec ls -la -- %s\n", arena_quote(a, path)), err) < 0)
		return -1;
	return start(call, k, err);
}
