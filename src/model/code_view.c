/* SPDX-License-Identifier: MIT
 *
 * See code_view.h.
 */
#include "model/code_view.h"

static const char *const effect_names[EFFECT_KINDS] = {
	[EFFECT_IMPORT] = "import", [EFFECT_PROGRAM] = "program", [EFFECT_HOST] = "host",
	[EFFECT_READ] = "read",	    [EFFECT_WRITE] = "write",	  [EFFECT_PATH] = "path",
	[EFFECT_ENV] = "env",	    [EFFECT_DYNAMIC] = "dynamic", [EFFECT_NETWORK] = "network",
};

const char *effect_name(enum effect_kind kind)
{
	return effect_names[kind];
}

void code_view_done(struct code_view *v)
{
	arena_done(&v->arena);
	*v = (struct code_view){.text = "", .reason = ""};
}
