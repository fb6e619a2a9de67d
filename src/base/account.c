/* SPDX-License-Identifier: MIT
 *
 * The initial user namespace maps every number to itself. Only root there can make another
 * namespace with such a map, so the map shows which one this is.
 */
#include "base/account.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/self.h"

enum { MAP_MAX = 16384, ALL_OF_THEM = UINT32_MAX };

bool account_is_mapped(void)
{
	char text[MAP_MAX];
	unsigned long inside, outside, count;

	return self_read("uid_map", text, sizeof(text)) < 0 ||
	       sscanf(text, "%lu %lu %lu", &inside, &outside, &count) != 3 || inside != 0 ||
	       outside != 0 || count != ALL_OF_THEM;
}

uint32_t account_here(void)
{
	return account_is_mapped() ? ACCOUNT_UNKNOWN : getuid();
}

const char *account_home(FILE *passwd, char **line, size_t *size)
{
	while (getline(line, size, passwd) > 0) {
		char *at = *line;
		for (int field = 0; field < 5 && at; field++)
			at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL;
		if (!at)
			continue;
		at[strcspn(at, ":\n")] = '\0';
		return at;
	}
	return NULL;
}

/* Reads the file itself: glibc's functions load libraries, which a static program must not. */
int account_name(uint32_t uid, char *ret, size_t size)
{
	FILE *passwd = fopen("/etc/passwd", "re");
	char *line = NULL;
	size_t room = 0;
	int found = -1;

	while (passwd && found < 0 && getline(&line, &room, passwd) > 0) {
		char *name = strchr(line, ':'), *number = name ? strchr(name + 1, ':') : NULL, *end;
		if (!number || (size_t)(name - line) >= size ||
		    strtoul(number + 1, &end, 10) != uid || *end != ':')
			continue;
		*name = '\0';
		memcpy(ret, line, strlen(line) + 1);
		found = 0;
	}
	free(line);
	if (passwd)
		fclose(passwd);
	return found;
}
