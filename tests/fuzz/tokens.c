/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for what clients bring back: handles and plan tokens, and for the packed values
 * they are made of. Only what was made here is taken: of a good token that was changed in any way
 * nothing is left. A broken promise aborts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "origin/plan.h"
#include "tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool promise)
{
	if (!promise)
		abort();
}

/* Read from text without a mistake it must be the very text that is written. */
static void check_handle(const struct keeper *k, const char *text)
{
	char again[HANDLE_MAX];
	struct id id;

	if (!handle_read(k, TOKENS_PRINCIPAL, text, &id))
		return;
	handle_write(k, TOKENS_PRINCIPAL, &id, again);
	must(strcmp(again, text) == 0);
	must(!handle_read(k, "another", text, &id));
}

static void check_token(const struct keeper *k, const char *text)
{
	static const uint8_t sha256[KEEPER_SHA256];
	const struct domain d = {.memberc = 1};
	const struct label inputs = label_top();
	const struct plan_use use = {sha256, sha256, "python", ".py", 1, &inputs, &d, 1, sha256};
	struct plan plan;
	enum plan_answer a = plan_check(k->key.public, text, &use, &plan);

	must(a > PLAN_NONE && a < PLAN_ANSWERS);
	must(a == PLAN_FORGED || plan.lang[PLAN_LANG_MAX] == '\0');
}

static void check_label(const uint8_t *data, size_t len)
{
	struct unpacker u = {.data = data, .len = len};
	uint8_t again[LABEL_PACKED_MAX];
	struct packer p = {.data = again, .room = sizeof(again)};
	struct label l;

	label_unpack(&u, &l);
	must(l.integrity < INTEGRITY_COUNT && l.secrecy < SECRECY_COUNT &&
	     l.count <= LABEL_SOURCES_MAX);
	if (u.failed)
		return;
	label_pack(&p, &l);
	must(!p.failed && p.len == u.at && memcmp(again, data, p.len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	AUTO_FREE char *text = malloc(len + 1);
	struct keeper k;

	must(text);
	if (len)
		memcpy(text, data, len);
	text[len] = '\0';
	tokens_keeper(&k);
	check_handle(&k, text);
	check_token(&k, text);
	check_label(data, len);
	return 0;
}
