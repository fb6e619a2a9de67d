/* SPDX-License-Identifier: MIT
 *
 * A request with nothing asked for: the strictest tier, every limit at its default.
 */
#include "model/request.h"

#include <string.h>

void request_init(struct request *r)
{
	memset(r, 0, sizeof(*r));
	for (int i = 0; i < LIMIT_COUNT; i++)
		r->limit[i] = limit_row((enum limit_id)i)->fallback;
}
