/* SPDX-License-Identifier: MIT
 *
 * Encodes and decodes structs by their tables. The decoder checks every length and count against the
 * input, and accepts only what the encoder writes: different bytes never have the same meaning.
 */
#include "approval/fields.h"

#include <stdlib.h>
#include <string.h>

static void add_number(struct buf *out, uint64_t n)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(n >> (8 * i));
	buf_add(out, bytes, sizeof(bytes));
}

static void encode_list(const struct field *f, const struct approval_list *l, struct buf *out)
{
	const char *row = l->list;

	add_number(out, l->count);
	out->failed |= l->count > f->most;
	for (size_t i = 0; !out->failed && i < l->count; i++)
		fields_encode(f->row, row + i * f->row_size, FIELD_ALWAYS, out);
}

static void encode_text(const struct field *f, const char *text, struct buf *out)
{
	size_t len = text ? strlen(text) : 0;

	out->failed |= !text || len > f->most;
	add_number(out, len);
	if (!out->failed)
		buf_add(out, text, len);
}

void fields_encode(const struct field *f, const void *of, unsigned in, struct buf *out)
{
	for (; f->name; f++) {
		const void *at = (const char *)of + f->offset;
		if (!(f->in & in))
			continue;
		switch (f->type) {
		case FIELD_NUMBER:
			out->failed |= *(const uint64_t *)at > f->most;
			add_number(out, *(const uint64_t *)at);
			break;
		case FIELD_BYTES:
			buf_add(out, at, f->most);
			break;
		case FIELD_TEXT:
			encode_text(f, *(const char *const *)at, out);
			break;
		case FIELD_LIST:
			encode_list(f, at, out);
			break;
		}
	}
}

struct reader {
	const uint8_t *at;
	size_t left;
	struct arena *arena;
};

static bool take(struct reader *r, size_t len, const uint8_t **ret)
{
	if (len > r->left)
		return false;
	*ret = r->at;
	r->at += len;
	r->left -= len;
	return true;
}

static bool take_number(struct reader *r, uint64_t most, uint64_t *ret)
{
	const uint8_t *bytes;
	uint64_t n = 0;

	if (!take(r, 8, &bytes))
		return false;
	for (int i = 7; i >= 0; i--)
		n = n << 8 | bytes[i];
	*ret = n;
	return n <= most;
}

/* NUL is refused: the text would be shown shorter than what was signed. */
static bool take_text(struct reader *r, uint64_t most, const char **ret)
{
	const uint8_t *bytes;
	uint64_t len;

	if (!take_number(r, most, &len) || !take(r, len, &bytes) || memchr(bytes, 0, len))
		return false;
	char *text = arena_alloc(r->arena, len + 1);
	if (r->arena->failed)
		return false;
	memcpy(text, bytes, len);
	text[len] = '\0';
	*ret = text;
	return true;
}

static bool take_fields(struct reader *r, const struct field *f, void *ret);

/* Every row has at least one number, text or hash: eight bytes. */
static bool take_list(struct reader *r, const struct field *f, struct approval_list *ret)
{
	uint64_t count;

	if (!take_number(r, f->most, &count) || count > r->left / 8)
		return false;
	char *rows = arena_alloc(r->arena, (count + 1) * f->row_size);
	if (r->arena->failed)
		return false;
	memset(rows, 0, (count + 1) * f->row_size);
	for (uint64_t i = 0; i < count; i++)
		if (!take_fields(r, f->row, rows + i * f->row_size))
			return false;
	*ret = (struct approval_list){.count = count, .list = rows};
	return true;
}

static bool take_fields(struct reader *r, const struct field *f, void *ret)
{
	for (; f->name; f++) {
		void *at = (char *)ret + f->offset;
		const uint8_t *bytes;
		bool done = false;
		switch (f->type) {
		case FIELD_NUMBER:
			done = take_number(r, f->most, at);
			break;
		case FIELD_BYTES:
			done = take(r, f->most, &bytes);
			if (done)
				memcpy(at, bytes, f->most);
			break;
		case FIELD_TEXT:
			done = take_text(r, f->most, at);
			break;
		case FIELD_LIST:
			done = take_list(r, f, at);
			break;
		}
		if (!done)
			return false;
	}
	return true;
}

int fields_decode(const struct field *f, const uint8_t *data, size_t len, struct arena *a,
		  void *ret, struct err *err)
{
	struct reader r = {.at = data, .left = len, .arena = a};

	if (take_fields(&r, f, ret) && r.left == 0)
		return 0;
	if (a->failed)
		return err_memory(err);
	return err_set(err, ERR_INPUT, "an item of an approval is damaged");
}
