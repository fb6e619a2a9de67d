/* SPDX-License-Identifier: MIT
 *
 * Which code names another encoding than UTF-8, so that a person would be shown other text than runs.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "flow/payload.h"
#include "tap.h"

static const struct {
	const char *code;
	bool is_recoded;
} rows[] = {
	{"", false},
	{"print(1)\n", false},
	{"# coding: utf-8\n", false},
	{"# -*- coding: UTF-8 -*-\n", false},
	{"# vim: set fileencoding=utf8 :\n", false},
	{"# coding:\n", false},
	{"# a coding: style\n", true},
	{"# coding: utf-7\n", true},
	{"#!/usr/bin/python3\n# coding=latin-1", true},
	{"# coding: utf-8 coding: utf-7\n", true},
	{"x = 1\r# coding: utf-7\n", true},
	{"\n\n# coding: utf-7\n", false},
	{"\n# coding:\t cp037", true},
	{"# coding: utf-8-sig\n", false},
	{"# encoding\n", false},
	{"coding", false},
	{"coding=", false},
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_FREE char *code = strdup(rows[i].code);
		if (!code)
			abort();
		struct payload p = {.data = code, .len = strlen(code)};
		ok(payload_is_recoded(&p) == rows[i].is_recoded, "row %zu", i);
	}
	struct payload program = {0};
	ok(!payload_is_recoded(&program), "a program has no lines");
	return tap_done();
}
