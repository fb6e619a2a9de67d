/* SPDX-License-Identifier: MIT
 *
 * Counts the datagrams that a box with a network sent and that had no route. The supervisor does not see
 * sendto calls, so init reads the counters that the kernel keeps for its network namespace.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "box/box.h"

enum { TEXT_MAX = 16384 };

/* Two lines: names, then their values in the same order. */
static uint64_t count_v4(const char *text)
{
	const char *names = strstr(text, "Ip: "),
		   *values = names ? strstr(names + 1, "\nIp: ") : NULL;
	const char *column = names ? strstr(names, " OutNoRoutes") : NULL;

	if (!values || !column || column > values)
		return 0;
	values += strlen("\nIp: ");
	for (const char *p = names + strlen("Ip: "); p < column + 1; p++)
		if (*p == ' ')
			values += strcspn(values, " \n") + 1;
	return strtoull(values, NULL, 10);
}

static uint64_t count_v6(const char *text)
{
	const char *at = strstr(text, "Ip6OutNoRoutes");

	return at ? strtoull(at + strlen("Ip6OutNoRoutes"), NULL, 10) : 0;
}

uint64_t net_stats_undelivered(const struct box *b)
{
	char text[TEXT_MAX];
	uint64_t lost = 0;

	if (!(b->spec->flags & SPEC_NET))
		return 0;
	if (io_read_text(AT_FDCWD, "/proc/self/net/snmp", text, sizeof(text)) == 0)
		lost += count_v4(text);
	if (io_read_text(AT_FDCWD, "/proc/self/net/snmp6", text, sizeof(text)) == 0)
		lost += count_v6(text);
	return lost;
}
