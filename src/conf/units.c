/* SPDX-License-Identifier: MIT
 *
 * One row per suffix. Overflow, a sign, a blank or the suffix of another unit is invalid; the error of
 * units_parse_limit shows a valid value.
 */
#include "conf/units.h"

#include <stdio.h>
#include <string.h>

#include "base/scope.h"

struct suffix {
	enum unit unit;
	const char *text;
	uint64_t factor;
};

/* A number without suffix uses the unit's first row. */
static const struct suffix suffixes[] = {
	{UNIT_DURATION_MS, "s", 1000},
	{UNIT_DURATION_MS, "ms", 1},
	{UNIT_DURATION_MS, "m", 60000},
	{UNIT_DURATION_MS, "h", 3600000},
	{UNIT_DURATION_MS, "d", 86400000},
	{UNIT_BYTES, "", 1},
	{UNIT_BYTES, "K", 1ULL << 10},
	{UNIT_BYTES, "M", 1ULL << 20},
	{UNIT_BYTES, "G", 1ULL << 30},
	{UNIT_BYTES, "KB", 1ULL << 10},
	{UNIT_BYTES, "MB", 1ULL << 20},
	{UNIT_BYTES, "GB", 1ULL << 30},
	{UNIT_PERCENT, "%", 1},
	{UNIT_COUNT, "", 1},
};

static const char *const examples[] = {[UNIT_DURATION_MS] = "30s, 500ms, 2m",
				       [UNIT_PERCENT] = "50 or 150%",
				       [UNIT_BYTES] = "512M, 64K, 1G",
				       [UNIT_COUNT] = "64"};

static bool find_factor(enum unit unit, const char *text, uint64_t *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (suffixes[i].unit == unit &&
		    (*text == '\0' || strcmp(suffixes[i].text, text) == 0)) {
			*ret = suffixes[i].factor;
			return true;
		}
	return false;
}

bool units_parse(enum unit unit, const char *text, uint64_t *ret)
{
	uint64_t value = 0, factor;
	size_t digits = strspn(text, "0123456789");

	if (digits == 0 || !find_factor(unit, text + digits, &factor))
		return false;
	for (size_t i = 0; i < digits; i++)
		if (__builtin_mul_overflow(value, 10U, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
			return false;
	return !__builtin_mul_overflow(value, factor, ret);
}

const char *units_example(enum unit unit)
{
	return examples[unit];
}

int units_parse_limit(enum limit_id id, const char *text, uint64_t *ret, struct err *err)
{
	const struct limit_row *row = limit_row(id);
	char low[32], high[32];
	uint64_t value;

	if (!units_parse(row->unit, text, &value))
		return err_set(err, ERR_USAGE, "--%s: \"%.64s\" is not a value (write it like %s)",
			       row->name, text, examples[row->unit]);
	if (value < row->min || value > row->max)
		return err_set(err, ERR_USAGE, "--%s: %.64s is out of range (%s to %s)", row->name,
			       text, units_format(row->unit, row->min, low, sizeof(low)),
			       units_format(row->unit, row->max, high, sizeof(high)));
	*ret = value;
	return 0;
}

const char *units_format(enum unit unit, uint64_t value, char *buf, size_t size)
{
	const struct suffix *best = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		const struct suffix *s = &suffixes[i];
		if (s->unit == unit && value % s->factor == 0 &&
		    (!best || s->factor > best->factor))
			best = s;
	}
	snprintf(buf, size, "%llu%s", (unsigned long long)(best ? value / best->factor : value),
		 best ? best->text : "");
	return buf;
}
