/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for the code view's answer: any bytes into its reader. What is refused must be
 * refused with a reason; what is taken must keep every promise of view.h, so that code that
 * prints or scans it need not look again. A broken promise aborts.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "read/view_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool promise)
{
	if (!promise)
		abort();
}

static void check_line(const char *s)
{
	must(strlen(s) <= VIEW_VALUE_MAX);
	for (; *s; s++)
		must((unsigned char)*s >= 0x20 && *s != 0x7f);
}

static void check_view(const struct code_view *v)
{
	must(v->state <= CODE_VIEW_WHOLE && v->text && v->reason);
	must(v->text_len <= VIEW_TEXT_MAX && strlen(v->text) == v->text_len);
	must(v->state == CODE_VIEW_WHOLE || *v->reason);
	check_line(v->reason);
	must(v->effectc <= VIEW_EFFECTS_MAX);
	for (size_t i = 0; i < v->effectc; i++) {
		must(v->effect[i].kind < EFFECT_KINDS && v->effect[i].line > 0);
		must(*v->effect[i].value);
		check_line(v->effect[i].value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	/* Of its exact size, so that the sanitizer sees a read past the end. */
	AUTO_FREE char *copy = malloc(len ? len : 1);
	struct code_view view = {0};
	struct err err = {0};

	must(copy);
	if (len)
		memcpy(copy, data, len);
	if (view_parse(copy, len, &view, &err) == 0)
		check_view(&view);
	else
		must(err.code == ERR_LIMIT && err.message[0] && err.cause[0]);
	arena_done(&view.arena);
	return 0;
}
