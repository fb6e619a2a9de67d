/* SPDX-License-Identifier: MIT
 *
 * Commands without memory: they say so, and nothing that they did not look at is lost without a
 * word. The linker puts our own asprintf and calloc in place of the library's (tests/tests.mk).
 */
#include <fcntl.h>
#include <stdarg.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/pages.h"
#include "base/scope.h"
#include "door/cli/scan_files.h"
#include "scan/find/pattern_db.h"
#include "scratch.h"
#include "tap.h"

static void on_refused(void *context, size_t number, const struct err *why)
{
	(void)number, (void)why;
	++*(int *)context;
}

static bool none;     /* there is no memory */
static int left = -1; /* times that there is, before one that there is not; -1: always */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
int __wrap_asprintf(char **ret, const char *format, ...);
int __wrap___asprintf_chk(char **ret, int flag, const char *format, ...);

void *__wrap_calloc(size_t count, size_t size)
{
	if (none || left-- == 0)
		return NULL;
	left = left < -1 ? -1 : left;
	return __real_calloc(count, size);
}

/* Nothing here wants one that works. */
int __wrap_asprintf(char **ret, const char *format, ...)
{
	(void)ret, (void)format;
	return -1;
}

int __wrap___asprintf_chk(char **ret, int flag, const char *format, ...)
{
	(void)ret, (void)flag, (void)format;
	return -1;
}

/* A failure is noted until it becomes an error, and then has been. */
static void test_notes(void)
{
	static volatile size_t absurd = PTRDIFF_MAX; /* the compiler would say so */
	struct err err = {.code = ERR_INPUT};
	struct arena arena = {0};

	ok(!memory_is_out() && !memory_was_out() && memory_check(&err) == 0 &&
		   err.code == ERR_INPUT,
	   "there is no note at first");
	ok(!malloc(absurd) && memory_is_out(), "malloc leaves one");
	ok(memory_check(&err) < 0 && err.code == ERR_SYSTEM && memory_check(&err) == 0 &&
		   !memory_is_out() && memory_was_out(),
	   "that becomes an error once");
	ok(!realloc(NULL, absurd) && memory_check(&err) < 0, "realloc leaves one");
	ok(!realloc(malloc(1), 0) && !memory_is_out(), "but not for freeing");
	ok(!pages_new(absurd) && memory_check(&err) < 0, "pages leave one");
	ok(!arena_alloc(&arena, absurd) && arena.failed && memory_check(&err) < 0,
	   "an arena leaves one");
}

/* A pattern that cannot be compiled now is not one that can never be. */
static void test_database(void)
{
	static const struct db_pattern pattern[] = {{"zebra\\s+now", 10, 1},
						    {"lion|[a-z]{3}", 13, 1}};
	int built = 0, failed = 0, wrong = 0;

	for (int n = 0; n < 200 && built == 0; n++) {
		struct db *db = NULL;
		struct err err = {0};

		left = n;
		int result = db_build(pattern, 2, on_refused, &wrong, &db, &err);
		left = -1;
		built += result == 0;
		failed += result < 0;
		wrong += result < 0 && err.code != ERR_SYSTEM;
		db_free(db);
	}
	ok(built && failed && wrong == 0, "without memory nothing is refused (%d tries)", failed);
}

static void on_error(void *context, const char *file, const struct err *err)
{
	(void)context;
	ok(strcmp(file, "d") == 0 && strstr(err->message, "out of memory"), "%s: %s", file,
	   err->message);
}

static void test_walk(void)
{
	struct scan s = {.scanner = {.sink = {.error = on_error}}};

	scratch_must(mkdir("d", 0755) == 0, "mkdir");
	scratch_file("d/x", "text", 0644);
	AUTO_CLOSE int fd = open("d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scan_directory(&s, fd, "d", 0);
	ok(s.scanner.totals.errors == 1 && s.scanner.totals.files == 0,
	   "an entry that was lost is an error");
}

/* What a command says on standard error. */
static const char *said(int (*command)(struct cli_call *call), struct cli_call *call, int *ret)
{
	static char text[512];
	AUTO_CLOSE int kept = dup(STDERR_FILENO),
		       fd = open("said", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	dup2(fd, STDERR_FILENO);
	none = true;
	*ret = command(call);
	none = false;
	dup2(kept, STDERR_FILENO);
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

extern COMMAND(scan), command_rules;

static void test_commands(void)
{
	char *operand[] = {"list", NULL};
	struct cli_call call = {
		.command = &command_scan, .box = LAUNCH_NONE, .argc = 1, .argv = operand};
	int status = 0;

	ok(strstr(said(command_scan.run, &call, &status), "out of memory") && status == 125,
	   "cordon scan");
	call.command = &command_rules;
	ok(strstr(said(command_rules.run, &call, &status), "out of memory") && status == 125,
	   "cordon rules");
}

int main(void)
{
	const char *dir = scratch_enter();

	test_notes();
	test_database();
	test_walk();
	test_commands();
	scratch_leave(dir);
	return tap_done();
}
