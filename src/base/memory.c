/* SPDX-License-Identifier: MIT
 *
 * See memory.h. The functions are weak, so that a test can replace them (tests/memory/fail.c).
 */
#include "base/memory.h"

#include <stddef.h>

#include "base/err.h"

static _Thread_local unsigned failures, reported;

void memory_note(void)
{
	failures++;
}

bool memory_is_out(void)
{
	return failures != reported;
}

bool memory_was_out(void)
{
	return failures != 0;
}

int memory_check(struct err *err)
{
	if (!memory_is_out())
		return 0;
	reported = failures;
	return err_memory(err);
}

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's names */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
__attribute__((weak)) void *__wrap_malloc(size_t size);
__attribute__((weak)) void *__wrap_calloc(size_t count, size_t size);
__attribute__((weak)) void *__wrap_realloc(void *old, size_t size);

static void *noted(void *p)
{
	if (!p)
		memory_note();
	return p;
}

void *__wrap_malloc(size_t size)
{
	return noted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return noted(__real_calloc(count, size));
}

/* A size of 0 frees. */
void *__wrap_realloc(void *old, size_t size)
{
	void *p = __real_realloc(old, size);

	return size ? noted(p) : p;
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
