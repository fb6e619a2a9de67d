/* SPDX-License-Identifier: MIT
 *
 * Joins the head and the tail of a capture. JSON strings are Unicode. A stream with invalid UTF-8
 * is base64 as a whole, so that the reader gets the exact bytes.
 */
#include "show/stream.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

/* Moves the gap out of a UTF-8 character: half a character would make text look binary. */
static size_t char_start_before(const char *s, size_t at)
{
	size_t back = 0;

	while (back < 4 && at > back && ((unsigned char)s[at - back - 1] & 0xc0) == 0x80)
		back++;
	if (at > back && (unsigned char)s[at - back - 1] >= 0xc0)
		return at - back - 1;
	return at;
}

static size_t char_start_after(const char *s, size_t at, size_t len)
{
	size_t end = at;

	while (end < len && end - at < 3 && ((unsigned char)s[end] & 0xc0) == 0x80)
		end++;
	return end;
}

json_t *stream_base64(const char *data, size_t len)
{
	size_t size = sodium_base64_ENCODED_LEN(len, sodium_base64_VARIANT_ORIGINAL);
	AUTO_FREE char *text = malloc(size);

	if (!text)
		return NULL;
	sodium_bin2base64(text, size, (const unsigned char *)data, len,
			  sodium_base64_VARIANT_ORIGINAL);
	return json_string(text);
}

void stream_init(struct stream *s, const struct capture *c)
{
	size_t len = 0, gap = 0;
	AUTO_FREE char *all = capture_join(c, &len, &gap);

	*s = (struct stream){.total = c->total, .omitted = capture_omitted(c)};
	if (!all)
		len = 0;
	if (all && s->omitted) {
		size_t before = char_start_before(all, gap),
		       after = char_start_after(all, gap, len);
		memmove(all + before, all + after, len - after);
		s->omitted += after - before;
		len -= after - before;
		s->gap_at = before;
	}
	s->text = json_stringn(all ? all : "", len);
	s->encoding = s->text ? "utf-8" : "base64";
	if (!s->text)
		s->text = stream_base64(all, len);
}
