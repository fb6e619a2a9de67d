/* SPDX-License-Identifier: MIT
 *
 * Test Anything Protocol for unit tests: ok() says one line, tap_done() the plan and the exit
 * status. A test never stops at its first failure, so one run shows all of them. Included once
 * per program; it must never print anything but TAP.
 */
#ifndef CORDON_UNIT_TAP_H
#define CORDON_UNIT_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct {
	int count, failed;
} tap;

#define ok(condition, ...) tap_ok((condition), __FILE__, __LINE__, #condition, __VA_ARGS__)

__attribute__((format(printf, 5, 6))) static inline bool
tap_ok(bool pass, const char *file, int line, const char *condition, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", pass ? "" : "not ", ++tap.count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	if (!pass) {
		tap.failed++;
		printf("# %s:%d: %s\n", file, line, condition);
	}
	fflush(stdout);
	return pass;
}

static inline void tap_skip(const char *what, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap.count, what, why);
}

static inline int tap_done(void)
{
	printf("1..%d\n", tap.count);
	return tap.failed ? 1 : 0;
}

#endif
