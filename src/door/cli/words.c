/* SPDX-License-Identifier: MIT
 *
 * --words FD: reads words of the command line from a descriptor, each ended by a NUL, and puts them
 * in the option's place. Every account of the machine can read a command line (/proc/PID/cmdline),
 * but ids, plan tokens and --env values are private. A word without its NUL is refused: half a
 * request must not run.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "door/cli/cli.h"

enum { WORDS_MAX = 1 << 20, WORDS_FD_MAX = 1 << 20 };

static int parse_fd(const char *v, struct err *err)
{
	char *end;
	unsigned long fd = strtoul(v, &end, 10);

	if (*v < '0' || *v > '9' || *end || fd > WORDS_FD_MAX || fd == STDOUT_FILENO ||
	    fd == STDERR_FILENO)
		return err_set(err, ERR_USAGE, "--words: the number of an open descriptor");
	return (int)fd;
}

/* Reads all of FD. */
static int read_all(int fd, char **ret, size_t *ret_len, struct err *err)
{
	AUTO_FREE char *text = malloc(WORDS_MAX + 1);

	if (!text)
		return err_memory(err);
	ssize_t n = io_read_full(fd, text, WORDS_MAX + 1);
	if (n < 0)
		return err_set(err, ERR_INPUT, "--words: descriptor %d cannot be read: %s", fd,
			       strerror(errno));
	if (n > WORDS_MAX) {
		err_set(err, ERR_LIMIT, "--words: more than %d bytes", WORDS_MAX);
		err_cure(err, "pass data as a file: --stdin FILE, or in --workspace DIR");
		return -1;
	}
	if (n > 0 && text[n - 1])
		return err_set(err, ERR_INPUT, "--words: the last word is not ended by a NUL");
	*ret_len = (size_t)n;
	*ret = text;
	text = NULL;
	return 0;
}

/* A descriptor from the caller survived execve, so it is not close-on-exec; Cordon's own are. */
static bool is_given(int fd)
{
	int flags = fcntl(fd, F_GETFD);

	return flags >= 0 && !(flags & FD_CLOEXEC);
}

bool cli_names_given(const char *path)
{
	static const char *const places[] = {"/dev/fd/", "/proc/self/fd/"};

	for (size_t i = 0; path && i < ARRAY_SIZE(places); i++) {
		size_t len = strlen(places[i]);
		char *end;
		if (strncmp(path, places[i], len) != 0)
			continue;
		unsigned long fd = strtoul(path + len, &end, 10);
		return *end || fd > INT_MAX || is_given((int)fd);
	}
	return true;
}

int cli_set_words(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	int fd = parse_fd(v, err);
	if (fd < 0)
		return -1;
	if (!is_given(fd))
		return err_set(err, ERR_INPUT, "--words: descriptor %d cannot be read: %s", fd,
			       strerror(EBADF));
	if (read_all(fd, &c->words, &c->words_len, err) < 0)
		return -1;
	/* No program inherits FD: cordon-box, started before, closes unknown descriptors. Keep
	 * standard input open, so that no other file gets its number. */
	if (fd != STDIN_FILENO)
		close(fd);
	return 0;
}

int cli_splice_words(struct cli_call *c, int at, int *argc, char ***argv, struct err *err)
{
	size_t count = 0;

	if (!c->words || c->words_list)
		return 0;
	for (size_t i = 0; i < c->words_len; i++)
		count += !c->words[i];
	char **list = calloc((size_t)*argc + count + 1, sizeof(*list));
	if (!list)
		return err_memory(err);
	memcpy(list, *argv, (size_t)at * sizeof(*list));
	for (size_t i = 0, from = 0; i < count; i++) {
		list[(size_t)at + i] = c->words + from;
		from += strlen(c->words + from) + 1;
	}
	memcpy(list + (size_t)at + count, *argv + at, (size_t)(*argc - at) * sizeof(*list));
	c->words_list = c->argv = list;
	*argv = list;
	*argc += (int)count;
	return 0;
}

void cli_free_words(struct cli_call *c)
{
	free(c->words);
	free(c->words_list);
}
