/* SPDX-License-Identifier: MIT
 *
 * All finders search the text, then each layer in the order in which it was added, so layers near
 * the surface come before a bound is reached.
 */
#include "scan/text/decode.h"

#include <stdlib.h>

#include "base/scope.h"
#include "scan/text/decode_private.h"
#include "scan/text/normal.h"

static const struct {
	bool (*find)(struct decoder *d, const char *data, size_t len);
} finders[] = {{decode_invisible}, {decode_escapes}, {decode_runs},
	       {decode_numbers},   {decode_dumps},   {decode_quoted}};

static const char *const bound_names[] = {
	[DECODE_COMPLETE] = "",
	[DECODE_BYTES] = "bytes",
	[DECODE_COUNT] = "layers",
	[DECODE_DEPTH] = "depth",
};

const char *decode_bound_name(enum decode_bound bound)
{
	return bound_names[bound];
}

static bool search(struct decoder *d, const char *data, size_t len)
{
	bool go_on = true;

	for (size_t i = 0; i < ARRAY_SIZE(finders) && go_on; i++)
		go_on = finders[i].find(d, data, len);
	return go_on;
}

/* Searches the text, then every layer added so far. At the last depth the search only finds out
 * whether there would be more. */
static void search_all(struct decoder *d, const char *data, size_t len)
{
	bool go_on = search(d, data, len);

	for (size_t i = 0; i < d->out->count && go_on; i++) {
		const struct decode_layer l = d->out->list[i];
		d->parent = i;
		d->depth = l.depth + 1;
		d->how = l.how;
		go_on = search(d, l.data, l.len);
	}
}

int decode_layers(const char *data, size_t len, const struct decode_limits *limits,
		  struct decode *ret, struct err *err)
{
	struct decoder d = {.out = ret, .text_len = len, .parent = DECODE_NO_PARENT, .how = ""};

	*ret = (struct decode){0};
	if (len > NORMAL_TEXT_MAX)
		return err_set(err, ERR_LIMIT, "text: longer than %zu bytes", NORMAL_TEXT_MAX);
	d.depth = 1;
	d.limits = limits ? *limits : (struct decode_limits){0};
	if (!d.limits.bytes)
		d.limits.bytes = DECODE_BYTES_FACTOR * len + DECODE_BYTES_EXTRA;
	if (!d.limits.count)
		d.limits.count = DECODE_COUNT_MAX + len / DECODE_COUNT_BYTES;
	if (d.limits.count > DECODE_COUNT_MOST)
		d.limits.count = DECODE_COUNT_MOST;
	if (!d.limits.depth)
		d.limits.depth = DECODE_DEPTH_MAX;
	search_all(&d, data, len);
	decoder_done(&d);
	if (!d.failed)
		return 0;
	decode_done(ret);
	return err_memory(err);
}

void decode_done(struct decode *d)
{
	arena_done(&d->arena);
	free(d->list);
	*d = (struct decode){0};
}
