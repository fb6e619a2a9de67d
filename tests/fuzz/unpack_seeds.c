/* SPDX-License-Identifier: MIT
 *
 * Small archives, each of two entries: good ones, and one for everything that is refused. The byte
 * before an archive is the target's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "seeds.h"

const int seed_rounds = 200;

enum { BLOCK = 512, ENTRIES = 2, BLOCKS = ENTRIES * 2 + 1 };

static const struct {
	uint8_t first;
	char type;
	const char *prefix, *name, *size;
} rows[] = {
	{2, '0', "", "package/rules/a/b.yaml", "00000000005 "},
	{3, '0', "package", "rules/c.yml", "00000000005"},
	{3, '\0', "", "package/rules/d.yaml", "  5 "},
	{3, '5', "", "package/rules/e.yaml", "0"},
	{3, '2', "", "package/rules/f.yaml", "0"},
	{3, '0', "", "package/rules/../g.yaml", "00000000005"},
	{3, '0', "", "package/rules//h.yaml", "00000000005"},
	{3, 'x', "", "package/rules/i.yaml", "00000000005"},
	{3, '0', "package/rules/1/2/3/4/5/6", "7/8.yaml", "00000000005"},
	{3, '0', "", "package/rules/j.yaml", "00003641100"},
	{3, '0', "", "package/other.js", "77777777777"},
	{1, '0', "", "package/rules/k.yaml", "00000000005"},
	{3, 'L', "", "package/rules/l.yaml", "00000000005"},
	{3, 'S', "", "package/rules/m.yaml", "00000000005"},
	{3, '1', "", "package/rules/n.yaml", "00000000005"},
};

static void put_entry(char *to, size_t row, size_t number)
{
	unsigned sum = 0;

	snprintf(to, 100, "%s", rows[row].name);
	if (number) /* the same file cannot be written twice */
		to[strcspn(to, ".")] = 'x';
	memcpy(to + 124, rows[row].size, strlen(rows[row].size));
	to[156] = rows[row].type;
	memcpy(to + 257, "ustar", 6);
	snprintf(to + 345, 155, "%s", rows[row].prefix);
	memset(to + 148, ' ', 8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (unsigned char)to[i];
	snprintf(to + 148, 8, "%06o", sum);
	memcpy(to + BLOCK, "a: b\n", 5);
}

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	size_t len = 1 + BLOCKS * BLOCK;
	uint8_t *data = i < ARRAY_SIZE(rows) ? calloc(1, len) : NULL;

	if (!data)
		return NULL;
	data[0] = rows[i].first;
	for (size_t k = 0; k < ENTRIES; k++)
		put_entry((char *)data + 1 + k * 2 * BLOCK, i, k);
	*ret_len = len;
	return data;
}
