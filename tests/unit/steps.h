/* SPDX-License-Identifier: MIT
 *
 * Counts the work of a piece of code instead of its time. The test is linked with the code
 * compiled once more (tests/tests.mk), so that every branch in it calls a counter. The work of the
 * C library is counted by length. The same input always gives the same count, whatever else the
 * machine does. Included once per program.
 */
#ifndef CORDON_UNIT_STEPS_H
#define CORDON_UNIT_STEPS_H

#include <stddef.h>
#include <stdint.h>

static uint64_t steps;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	steps++;
}

enum { STEPS_BYTES = 16 }; /* bytes that the library processes in one step */

/* A search costs the bytes up to the place it finds. */
static inline void *steps_until(const void *from, void *found, size_t len)
{
	steps += (found ? (size_t)((char *)found - (const char *)from) : len) / STEPS_BYTES;
	return found;
}

#define STEPS_WRAP(type, name, head, body)                                                         \
	type __real_##name head;                                                                   \
	type __wrap_##name head;                                                                   \
	type __wrap_##name head                                                                    \
	{                                                                                          \
		body                                                                               \
	}

STEPS_WRAP(void *, memchr, (const void *s, int c, size_t n),
	   return steps_until(s, __real_memchr(s, c, n), n);)
STEPS_WRAP(void *, memmem, (const void *s, size_t n, const void *w, size_t k),
	   return steps_until(s, __real_memmem(s, n, w, k), n);)
STEPS_WRAP(void *, memcpy, (void *to, const void *from, size_t n), steps += n / STEPS_BYTES;
	   return __real_memcpy(to, from, n);)
STEPS_WRAP(void *, memmove, (void *to, const void *from, size_t n), steps += n / STEPS_BYTES;
	   return __real_memmove(to, from, n);)
STEPS_WRAP(void *, memset, (void *to, int c, size_t n), steps += n / STEPS_BYTES;
	   return __real_memset(to, c, n);)
STEPS_WRAP(int, memcmp, (const void *a, const void *b, size_t n), steps += n / STEPS_BYTES;
	   return __real_memcmp(a, b, n);)

#endif
