/* SPDX-License-Identifier: MIT
 *
 * One row for each call that an option can allow.
 */
#include "show/hint.h"

#include <stdio.h>
#include <stdlib.h>
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

/* Gives a hint only if a rule was missing. If such an address needs a rule of its own, the hint names
 * the address and not the host. */
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

#define NET_HINT "--net HOST:PORT for each host that it needs"
#define ROOT_HINT "leave out sudo: a box has no root; install outside what it needs"

enum suspicion { ANYWHERE, IN_SNIPPET, WITHOUT_NET };

/* As the shell, libc, curl, git, npm and sudo say it. */
static const struct {
	const char *printed;
	enum suspicion where;
	const char *hint;
} outputs[] = {
	{"Permission denied", IN_SNIPPET,
	 "--exec PATH, if a program was refused; or --profile dev, for all of the system's"},
	{"Name or service not known", WITHOUT_NET, NET_HINT},
	{"Temporary failure in name resolution", WITHOUT_NET, NET_HINT},
	{"Could not resolve host", WITHOUT_NET, NET_HINT},
	{"EAI_AGAIN", WITHOUT_NET, NET_HINT},
	{"ENOTFOUND", WITHOUT_NET, NET_HINT},
	{"Network is unreachable", WITHOUT_NET, NET_HINT},
	{"ENETUNREACH", WITHOUT_NET, NET_HINT},
	{"no new privileges", ANYWHERE, ROOT_HINT},
	{"sudo: ", ANYWHERE, ROOT_HINT},
	{"No usable sandbox", ANYWHERE, "--no-sandbox for that program: the box is its sandbox"},
};

/* Not if the box has seen it itself. */
static bool is_suspected(const struct result *r, enum suspicion where)
{
	bool refused_socket = false;

	for (size_t i = 0; i < r->denialc; i++)
		refused_socket |= strcmp(r->denials[i].call, "socket") == 0;
	return where == IN_SNIPPET    ? !r->executes_any && !r->denialc
	       : where == WITHOUT_NET ? !r->egressc && !refused_socket
				      : true;
}

size_t hints_of_output(const struct result *r, const char *ret[static HINTS_MAX])
{
	size_t len = 0, gap = 0, count = 0;

	if (r->status != STATUS_EXITED || r->exit_code == 0)
		return 0;
	AUTO_FREE char *text = capture_join(&r->out[1], &len, &gap);
	for (size_t i = 0; text && i < ARRAY_SIZE(outputs) && count < HINTS_MAX; i++) {
		bool is_new = !count || strcmp(ret[count - 1], outputs[i].hint) != 0;
		if (is_new && is_suspected(r, outputs[i].where) &&
		    memmem(text, len, outputs[i].printed, strlen(outputs[i].printed)))
			ret[count++] = outputs[i].hint;
	}
	return count;
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
