/* SPDX-License-Identifier: MIT
 *
 * Only in the test build: leaves layers out, or connects without asking cordon-egress ("egress"). Tests use
 * it to show that an attack succeeds without the layer that stops it. The shipped cordon-box must not
 * contain this code; a test checks that.
 */
#ifdef CORDON_MUTANT
#include <stdlib.h>
#include <string.h>

#include "box/box.h"

static const char *const variable = "CORDON_WITHOUT";

void mutant_configure(struct box *b)
{
	char list[256], *rest = list;
	const char *value = getenv(variable);

	strncpy(list, value ? value : "", sizeof(list) - 1);
	list[sizeof(list) - 1] = '\0';
	for (char *name = strsep(&rest, ","); name; name = strsep(&rest, ",")) {
		b->unasked |= strcmp(name, "egress") == 0;
		for (int l = 0; l < LAYER_COUNT; l++)
			if (strcmp(layer_row((enum layer)l)->name, name) == 0)
				b->without |= LAYER_BIT(l);
	}
}
#else
typedef int mutant_is_not_in_this_build; /* ISO C forbids an empty file */
#endif
