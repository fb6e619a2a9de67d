/* SPDX-License-Identifier: MIT
 *
 * Makes one allocation of a program fail, or that one and all later ones. The linker replaces
 * malloc and the like by these functions (tests/memory/memory.mk). The file fail.PROGRAM beside
 * the program has the number of the allocation; tests/memory/run maps it too. All processes of the
 * program count in it. Without the file no allocation fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/memory.h"

/* As in tests/memory/run. */
static struct control {
	uint64_t at; /* 0: none; 1: the first */
	uint64_t all_later;
	_Atomic uint64_t count, failed;
} none, *control = &none;

__attribute__((constructor)) static void begin(void)
{
	char self[PATH_MAX - 16], path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len <= 0)
		return;
	self[len] = '\0';
	char *name = strrchr(self, '/');
	*name++ = '\0';
	snprintf(path, sizeof(path), "%s/fail.%s", self, name);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *p = fd < 0 ? MAP_FAILED
			 : mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p != MAP_FAILED)
		control = p;
	close(fd);
}

static bool fails(void)
{
	uint64_t n = ++control->count;

	if (!control->at || n < control->at || (n > control->at && !control->all_later))
		return false;
	control->failed++;
	memory_note();
	errno = ENOMEM;
	return true;
}

/* WRAP(TYPE, NAME, PARAMETERS, ARGUMENTS): defines a function that fails in its turn. */
#define WRAP(type, name, parameters, arguments)                                                    \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return fails() ? NULL : __real_##name arguments;                                   \
	}

WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, calloc, (size_t count, size_t size), (count, size))
WRAP(void *, pages_new, (size_t size), (size))
WRAP(void *, pages_new_large, (size_t size), (size))

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
	return size && fails() ? NULL : __real_realloc(old, size);
}

/* An arena allocates many pieces at once. Each piece counts as an allocation. */
static bool fails_in(struct arena *a)
{
	if (a->failed)
		return false;
	a->failed = fails();
	return a->failed;
}

void *__real_arena_alloc(struct arena *a, size_t size);
void *__wrap_arena_alloc(struct arena *a, size_t size);
char *__real_arena_dup(struct arena *a, const char *s);
char *__wrap_arena_dup(struct arena *a, const char *s);
char *__wrap_arena_printf(struct arena *a, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void *__wrap_arena_alloc(struct arena *a, size_t size)
{
	return fails_in(a) ? NULL : __real_arena_alloc(a, size);
}

char *__wrap_arena_dup(struct arena *a, const char *s)
{
	return fails_in(a) ? (char *)"" : __real_arena_dup(a, s);
}

char *__wrap_arena_printf(struct arena *a, const char *format, ...)
{
	static _Thread_local char text[1 << 20];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return __wrap_arena_dup(a, text);
}

#ifdef __SANITIZE_ADDRESS__
/* The C library is a shared one here, so its own calls of malloc are not replaced. */
#include <dirent.h>

WRAP(void *, reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(char *, strdup, (const char *s), (s))
WRAP(char *, strndup, (const char *s, size_t len), (s, len))
WRAP(FILE *, open_memstream, (char **text, size_t *len), (text, len))
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode))
WRAP(DIR *, opendir, (const char *path), (path))
WRAP(DIR *, fdopendir, (int fd), (fd))

int __real_vasprintf(char **ret, const char *format, va_list args);
int __wrap_vasprintf(char **ret, const char *format, va_list args);
int __wrap_asprintf(char **ret, const char *format, ...) __attribute__((format(printf, 2, 3)));

int __wrap_vasprintf(char **ret, const char *format, va_list args)
{
	return fails() ? -1 : __real_vasprintf(ret, format, args);
}

int __wrap_asprintf(char **ret, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int len = __wrap_vasprintf(ret, format, args);
	va_end(args);
	return len;
}
#endif
