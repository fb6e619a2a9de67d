/* SPDX-License-Identifier: MIT
 *
 * The error object and the arena: text is cut and never overflows, errno is kept, an error that
 * came over a socket is made safe, and running out of memory is a flag and not a crash.
 */
#include "base/err.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "tap.h"

static void test_set(void)
{
	struct err err;
	char longer[2048];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	ok(err_set(&err, ERR_INPUT, "%d%s", 4, "2") == -1, "setting an error returns -1");
	ok(err.code == ERR_INPUT && !strcmp(err.message, "42"), "it keeps code and message");
	errno = ENOENT;
	err_errno(&err, ERR_SYSTEM, "opening");
	ok(err.sys_errno == ENOENT && !strcmp(err.message, "opening: No such file or directory"),
	   "errno is kept and explained");
	err_context(&err, "layer %d", 1);
	ok(!strcmp(err.message, "layer 1: opening: No such file or directory"),
	   "context goes before the message");
	err_set(&err, ERR_INPUT, "%s", longer);
	ok(strlen(err.message) == sizeof(err.message) - 1, "a long message is cut");
	err_context(&err, "%s", longer);
	ok(strlen(err.message) == sizeof(err.message) - 1, "and so is long context");
	errno = EACCES;
	err_errno(&err, ERR_SYSTEM, "%s", longer);
	ok(strlen(err.message) == sizeof(err.message) - 1 && err.sys_errno == EACCES,
	   "and a long message with errno");
	err_cause(&err, "%s", longer);
	err_cure(&err, "%s", longer);
	ok(strlen(err.cause) == sizeof(err.cause) - 1 && strlen(err.cure) == sizeof(err.cure) - 1,
	   "and cause and cure");
}

static void test_blame(void)
{
	struct err err;

	err_set(&err, ERR_SYSTEM, "x");
	err_blame(&err, "seccomp");
	ok(err.code == ERR_LAYER && !strcmp(err.layer, "seccomp"), "blame names the layer");
	err_blame(&err, "a layer whose name is much too long for the field");
	ok(strlen(err.layer) == sizeof(err.layer) - 1, "a long name is cut");
	err_set(&err, ERR_INPUT, "y");
	ok(err.layer[0] == '\0' && err.cause[0] == '\0', "a new error starts afresh");
}

static void test_rows(void)
{
	for (unsigned code = 0; code < ERR_COUNT; code++) {
		struct err err = {.code = code};
		int expected = code == ERR_NONE ? 0 : code == ERR_REFUSED ? 126 : 125;
		ok(err_row(&err)->name && err_row(&err)->exit_status == expected,
		   "code %u is %s and exits with %d", code, err_row(&err)->name, expected);
	}
	struct err odd = {.code = UINT32_MAX};
	ok(err_row(&odd)->exit_status == 125, "an unknown code is a failure");
}

static void test_sanitise(void)
{
	struct err err;

	memset(&err, 0xff, sizeof(err));
	err_sanitise(&err);
	ok(err.code == ERR_SYSTEM, "an unknown code becomes a system error");
	ok(strlen(err.message) == sizeof(err.message) - 1 &&
		   strlen(err.layer) == sizeof(err.layer) - 1 &&
		   strlen(err.cause) == sizeof(err.cause) - 1 &&
		   strlen(err.cure) == sizeof(err.cure) - 1,
	   "all strings end");
	memset(&err, 0, sizeof(err));
	err_sanitise(&err);
	ok(err.code != ERR_NONE, "an error with the code ERR_NONE gets another code");
}

static void test_arena(void)
{
	struct arena a = {0};
	bool aligned = true, kept = true;
	char *strings[3000];

	for (int i = 0; i < 3000; i++) {
		strings[i] = arena_printf(&a, "string %d", i);
		aligned = aligned && (uintptr_t)strings[i] % 16 == 0;
	}
	for (int i = 0; i < 3000; i++)
		kept = kept && atoi(strings[i] + 7) == i;
	ok(kept && !a.failed, "three thousand strings live together");
	ok(aligned, "each is aligned");
	ok(!strcmp(arena_dup(&a, ""), ""), "an empty string");
	char *big = arena_alloc(&a, 1 << 20);
	memset(big, 'x', 1 << 20);
	ok(!strcmp(strings[2999], "string 2999"), "a large piece has a place of its own");
	ok(!a.failed, "nothing failed");
	ok(!arena_alloc(&a, SIZE_MAX - 4) && a.failed, "an absurd size is NULL and sets the flag");
	ok(!arena_alloc(&a, 1) && !*arena_dup(&a, "x") && !*arena_printf(&a, "%d", 7) && a.failed,
	   "which stays: then nothing comes, and strings are empty");
	arena_done(&a);
	ok(!a.last, "all is released");
}

int main(void)
{
	test_set();
	test_blame();
	test_rows();
	test_sanitise();
	test_arena();
	return tap_done();
}
