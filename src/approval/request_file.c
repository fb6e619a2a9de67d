/* SPDX-License-Identifier: MIT
 *
 * The file has the bytes of the request, then code and attachments. The reader computes the digests
 * again, so people sign what they have seen. The answer is text: see answer.c.
 */
#include "approval/request_file.h"

#include <stdlib.h>
#include <string.h>

#include "approval/approval_private.h"

#define REQUEST_MAGIC "cordon parked request 1\n"
enum { LENGTH = 8 };

int request_file_write(const struct approval *a, const struct approval_code *code, struct buf *out,
		       struct err *err)
{
	AUTO_BUF struct buf request = {0};
	uint8_t length[LENGTH];

	*out = (struct buf){.most = REQUEST_FILE_MAX};
	if (request_encode(&a->request, &request, err) < 0)
		return -1;
	for (int i = 0; i < LENGTH; i++)
		length[i] = (uint8_t)((uint64_t)request.len >> (8 * i));
	buf_str(out, REQUEST_MAGIC);
	buf_add(out, length, sizeof(length));
	buf_add(out, request.data, request.len);
	buf_add(out, code->data, code->len);
	return out->failed ? err_set(err, ERR_LIMIT, "the request is too large for a file") : 0;
}

static int bad(struct err *err)
{
	return err_set(err, ERR_INPUT, "not a request, or not a complete one");
}

/* The request has the hash of the code, and people sign the hash of the request. */
static int take_code(const struct approval_request *r, const uint8_t *data, size_t len,
		     struct approval_code *ret, struct err *err)
{
	if (!approval_code_fits(r, &(struct approval_code){data, len}))
		return err_set(err, ERR_INPUT, "the code does not match the request");
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

	if (len < head || len > REQUEST_FILE_MAX ||
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

int request_file_read(const uint8_t *data, size_t len, struct approval *ret,
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
