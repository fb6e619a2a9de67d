/* SPDX-License-Identifier: MIT
 *
 * Rules that do not count what is quoted, in both modes.
 */
#include "engine_kit.h"

/* Some rules do not count what is quoted. A quoted attack must not hide another one. */
static void quotations(void)
{
	static const char *const rules[] = {
		"id: Q\ntitle: T\nstatus: stable\nseverity: low\nagent_source: {type: llm_io}\n"
		"tags: {category: model-abuse, suppress_in_code_blocks: true}\n"
		"detection:\n  condition: any\n  conditions:\n" MATCH("content", "zebra\\s+now"),
		NULL};
	static const struct {
		const char *text, *strict, *reference, *what;
	} rows[] = {
		{"zebra now", "Q ", "Q ", "it is said"},
		{"do not say `zebra now`.", "", "", "it is quoted"},
		{"`zebra now` and zebra now", "Q ", "", "it is quoted, then said"},
		{"`zebra now` `zebra now` |\"zebra now\"| zebra now", "Q ", "", "behind others"},
		{"```\nzebra now\n```\nzebra now\n", "Q ", "", "behind a block"},
		{"```\nzebra now\n```\nand `zebra now`\n", "", "", "in a block and in a line"},
		{"```\nzebra now\n", "Q ", "", "a block that has no end is none"},
		{"caf\xc3\xa9 `\xf0\x9f\x98\x80 zebra now` \xf0\x9f\x98\x80 zebra now", "Q ", "",
		 "units are no bytes"},
		{"`zebra now` zeb`ra now`", "", "", "nothing begins outside"},
	};
	struct kit k;

	ok(set_up(&k, rules, DETECT_STRICT, false), "%s", k.said);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		IS(scan_text(&k, rows[i].text, strlen(rows[i].text)), rows[i].strict, rows[i].what);
	tear_down(&k);
	ok(set_up(&k, rules, DETECT_REFERENCE, false), "%s", k.said);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		IS(scan_text(&k, rows[i].text, strlen(rows[i].text)), rows[i].reference,
		   rows[i].what);
	tear_down(&k);
}

/* More gaps than are looked into: it counts. */
static void many_quotations(void)
{
	static const char *const rules[] = {
		"id: Q\ntitle: T\nstatus: stable\nseverity: low\nagent_source: {type: llm_io}\n"
		"tags: {category: model-abuse, suppress_in_code_blocks: true}\n"
		"detection:\n  condition: any\n  conditions:\n" MATCH("content", "zebra"),
		NULL};
	char text[65 * 9 + 1] = "";
	struct kit k;

	ok(set_up(&k, rules, DETECT_STRICT, false), "%s", k.said);
	for (int i = 0; i < 64; i++)
		strcat(text, "`zebra` ");
	IS(scan_text(&k, text, strlen(text)), "", "64 quotations");
	strcat(text, "`zebra` ");
	IS(scan_text(&k, text, strlen(text)), "Q ", "and one more");
	tear_down(&k);
}

int main(void)
{
	const char *dir = scratch_enter();

	quotations();
	many_quotations();
	scratch_leave(dir);
	return tap_done();
}
