/* SPDX-License-Identifier: MIT
 *
 * A handle, a token as plan_mint writes them with the target's keys, and a packed label.
 */
#include <stdlib.h>
#include <string.h>

#include "origin/handle.h"
#include "origin/label.h"
#include "seeds.h"
#include "tokens.h"

const int seed_rounds = 3000;

static size_t make_handle(const struct keeper *k, char *out)
{
	handle_write(k, TOKENS_PRINCIPAL, &(struct id){{1, 2, 3}}, out);
	return strlen(out);
}

/* Of the right shape: its signature is good for other bytes. */
static size_t make_token(const struct keeper *k, char *out)
{
	uint8_t bytes[200 + KEY_SIGNATURE] = {1};

	key_sign(&k->key, bytes, 200, bytes + 200);
	memcpy(out, "p1.", 4);
	sodium_bin2base64(out + 3, 500, bytes, sizeof(bytes),
			  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	return strlen(out);
}

static size_t make_label(const struct keeper *k, char *out)
{
	struct packer p = {.data = (uint8_t *)out, .room = 512};
	struct label l = label_unknown();

	(void)k;
	label_add_source(&l, &(struct id){{9}});
	label_add_source(&l, &(struct id){{8}});
	label_pack(&p, &l);
	return p.len;
}

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	static size_t (*const makers[])(const struct keeper *, char *) = {make_handle, make_token,
									  make_label};
	struct keeper k;
	char *out = i < sizeof(makers) / sizeof(makers[0]) ? calloc(1, 512) : NULL;

	if (!out)
		return NULL;
	tokens_keeper(&k);
	*ret_len = makers[i](&k, out);
	return (uint8_t *)out;
}
