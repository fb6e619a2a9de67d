/* SPDX-License-Identifier: MIT
 *
 * A captured stream as JSON: text, or base64.
 */
#ifndef CORDON_SHOW_STREAM_H
#define CORDON_SHOW_STREAM_H

#include <jansson.h>

#include "model/result.h"

struct stream {
	json_t *text; /* owned by the caller */
	const char *encoding;
	uint64_t total, omitted;
	size_t gap_at;
};

void stream_init(struct stream *s, const struct capture *c);
json_t *stream_base64(const char *data, size_t len);

#endif
