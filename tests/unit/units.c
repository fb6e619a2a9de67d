/* SPDX-License-Identifier: MIT
 *
 * The joint program of the unit tests: runs the one test whose name it is called by, as
 * build/tests/unit/NAME. units.h is made by tests/tests.mk and has a row for each test. It must never
 * run two tests in one process.
 */
#include <stdio.h>
#include <string.h>

#define UNIT(name) int unit_##name(int, char **);
#include "units.h"
#undef UNIT

static const struct {
	const char *name;
	int (*run)(int, char **);
} units[] = {
#define UNIT(name) {#name, unit_##name},
#include "units.h"
#undef UNIT
};

int main(int argc, char **argv)
{
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : "";

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].name, name) == 0)
			return units[i].run(argc, argv);
	printf("Bail out! no unit test is called '%s'\n", name);
	return 1;
}
