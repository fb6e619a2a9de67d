/* SPDX-License-Identifier: MIT
 *
 * Puts the three steps together.
 */
#include "scan/regex/regex.h"

#include <stdlib.h>
#include <string.h>

#include "scan/regex/parse.h"
#include "scan/regex/simplify.h"

int regex_translate(const char *source, size_t len, unsigned flags, struct regex *ret,
		    struct err *err)
{
	memset(ret, 0, sizeof(*ret));
	if (js_parse(source, len, flags, &ret->ast, err) < 0)
		return -1;
	if (js_simplify(&ret->ast, err) == 0 &&
	    js_emit(&ret->ast, JS_WIDE, &ret->form[JS_WIDE], err) == 0 &&
	    js_emit(&ret->ast, JS_ASCII, &ret->form[JS_ASCII], err) == 0)
		return 0;
	regex_done(ret);
	return -1;
}

void regex_done(struct regex *r)
{
	js_ast_done(&r->ast);
	for (int i = 0; i < JS_FORMS; i++)
		free(r->form[i].text);
	memset(r, 0, sizeof(*r));
}

unsigned regex_of_rule(const char *value, size_t len, size_t *ret_skip)
{
	size_t i = 2;

	*ret_skip = 0;
	if (len > 3 && !memcmp(value, "(?", 2)) {
		while (i < len && value[i] && strchr("imsx", value[i]))
			i++;
		if (i > 2 && i < len && value[i] == ')')
			*ret_skip = i + 1;
	}
	value += *ret_skip;
	len -= *ret_skip;
	bool unicode = memmem(value, len, "\\u{", 3) || memmem(value, len, "\\p{", 3);
	return JS_IGNORE_CASE | (unicode ? JS_UNICODE : 0);
}
