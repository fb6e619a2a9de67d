/* SPDX-License-Identifier: MIT
 *
 * Compiled expressions as bytes, by PCRE2's own means. The machine's code is not part of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "scan/match_private.h"

bool match_has(const struct match_code *code, enum js_form form)
{
	return code && code->form[form];
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

int match_save(struct match_code *const *code, size_t count, enum js_form form, uint8_t **ret,
	       size_t *ret_len, struct err *err)
{
	AUTO_FREE const pcre2_code **list = calloc(count + 1, sizeof(const pcre2_code *));
	int32_t used = 0;
	uint8_t *bytes = NULL;
	PCRE2_SIZE len = 0;

	*ret = NULL;
	*ret_len = 0;
	if (!list)
		return err_set(err, ERR_SYSTEM, "patterns: out of memory");
	for (size_t i = 0; i < count; i++)
		if (match_has(code[i], form))
			list[used++] = code[i]->form[form];
	if (!used)
		return 0;
	if (pcre2_serialize_encode(list, used, &bytes, &len, NULL) != used)
		return err_set(err, ERR_SYSTEM, "patterns: PCRE2 cannot write them");
	*ret = malloc(len);
	if (*ret)
		memcpy(*ret, bytes, len);
	pcre2_serialize_free(bytes);
	*ret_len = len;
	return *ret ? 0 : err_set(err, ERR_SYSTEM, "patterns: out of memory");
}

/* Each form to its code. */
static int hand_out(struct match_code **code, const uint8_t *has, size_t count, enum js_form form,
		    pcre2_code **list, struct err *err)
{
	int32_t used = 0;

	for (size_t i = 0; i < count; i++) {
		if (!(has[i] >> form & 1))
			continue;
		if (!code[i])
			code[i] = match_new(has[i] & MATCH_HAS_UNICODE, err);
		if (!code[i])
			return -1;
		code[i]->form[form] = list[used];
		list[used++] = NULL;
	}
	return 0;
}

int match_load(struct match_code **code, const uint8_t *has, size_t count, enum js_form form,
	       const uint8_t *bytes, size_t len, struct err *err)
{
	AUTO_FREE pcre2_code **list = calloc(count + 1, sizeof(pcre2_code *));
	int32_t used = 0;

	if (!list)
		return err_set(err, ERR_SYSTEM, "patterns: out of memory");
	for (size_t i = 0; i < count; i++)
		used += has[i] >> form & 1;
	if (!used)
		return 0;
	if (!len || pcre2_serialize_get_number_of_codes(bytes) != used ||
	    pcre2_serialize_decode(list, used, bytes, NULL) != used)
		return err_set(err, ERR_INPUT, "patterns: PCRE2 does not take them");
	int status = hand_out(code, has, count, form, list, err);
	for (int32_t i = 0; i < used; i++)
		pcre2_code_free(list[i]);
	return status;
}
