/* SPDX-License-Identifier: MIT
 *
 * Fills struct err. Text that does not fit is cut.
 */
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct err_row rows[ERR_COUNT] = {
	[ERR_NONE] = {"none", 0},	  [ERR_USAGE] = {"usage", 125},
	[ERR_INPUT] = {"input", 125},	  [ERR_LAYER] = {"layer", 125},
	[ERR_SYSTEM] = {"system", 125},	  [ERR_LIMIT] = {"limit", 125},
	[ERR_REFUSED] = {"refused", 126}, [ERR_CONFLICT] = {"conflict", 125},
};

const struct err_row *err_row(const struct err *err)
{
	return &rows[err->code < ERR_COUNT ? err->code : ERR_SYSTEM];
}

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	memset(err, 0, sizeof(*err));
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	return -1;
}

int err_errno(struct err *err, enum err_code code, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;

	memset(err, 0, sizeof(*err));
	err->code = code;
	err->sys_errno = saved;
	va_start(ap, fmt);
	int n = vsnprintf(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(err->message))
		snprintf(err->message + n, sizeof(err->message) - (size_t)n, ": %s",
			 strerror(saved));
	return -1;
}

void err_blame(struct err *err, const char *layer)
{
	err->code = ERR_LAYER;
	snprintf(err->layer, sizeof(err->layer), "%s", layer);
}

void err_cause(struct err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->cause, sizeof(err->cause), fmt, ap);
	va_end(ap);
}

void err_cure(struct err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->cure, sizeof(err->cure), fmt, ap);
	va_end(ap);
}

void err_context(struct err *err, const char *fmt, ...)
{
	char old[sizeof(err->message)];
	va_list ap;

	memcpy(old, err->message, sizeof(old));
	va_start(ap, fmt);
	int n = vsnprintf(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(err->message))
		snprintf(err->message + n, sizeof(err->message) - (size_t)n, ": %.*s",
			 (int)(sizeof(err->message) - (size_t)n), old);
}

int err_memory(struct err *err)
{
	err_set(err, ERR_SYSTEM, "out of memory");
	err->sys_errno = ENOMEM;
	err_cause(err, "the system, or a limit of this process (ulimit -a), allows no more");
	err_cure(err, "free some memory, or raise the limit; then try again");
	return -1;
}

int err_replaced(struct err *err, const char *name)
{
	err_set(err, ERR_INPUT, "%s was replaced while the run was prepared", name);
	err_cause(err, "the name now belongs to another file");
	err_cure(err, "run it again, and do not replace the file meanwhile");
	return -1;
}

void err_sanitise(struct err *err)
{
	if (err->code == ERR_NONE || err->code >= ERR_COUNT)
		err->code = ERR_SYSTEM;
	err->layer[sizeof(err->layer) - 1] = '\0';
	err->message[sizeof(err->message) - 1] = '\0';
	err->cause[sizeof(err->cause) - 1] = '\0';
	err->cure[sizeof(err->cure) - 1] = '\0';
}
