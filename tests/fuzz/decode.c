/* SPDX-License-Identifier: MIT
 *
 * The fuzz target of the decoder. The first three bytes are bounds (0: the default), the rest is a
 * text. Every layer must be within its parent and the bounds and be listed once, parents must come
 * before their layers, and the small bounds must find nothing that the large ones do not. The same
 * text read as UTF-16 and UTF-32 must give valid UTF-8 of the promised size. A broken promise
 * aborts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "scan/text/decode.h"
#include "scan/text/wide.h"
#include "yaml/yaml_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { HEAD = 3 };

static void must(bool promise)
{
	if (!promise)
		abort();
}

static void check_layer(const struct decode *d, size_t i, size_t text_len)
{
	const struct decode_layer *l = &d->list[i];
	bool top = l->parent == DECODE_NO_PARENT;

	must(top || l->parent < i);
	must(l->depth == (top ? 1 : d->list[l->parent].depth + 1));
	must(i == 0 || l->depth >= d->list[i - 1].depth);
	size_t parent_len = top ? text_len : d->list[l->parent].len;
	must(l->len > 0 && l->len <= parent_len);
	must(l->span > 0 && l->offset <= parent_len && l->span <= parent_len - l->offset);
	must(l->how[0] != '\0');
	for (size_t k = 0; k < i; k++)
		must(l->len != d->list[k].len || memcmp(l->data, d->list[k].data, l->len) != 0);
}

static bool has(const struct decode *d, const struct decode_layer *wanted)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->list[i].len == wanted->len &&
		    !memcmp(d->list[i].data, wanted->data, wanted->len))
			return true;
	return false;
}

/* A buffer of the promised size: the sanitizer sees a write past the end. */
static void check_wide(const char *text, size_t len)
{
	must(wide_guess(text, len) < 1U << WIDE_COUNT);
	for (unsigned i = 0; i < WIDE_COUNT; i++) {
		size_t size = wide_size(text, len, (enum wide)i);
		AUTO_FREE char *out = malloc(size ? size : 1);
		must(out && size <= 3 * (len / 2 + 1));
		wide_read(text, len, (enum wide)i, out);
		must(yaml_text_is_utf8(out, size));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct decode all, few;
	struct err err;

	if (len < HEAD)
		return 0;
	/* In a buffer of its exact size, so that the sanitizer sees a read past the end. */
	size_t text_len = len - HEAD, bytes = 0;
	AUTO_FREE char *text = malloc(text_len ? text_len : 1);
	must(text != NULL);
	memcpy(text, data + HEAD, text_len);
	check_wide(text, text_len);
	struct decode_limits limits = {data[0], data[1], data[2] % 5};
	must(decode_layers(text, text_len, NULL, &all, &err) == 0);
	must(decode_layers(text, text_len, &limits, &few, &err) == 0);
	for (size_t i = 0; i < all.count; i++) {
		check_layer(&all, i, text_len);
		must(all.list[i].depth <= DECODE_DEPTH_MAX);
		bytes += all.list[i].len;
	}
	must(bytes == all.bytes && bytes <= DECODE_BYTES_FACTOR * text_len + DECODE_BYTES_EXTRA);
	for (size_t i = 0; i < few.count; i++)
		check_layer(&few, i, text_len);
	must(!limits.bytes || few.bytes <= limits.bytes);
	must(!limits.count || few.count <= limits.count);
	/* After a bound was reached the two may differ. */
	for (size_t i = 0;
	     i < few.count && all.bound == DECODE_COMPLETE && few.bound == DECODE_COMPLETE; i++)
		must(has(&all, &few.list[i]) || limits.depth > DECODE_DEPTH_MAX);
	decode_done(&few);
	decode_done(&all);
	return 0;
}
