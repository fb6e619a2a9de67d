/* SPDX-License-Identifier: MIT
 *
 * Numbers with units: every limit at its bounds and one beyond, overflow, junk, and that what is
 * formatted parses back to the same value. A wrong unit must never be taken for another.
 */
#include "conf/units.h"

#include <inttypes.h>
#include <stdint.h>

#include "tap.h"

#define UNTOUCHED 77

struct row {
	enum limit_id id;
	const char *text;
	uint64_t value; /* 0: must be refused */
};

static const struct row rows[] = {
	{LIMIT_TIME, "1ms", 1},
	{LIMIT_TIME, "500ms", 500},
	{LIMIT_TIME, "5s", 5000},
	{LIMIT_TIME, "5", 5000},
	{LIMIT_TIME, "2m", 120000},
	{LIMIT_TIME, "24h", 86400000},
	{LIMIT_TIME, "0001s", 1000},
	{LIMIT_TIME, "25h", 0},
	{LIMIT_TIME, "86400001ms", 0},
	{LIMIT_TIME, "0", 0},
	{LIMIT_TIME, "0ms", 0},
	{LIMIT_TIME, "5K", 0},
	{LIMIT_TIME, "5S", 0},
	{LIMIT_TIME, "5 s", 0},
	{LIMIT_TIME, "5s ", 0},
	{LIMIT_TIME, " 5s", 0},
	{LIMIT_TIME, "+5s", 0},
	{LIMIT_TIME, "-5s", 0},
	{LIMIT_TIME, "1.5s", 0},
	{LIMIT_TIME, "1e3", 0},
	{LIMIT_TIME, "0x10", 0},
	{LIMIT_TIME, "s", 0},
	{LIMIT_TIME, "", 0},
	{LIMIT_TIME, "18446744073709551615", 0},
	{LIMIT_TIME, "18446744073709551616", 0},
	{LIMIT_TIME, "18446744073709552s", 0}, /* wraps to a small number when multiplied */
	{LIMIT_TIME, "99999999999999999999999999999999", 0},
	{LIMIT_CPU_TIME, "1ms", 1},
	{LIMIT_CPU_TIME, "0", 0},
	{LIMIT_CPU, "1", 1},
	{LIMIT_CPU, "50%", 50},
	{LIMIT_CPU, "150", 150},
	{LIMIT_CPU, "100000", 100000},
	{LIMIT_CPU, "100001", 0},
	{LIMIT_CPU, "0", 0},
	{LIMIT_CPU, "50%%", 0},
	{LIMIT_CPU, "50M", 0},
	{LIMIT_MEMORY, "8M", 8ULL << 20},
	{LIMIT_MEMORY, "8388607", 0},
	{LIMIT_MEMORY, "8388608", 8ULL << 20},
	{LIMIT_MEMORY, "512M", 512ULL << 20},
	{LIMIT_MEMORY, "512MB", 512ULL << 20},
	{LIMIT_MEMORY, "1G", 1ULL << 30},
	{LIMIT_MEMORY, "1024G", 1ULL << 40},
	{LIMIT_MEMORY, "1025G", 0},
	{LIMIT_MEMORY, "17179869184G", 0}, /* 2^64 */
	{LIMIT_MEMORY, "17179869185G", 0}, /* wraps to 1G */
	{LIMIT_MEMORY, "5s", 0},
	{LIMIT_MEMORY, "1T", 0},
	{LIMIT_MEMORY, "1m", 0},
	{LIMIT_PIDS, "1", 1},
	{LIMIT_PIDS, "65536", 65536},
	{LIMIT_PIDS, "65537", 0},
	{LIMIT_PIDS, "0", 0},
	{LIMIT_PIDS, "1K", 0},
	{LIMIT_FILES, "8", 8},
	{LIMIT_FILES, "7", 0},
	{LIMIT_FILE_SIZE, "4K", 4096},
	{LIMIT_FILE_SIZE, "4095", 0},
	{LIMIT_DISK, "64K", 65536},
	{LIMIT_DISK, "65535", 0},
	{LIMIT_OUTPUT, "256", 256},
	{LIMIT_OUTPUT, "255", 0},
	{LIMIT_OUTPUT, "1G", 1ULL << 30},
	{LIMIT_OUTPUT, "1073741825", 0},
};

static void test_rows(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		const char *name = limit_row(row->id)->name;
		uint64_t value = UNTOUCHED;
		struct err err = {0};
		int r = units_parse_limit(row->id, row->text, &value, &err);
		if (row->value)
			ok(r == 0 && value == row->value, "--%s %s is %" PRIu64, name, row->text,
			   row->value);
		else
			ok(r == -1 && value == UNTOUCHED && err.code == ERR_USAGE &&
				   strstr(err.message, name),
			   "--%s \"%s\" is refused by name", name, row->text);
	}
}

static void test_bounds(void)
{
	for (int i = 0; i < LIMIT_COUNT; i++) {
		const struct limit_row *row = limit_row((enum limit_id)i);
		uint64_t bounds[] = {row->min, row->max, row->fallback ? row->fallback : row->min};
		for (size_t b = 0; b < 3; b++) {
			char text[32];
			uint64_t value = UNTOUCHED;
			struct err err = {0};
			units_format(row->unit, bounds[b], text, sizeof(text));
			ok(units_parse_limit((enum limit_id)i, text, &value, &err) == 0 &&
				   value == bounds[b],
			   "%s: %s parses back to %" PRIu64, row->name, text, bounds[b]);
		}
	}
}

static void test_long_text(void)
{
	char text[4096];
	uint64_t value = UNTOUCHED;
	struct err err = {0};

	memset(text, '9', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ok(units_parse_limit(LIMIT_PIDS, text, &value, &err) == -1 && value == UNTOUCHED,
	   "four thousand digits are refused");
	ok(strlen(err.message) < 300, "and the message stays short");
}

static void test_format(void)
{
	char text[32];

	ok(!strcmp(units_format(UNIT_DURATION_MS, 90000, text, sizeof(text)), "90s"), "90 s");
	ok(!strcmp(units_format(UNIT_DURATION_MS, 120000, text, sizeof(text)), "2m"), "2 m");
	ok(!strcmp(units_format(UNIT_DURATION_MS, 1, text, sizeof(text)), "1ms"), "1 ms");
	ok(!strcmp(units_format(UNIT_BYTES, 1536, text, sizeof(text)), "1536"), "1536 bytes");
	ok(!strcmp(units_format(UNIT_BYTES, 512ULL << 20, text, sizeof(text)), "512M"), "512 M");
	ok(!strcmp(units_format(UNIT_PERCENT, 50, text, sizeof(text)), "50%"), "50 percent");
	ok(!strcmp(units_format(UNIT_COUNT, 64, text, sizeof(text)), "64"), "64");
	ok(strlen(units_format(UNIT_BYTES, UINT64_MAX, text, 4)) == 3,
	   "a small buffer is respected");
}

int main(void)
{
	test_rows();
	test_bounds();
	test_long_text();
	test_format();
	return tap_done();
}
