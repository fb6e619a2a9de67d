/* SPDX-License-Identifier: MIT
 *
 * Every format of scan. make writes one ROW(name) for each line FORMAT(name) of src/show/ to
 * format_list.h.
 */
#include <string.h>

#include "base/scope.h"
#include "show/scan_format.h"

#define ROW(name) extern FORMAT(name);
#include "format_list.h"
#undef ROW

static const struct scan_format *const formats[] = {
#define ROW(name) &scan_format_##name,
#include "format_list.h"
#undef ROW
};

const struct scan_format *scan_format_at(unsigned i)
{
	for (size_t f = 0; f < ARRAY_SIZE(formats); f++) {
		unsigned rank = 0;
		for (size_t other = 0; other < ARRAY_SIZE(formats); other++)
			rank += formats[other]->order < formats[f]->order;
		if (rank == i)
			return formats[f];
	}
	return NULL;
}

const char *scan_format_name(unsigned i)
{
	return scan_format_at(i) ? scan_format_at(i)->name : NULL;
}

unsigned scan_format_find(const char *name)
{
	unsigned i = 0;

	while (scan_format_at(i + 1) && strcmp(scan_format_name(i), name) != 0)
		i++;
	return i;
}
