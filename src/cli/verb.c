/* SPDX-License-Identifier: MIT
 *
 * The rows are the commands' own; only what they begin with is known here.
 */
#include "cli/verb.h"

#include <string.h>

static bool is_word(const struct cli_call *call, int i, const char *word)
{
	return i < call->argc && strcmp(call->argv[i], word) == 0;
}

static bool is_asked(const struct cli_call *call, const struct cli_verb *verb)
{
	int operands = call->argc - (verb->second ? 2 : 1);

	return is_word(call, 0, verb->name) && (!verb->second || is_word(call, 1, verb->second)) &&
	       operands >= verb->least && operands <= verb->most;
}

const void *cli_find_verb(const struct cli_call *call, const void *rows, size_t count, size_t size)
{
	/* Behind -- stands what a program is given, and here is none. */
	for (size_t i = 0; !call->request.argc && i < count; i++) {
		const void *row = (const char *)rows + i * size;
		if (is_asked(call, row))
			return row;
	}
	return NULL;
}
