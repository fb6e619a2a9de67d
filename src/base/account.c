/* SPDX-License-Identifier: MIT
 *
 * The first user namespace has every number, each as itself, and nobody without root's rights there
 * can make another one that has them all: so the map tells, also in a namespace within one.
 */
#include "base/account.h"

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
