/* SPDX-License-Identifier: MIT
 *
 * A live box remembers the command line that created it: a start is decided under the same options, and
 * reset creates the same box again.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "door/cli/box.h"

enum { WORDS_MAX = 4096 };

void box_read_words(struct cli_call *call)
{
	struct box_options *o = (void *)call->own;
	AUTO_CLOSE int words = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	AUTO_FREE char *data = malloc(KEEP_OPTIONS_MAX);
	ssize_t n = data && words >= 0 ? io_read_full(words, data, KEEP_OPTIONS_MAX) : -1;
	char *copy = n > 0 ? arena_alloc(&call->arena, (size_t)n) : NULL;

	if (!copy)
		return;
	memcpy(copy, data, (size_t)n);
	o->words = copy;
	o->words_len = (size_t)n;
}

int box_store_options(const struct box_options *o, int *ret, struct err *err)
{
	AUTO_FREE char *data = malloc(PATH_MAX + o->words_len);

	if (!data)
		return err_memory(err);
	if (!o->words || o->words_len + PATH_MAX > KEEP_OPTIONS_MAX)
		return err_set(err, ERR_LIMIT, "the options of a box have at most %d bytes",
			       KEEP_OPTIONS_MAX - PATH_MAX);
	if (!getcwd(data, PATH_MAX))
		return err_errno(err, ERR_INPUT, "the current directory");
	size_t len = strlen(data) + 1;
	memcpy(data + len, o->words, o->words_len);
	*ret = io_sealed_memfd("cordon-box-options", data, len + o->words_len);
	return *ret < 0 ? err_errno(err, ERR_SYSTEM, "storing the options") : 0;
}

struct stored {
	char *data; /* the directory, then the words */
	int argc;
	char **argv; /* ended by NULL */
};

static void stored_done(struct stored *s)
{
	free(s->data);
	free(s->argv);
}

static int stored_read(const struct kept_box *k, struct stored *s, struct err *err)
{
	int fd = k->fds[KEEP_FD_OPTIONS];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !io_is_sealed(fd) || st.st_size <= 0 ||
	    st.st_size > KEEP_OPTIONS_MAX)
		return err_set(err, ERR_SYSTEM, "the keeper has no options of the box");
	size_t len = (size_t)st.st_size;
	s->data = calloc(1, len + 1);
	s->argv = calloc(WORDS_MAX + 1, sizeof(*s->argv));
	if (!s->data || !s->argv)
		return err_memory(err);
	if (pread(fd, s->data, len, 0) != (ssize_t)len)
		return err_errno(err, ERR_SYSTEM, "reading the options of the box");
	for (char *at = s->data + strlen(s->data) + 1; at < s->data + len; at += strlen(at) + 1) {
		if (s->argc == WORDS_MAX)
			return err_set(err, ERR_LIMIT, "more than %d words", WORDS_MAX);
		s->argv[s->argc++] = at;
	}
	return s->argc > 2 ? 0 : err_set(err, ERR_SYSTEM, "the options of the box are damaged");
}

/* The name of a file that the caller gave stays right in another directory. */
static int make_absolute(struct cli_call *call, const char **path, struct err *err)
{
	char cwd[PATH_MAX];

	if (!*path || **path == '/' || strcmp(*path, "-") == 0)
		return 0;
	if (!getcwd(cwd, sizeof(cwd)))
		return err_errno(err, ERR_INPUT, "the current directory");
	*path = arena_printf(&call->arena, "%s/%s", cwd, *path);
	return *path ? 0 : err_memory(err);
}

/* What belongs to the start and not to the box. */
static void take_start(struct request *to, const struct cli_call *call)
{
	const struct request *from = &call->request;

	to->creates_box = false;
	to->lang = from->lang;
	to->file = from->file;
	to->code = from->code;
	to->code_len = from->code_len;
	to->stdin_file = from->stdin_file;
	to->envc = from->envc;
	memcpy(to->env, from->env, sizeof(to->env));
	to->title = from->title;
	to->purpose = from->purpose;
	to->is_users = from->is_users;
	to->is_exposed = from->is_exposed;
	to->wait = from->wait;
	for (int i = 0; i < LIMIT_COUNT; i++)
		if (call->flag_values.where[CONFIG_LIMIT + i])
			to->limit[i] = from->limit[i];
}

int box_use(struct cli_call *call, const char *name, struct kept_box *k, struct cli_call *ret,
	    struct err *err)
{
	struct stored s = {0};

	if (kept_box_use(k, name, err) < 0)
		return -1;
	int r = stored_read(k, &s, err);
	if (r == 0)
		r = make_absolute(call, &call->request.stdin_file, err);
	if (r == 0 && chdir(s.data) < 0)
		r = err_errno(err, ERR_INPUT, "%.200s", s.data);
	if (r == 0) {
		ret->command = call->command;
		ret->commands = call->commands;
		request_init(&ret->request);
		r = cli_parse(ret->command, s.argc - 2, s.argv + 2, ret, err);
	}
	if (r == 0)
		r = cli_configure(ret, err);
	if (r == 0)
		cli_use_command_limits(ret);
	if (r < 0) {
		stored_done(&s);
		return -1;
	}
	free(s.argv); /* the words themselves live as long as the request */
	if (!ret->request.workspace)
		ret->request.workspace = s.data;
	if (ret->request.workspace_mode == WORKSPACE_NONE)
		ret->request.workspace_mode = WORKSPACE_OVERLAY;
	take_start(&ret->request, call);
	ret->request.conversation = k->about.conversation;
	ret->json = call->json;
	ret->by_signal = true;
	ret->kept = k;
	return 0;
}

static bool names_conversation(const struct stored *s)
{
	static const char word[] = "--conversation";

	for (int i = 0; i < s->argc; i++)
		if (strncmp(s->argv[i], word, sizeof(word) - 1) == 0 &&
		    strchr("=", s->argv[i][sizeof(word) - 1]))
			return true;
	return false;
}

/* Its name, or its result, is not the output of the command that asked for it. */
static void __attribute__((noreturn)) create(char **argv)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDOUT_FILENO);
	execv("/proc/self/exe", argv);
	_exit(127);
}

int box_create_again(const struct kept_box *k, struct err *err)
{
	static char word[] = "--conversation";
	struct stored s = {0};
	int status = 0;

	if (stored_read(k, &s, err) < 0 || !s.data)
		return -1;
	if (chdir(s.data) < 0)
		return err_errno(err, ERR_INPUT, "%.200s", s.data);
	if (s.argc + 2 > WORDS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d words", WORDS_MAX);
	if (!names_conversation(&s)) {
		s.argv[s.argc++] = word;
		s.argv[s.argc++] = (char *)k->about.conversation;
	}
	s.argv[s.argc] = NULL;
	pid_t pid = fork();
	if (pid == 0)
		create(s.argv);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && status == 0)
		return 0;
	err_set(err, ERR_SYSTEM, "the box %s was not created again", k->about.name);
	err_cure(err, "cordon box create");
	return -1;
}
