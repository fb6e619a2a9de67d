/* SPDX-License-Identifier: MIT
 *
 * Compiled expressions as bytes, by PCRE2's own means, each by itself: of thousands a text needs
 * some ten. The machine's code is not part of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "scan/match_private.h"

bool match_has(const struct match_code *code, enum js_form form)
{
	return code && match_state(code, form) != FORM_NEVER;
}

bool match_is_unicode(const struct match_code *code)
{
	return code->unicode;
}

void match_library(char *ret, size_t size)
{
	char version[64] = "";
	uint32_t link = 0;

	if (pcre2_config(PCRE2_CONFIG_VERSION, NULL) < (int)sizeof(version))
		pcre2_config(PCRE2_CONFIG_VERSION, version);
	pcre2_config(PCRE2_CONFIG_LINKSIZE, &link);
	snprintf(ret, size, "%.40s link %u", version, link);
}

/* PCRE2 writes a head and then the code as it is in memory, so the head's length is known. */
int match_save(const struct match_code *code, enum js_form form, uint8_t **ret, size_t *ret_len,
	       size_t *ret_head_len, struct err *err)
{
	const pcre2_code *one = code->machine->form[form];
	uint8_t *bytes = NULL;
	PCRE2_SIZE len = 0;
	size_t own = 0;

	if (pcre2_pattern_info(one, PCRE2_INFO_SIZE, &own) != 0 ||
	    pcre2_serialize_encode(&one, 1, &bytes, &len, NULL) != 1 || own > len) {
		pcre2_serialize_free(bytes);
		return err_set(err, ERR_SYSTEM, "patterns: PCRE2 cannot write them");
	}
	*ret = malloc(len);
	if (*ret)
		memcpy(*ret, bytes, len);
	pcre2_serialize_free(bytes);
	*ret_len = len;
	*ret_head_len = len - own;
	return *ret ? 0 : err_memory(err);
}

struct match_code *match_lazy(const struct match_bytes *bytes, bool unicode, struct err *err)
{
	struct match_code *code = match_new(unicode, err);

	if (!code)
		return NULL;
	code->bytes = *bytes;
	for (int i = 0; i < JS_FORMS; i++)
		if (bytes->len[i])
			atomic_init(&code->machine->state[i], FORM_ENCODED);
	return code;
}

pcre2_code *match_decode(const struct match_bytes *bytes, enum js_form form)
{
	size_t len = bytes->head_len + bytes->len[form];
	AUTO_FREE uint8_t *whole = malloc(len);
	pcre2_code *code = NULL;

	if (!whole)
		return NULL;
	memcpy(whole, bytes->head, bytes->head_len);
	memcpy(whole + bytes->head_len, bytes->own[form], bytes->len[form]);
	return pcre2_serialize_decode(&code, 1, whole, NULL) == 1 ? code : NULL;
}
