/* SPDX-License-Identifier: MIT
 *
 * A request travels as its bytes with the code's behind them: whoever reads it makes the digests
 * again, so what they see is what they sign. A word travels as one line of letters.
 */
#include "approval/carry.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "approval/fields.h"
#include "base/digest.h"

#define REQUEST_MAGIC "cordon parked request 1\n"
#define VOTE_MARK "cordon-vote-1:"
enum { VOTE_BYTES_MAX = (CARRY_VOTE_MAX - sizeof(VOTE_MARK)) / 2, LENGTH = 8 };

int carry_request(const struct approval *a, const struct approval_code *code, struct buf *out,
		  struct err *err)
{
	AUTO_BUF struct buf request = {0};
	uint8_t length[LENGTH];

	*out = (struct buf){.most = CARRY_MAX};
	if (request_encode(&a->request, &request, err) < 0)
		return -1;
	for (int i = 0; i < LENGTH; i++)
		length[i] = (uint8_t)((uint64_t)request.len >> (8 * i));
	buf_str(out, REQUEST_MAGIC);
	buf_add(out, length, sizeof(length));
	buf_add(out, request.data, request.len);
	buf_add(out, code->data, code->len);
	return out->failed ? err_set(err, ERR_LIMIT, "the request is too large to be carried") : 0;
}

static int bad(struct err *err)
{
	return err_set(err, ERR_INPUT, "that is no parked request, or not all of it");
}

/* The code's hash is in the request, and the request's is what is signed. */
static int take_code(const struct approval_request *r, const uint8_t *data, size_t len,
		     struct approval_code *ret, struct err *err)
{
	uint8_t sha256[APPROVAL_SHA256];

	digest_of(sha256, data, len);
	if (len != r->code_len || memcmp(sha256, r->code_sha256, sizeof(sha256)) != 0)
		return err_set(err, ERR_INPUT, "the code is not the one that the request is about");
	uint8_t *copy = malloc(len + 1);
	if (!copy)
		return err_memory(err);
	memcpy(copy, data, len);
	*ret = (struct approval_code){.data = copy, .len = len};
	return 0;
}

static int read_all(const uint8_t *data, size_t len, struct approval *a,
		    struct approval_code *ret_code, struct err *err)
{
	size_t head = sizeof(REQUEST_MAGIC) - 1 + LENGTH;
	uint64_t request = 0;

	if (len < head || len > CARRY_MAX ||
	    memcmp(data, REQUEST_MAGIC, sizeof(REQUEST_MAGIC) - 1) != 0)
		return bad(err);
	for (int i = LENGTH - 1; i >= 0; i--)
		request = request << 8 | data[sizeof(REQUEST_MAGIC) - 1 + i];
	if (request > len - head)
		return bad(err);
	if (request_decode(data + head, request, &a->arena, &a->request, err) < 0 ||
	    approval_set_binding(a, err) < 0)
		return -1;
	return take_code(&a->request, data + head + request, len - head - request, ret_code, err);
}

int carry_request_read(const uint8_t *data, size_t len, struct approval *ret,
		       struct approval_code *ret_code, struct err *err)
{
	*ret = (struct approval){.status = {.state = APPROVAL_PENDING, .reason = ""}};
	if (read_all(data, len, ret, ret_code, err) == 0) {
		memcpy(ret->status.binding, ret->binding, sizeof(ret->binding));
		return 0;
	}
	approval_done(ret);
	return -1;
}

int carry_vote(const struct approval_vote *v, char ret[CARRY_VOTE_MAX], struct err *err)
{
	AUTO_BUF struct buf bytes = {.most = VOTE_BYTES_MAX};

	fields_encode(vote_fields, v, FIELD_ALWAYS, &bytes);
	if (bytes.failed)
		return err_set(err, ERR_LIMIT, "a vote is too large");
	memcpy(ret, VOTE_MARK, sizeof(VOTE_MARK));
	sodium_bin2hex(ret + sizeof(VOTE_MARK) - 1, 2 * bytes.len + 1, bytes.data, bytes.len);
	return 0;
}

int carry_vote_read(const char *text, struct arena *a, struct approval_vote *ret, struct err *err)
{
	size_t mark = sizeof(VOTE_MARK) - 1, len = strnlen(text, CARRY_VOTE_MAX), bytes = 0;
	uint8_t data[VOTE_BYTES_MAX];
	const char *end = NULL;

	if (len < mark || len >= CARRY_VOTE_MAX || memcmp(text, VOTE_MARK, mark) != 0 ||
	    sodium_hex2bin(data, sizeof(data), text + mark, len - mark, NULL, &bytes, &end) != 0 ||
	    *end)
		return err_set(err, ERR_INPUT, "that is no vote");
	return fields_decode(vote_fields, data, bytes, a, ret, err);
}
