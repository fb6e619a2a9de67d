/* SPDX-License-Identifier: MIT
 *
 * Joins names, and gives the I-th name of each table.
 */
#include "conf/name_list.h"

#include <stdio.h>

#include "conf/profile.h"
#include "model/layer.h"

const char *names_join(const char *(*at)(unsigned i), char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (unsigned i = 0; at(i) && len < size; i++) {
		const char *gap = at(i + 1) ? ", " : " or ";
		len += (size_t)snprintf(buf + len, size - len, "%s%s", i ? gap : "", at(i));
	}
	return buf;
}

const char *profile_name(unsigned i)
{
	return profile_at(i) ? profile_at(i)->name : NULL;
}

static const char *tier_name(unsigned i)
{
	return i < TIER_COUNT ? tier_row((enum tier)i)->name : NULL;
}

const char *names_of_profiles(char *buf, size_t size)
{
	return names_join(profile_name, buf, size);
}

const char *names_of_tiers(char *buf, size_t size)
{
	return names_join(tier_name, buf, size);
}
