/* SPDX-License-Identifier: MIT
 *
 * Between js_emit.c, which writes an expression node by node, and the file that writes characters and
 * classes of them. Every function sets FAILED when memory is out or the pattern would be too long.
 */
#ifndef CORDON_SCAN_JS_WRITE_H
#define CORDON_SCAN_JS_WRITE_H

#include "scan/js_case.h"
#include "scan/js_emit.h"
#include "scan/js_toll.h"

enum { JS_ASCII_MAX = 0x7f };

struct emitter {
	const struct js_ast *ast;
	enum js_form form;
	char *text;
	size_t len, room;
	bool failed;
	bool folding;	       /* (?i) holds here; wide form only */
	enum js_before before; /* what was written last */
	uint32_t branches;     /* of what comes behind the node that is written */
	uint32_t ways;	       /* see js_toll_of_run */
	bool in_behind;
	uint8_t *life;
	uint32_t sub[JS_SUBS_MAX];
	unsigned subs;
};

void js_put(struct emitter *e, const char *s);
bool js_ignores_case(const struct emitter *e);
/* Switches (?i) where that is not so already; wide form only. */
void js_put_fold(struct emitter *e, bool on);
/* All characters a literal stands for, as closed ranges. */
size_t js_literal_set(const struct emitter *e, uint32_t c, struct js_range out[JS_CASE_MAX]);
void js_put_literal(struct emitter *e, const struct js_node *n);
void js_put_class(struct emitter *e, const struct js_node *n);

#endif
