/* SPDX-License-Identifier: MIT
 *
 * Attachments of a request, for people to read: standard input, lists of files, texts of changes. They
 * follow the code in the order of the request's rows. People sign their hashes.
 */
#include <string.h>

#include "approval/approval.h"
#include "base/digest.h"

void approval_attach_code(struct approval_attachments *k, const void *data, size_t len)
{
	k->bytes.most = APPROVAL_CODE_MAX + APPROVAL_ATTACHED_MAX;
	buf_add(&k->bytes, data, len);
}

bool approval_attach(struct approval_attachments *k, const char *name, const void *data, size_t len)
{
	if (!k->bytes.most)
		k->bytes.most = APPROVAL_CODE_MAX + APPROVAL_ATTACHED_MAX;
	if (k->count == APPROVAL_ATTACHMENTS_MAX || len > k->bytes.most - k->bytes.len)
		return false;
	struct approval_attachment *row = &k->row[k->count++];
	*row = (struct approval_attachment){.name = name, .len = len};
	digest_of(row->sha256, len ? data : "", len);
	buf_add(&k->bytes, data, len);
	return true;
}

struct approval_code approval_code_alone(const struct approval_request *r,
					 const struct approval_code *code)
{
	return (struct approval_code){.data = code->data, .len = r->code_len};
}

static bool has_hash(const void *data, size_t len, const uint8_t sha256[APPROVAL_SHA256])
{
	uint8_t sum[APPROVAL_SHA256];

	digest_of(sum, len ? data : "", len);
	return memcmp(sum, sha256, sizeof(sum)) == 0;
}

struct rows {
	const struct approval_attachment *first, *at, *end;
};

/* The next row, if its name is WHAT followed by PATH and no earlier row has that name: other code finds
 * rows by name. */
static const struct approval_attachment *take_row(struct rows *r, const char *what,
						  const char *path)
{
	size_t len = strlen(what);

	if (r->at == r->end || strncmp(r->at->name, what, len) != 0 ||
	    strcmp(r->at->name + len, path) != 0)
		return NULL;
	for (const struct approval_attachment *k = r->first; k < r->at; k++)
		if (strcmp(k->name, r->at->name) == 0)
			return NULL;
	return r->at++;
}

/* As in overlay/overlay.h. */
enum { TYPE_ABSENT, TYPE_FILE, TYPE_DIRECTORY, TYPE_LINK };

static bool is_side(struct rows *r, const char *what, const char *path, uint64_t type,
		    const uint8_t sha256[APPROVAL_SHA256])
{
	const struct approval_attachment *k = take_row(r, what, path);

	if (!k)
		return false;
	if (type == TYPE_FILE || type == TYPE_LINK)
		return memcmp(k->sha256, sha256, sizeof(k->sha256)) == 0;
	return (type == TYPE_ABSENT || type == TYPE_DIRECTORY) && k->len == 0;
}

/* Do the attachments match the rest of the request, each at its place? The lists of files have no
 * other hash: the subject includes all rows, and only Cordon makes such lists. */
static bool rows_belong(const struct approval_request *r)
{
	const struct approval_change *c = r->changes.list;
	const struct approval_attachment *first = r->attachments.list;
	struct rows rows = {first, first, first + r->attachments.count};

	const struct approval_attachment *input = take_row(&rows, "stdin", "");
	if (input ? memcmp(input->sha256, r->stdin_sha256, sizeof(input->sha256)) != 0
		  : !has_hash("", 0, r->stdin_sha256))
		return false;
	take_row(&rows, "files", "");
	take_row(&rows, "pending files", "");
	for (size_t i = 0; i < r->changes.count; i++)
		if (c[i].shown == APPROVAL_TEXT &&
		    (!is_side(&rows, "before ", c[i].path, c[i].before_type, c[i].before_sha256) ||
		     !is_side(&rows, "after ", c[i].path, c[i].after_type, c[i].after_sha256)))
			return false;
	return rows.at == rows.end;
}

bool approval_code_fits(const struct approval_request *r, const struct approval_code *code)
{
	const struct approval_attachment *k = r->attachments.list;
	const char *at = code->data;
	size_t left = code->len;

	if (r->code_len > left || !has_hash(at, r->code_len, r->code_sha256))
		return false;
	left -= r->code_len;
	at += r->code_len;
	for (size_t i = 0; i < r->attachments.count; i++) {
		if (k[i].len > left || !has_hash(at, k[i].len, k[i].sha256))
			return false;
		left -= k[i].len;
		at += k[i].len;
	}
	return left == 0 && rows_belong(r);
}

bool approval_attachment_find(const struct approval_request *r, const struct approval_code *code,
			      const char *name, struct approval_code *ret)
{
	const struct approval_attachment *k = r->attachments.list;
	const char *at = (const char *)code->data + r->code_len;

	for (size_t i = 0; i < r->attachments.count; at += k[i++].len)
		if (strcmp(k[i].name, name) == 0) {
			*ret = (struct approval_code){.data = at, .len = k[i].len};
			return true;
		}
	return false;
}
