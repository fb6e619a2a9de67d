/* SPDX-License-Identifier: MIT
 *
 * One row for each call that an option can allow.
 */
#include "show/hint.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/scope.h"

/* WORD comes from the program, so quote it. */
static const char *option(const char *name, const char *word, char *buf)
{
	struct arena a = {0};
	const char *quoted = arena_quote(&a, word);
	bool fits = !a.failed && snprintf(buf, HINT_MAX, "--%s %s", name, quoted) < HINT_MAX;

	arena_done(&a);
	return fits ? buf : NULL;
}

/* A truncated path would name another program. */
static const char *exec_hint(const struct wire_denial *d, char *buf)
{
	bool is_whole = d->target[0] == '/' && memchr(d->target, '\0', sizeof(d->target) - 1);

	return is_whole ? option("exec", d->target, buf) : NULL;
}

/* The kernel refused the socket before the program named an address. */
static const char *net_hint(const struct wire_denial *d, char *buf)
{
	bool internet = strcmp(d->target, "AF_INET") == 0 || strcmp(d->target, "AF_INET6") == 0;

	snprintf(buf, HINT_MAX, "--net HOST:PORT");
	return internet ? buf : NULL;
}

static const struct {
	const char *call;
	const char *(*make)(const struct wire_denial *d, char *buf);
} rows[] = {{"execve", exec_hint}, {"socket", net_hint}};

const char *hint_of_denial(const struct wire_denial *d, char buf[static HINT_MAX])
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(d->call, rows[i].call) == 0)
			return rows[i].make(d, buf);
	return NULL;
}

/* Only if a rule was missing. If rules must name this kind of address, the hint names the
 * address. */
const char *hint_of_egress(const struct egress_row *e, char buf[static HINT_MAX])
{
	bool by_address = strstr(e->rule, "which no rule names"),
	     missing = by_address || strncmp(e->rule, "no rule ", 8) == 0;
	const char *host = e->name[0] && !by_address ? e->name : e->address;
	const char *open = strchr(host, ':') ? "[" : "", *close = *open ? "]" : "";
	char where[EGRESS_NAME_MAX + 16], port[16] = "PORT";

	if (e->verdict != EGRESS_REFUSED || !missing || !*host)
		return NULL;
	if (e->port)
		snprintf(port, sizeof(port), "%u", e->port);
	snprintf(where, sizeof(where), "%s%s%s:%s", open, host, close, port);
	return option("net", where, buf);
}

/* The box shows the system's files at the same paths. */
static bool is_shown(const char *path)
{
	static const char *const places[] = {"/usr/", "/bin/", "/lib/", "/proc/", "/dev/"};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (strncmp(path, places[i], strlen(places[i])) == 0)
			return true;
	return false;
}

const char *hint_unseen_argument(const struct request *r)
{
	for (size_t i = 0; !r->workspace && i < r->argc; i++)
		if (!is_shown(r->argv[i]) && access(r->argv[i], F_OK) == 0)
			return r->argv[i];
	return NULL;
}
