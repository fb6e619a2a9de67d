/* SPDX-License-Identifier: MIT
 *
 * For tests of the box: rules for the gate in front of it that find nothing.
 */
#ifndef CORDON_TESTS_HARMLESS_H
#define CORDON_TESTS_HARMLESS_H

#include <stdio.h>

static const char harmless_rule[] =
	"id: TEST-2026-0001\ntitle: finds nothing\nschema_version: '1.0'\nrule_version: 1\n"
	"status: stable\nauthor: tests\ndate: 2026/11/16\nseverity: low\n"
	"description: finds nothing\ntags: {category: privilege-escalation, "
	"subcategory: none, scan_target: both, confidence: low}\n"
	"agent_source: {type: mcp_exchange, framework: [any], provider: [any]}\n"
	"detection:\n  condition: any\n  conditions:\n"
	"    - {field: content, operator: contains, value: 'no attack says this 7f3a'}\n"
	"response: {actions: [alert]}\n";

/* A directory of rules. */
static inline int harmless_write(const char *dir)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/nothing.yaml", dir);
	FILE *file = fopen(path, "we");
	if (!file)
		return -1;
	int written = fputs(harmless_rule, file);
	return fclose(file) == 0 && written >= 0 ? 0 : -1;
}

#endif
