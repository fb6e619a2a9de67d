/* SPDX-License-Identifier: MIT
 *
 * The first bytes of a connection that goes through here. TLS must ask for the name that was
 * dialled, and must not hide it; on port 443 it must be TLS. Where a secret goes, it is plain HTTP,
 * whose header gets that. Nothing goes on before this is decided.
 */
#include <stdio.h>
#include <string.h>

#include "egress/head.h"
#include "egress/hello.h"
#include "egress/relay.h"

enum { TLS_PORT = 443 };
_Static_assert((int)RELAY_ROOM >= (int)HELLO_MAX, "a first record fits");

bool relay_refuse(struct relay *r, const char *why)
{
	r->attempt->row.verdict = EGRESS_REFUSED;
	snprintf(r->attempt->row.rule, sizeof(r->attempt->row.rule), "%s", why);
	return false;
}

/* The secret takes the place of what stands for it. */
static bool put_secret(struct relay *r)
{
	struct flow *f = &r->from[INNER];
	const char *why = HEAD_NO_REQUEST;
	char head[HEAD_MAX];
	size_t end = head_end((char *)f->data, f->len), size = 0;

	if (!end && f->len <= HEAD_MAX / 2 && !f->ended)
		return true;
	if (end && end <= HEAD_MAX / 2)
		size = head_rewrite((char *)f->data, end, r->secret, head, sizeof(head), &why);
	if (!size || f->len - end > RELAY_ROOM - size)
		return relay_refuse(r, why);
	memmove(f->data + size, f->data + end, f->len - end);
	memcpy(f->data, head, size);
	explicit_bzero(head, sizeof(head));
	f->len = f->len - end + size;
	r->checked = true;
	return true;
}

static bool check_name(struct relay *r)
{
	struct flow *f = &r->from[INNER];
	struct egress_row *row = &r->attempt->row;
	char name[EGRESS_NAME_MAX];
	enum hello h = hello_read(f->data, f->len, name);

	if (r->checked || (h == HELLO_MORE && !f->ended))
		return true;
	r->checked = true;
	if (h == HELLO_NO_TLS && row->port != TLS_PORT)
		return true;
	if (h == HELLO_MORE && f->len == 0)
		return true;
	if (h == HELLO_NAMED && strcmp(name, row->name) == 0)
		return true;
	if (h == HELLO_HIDDEN)
		return relay_refuse(r, "its TLS hides the name that it asks for");
	if (h == HELLO_NO_TLS)
		return relay_refuse(r, "it is no TLS, on port 443");
	if (h != HELLO_NAMED)
		return relay_refuse(r, h == HELLO_BAD ? "its TLS names no host"
						      : "its first message of TLS is cut short");
	row->verdict = EGRESS_REFUSED;
	snprintf(row->rule, sizeof(row->rule), "its TLS asks for %.253s", name);
	return false;
}

bool relay_check(struct relay *r)
{
	if (r->secret)
		return r->checked || put_secret(r);
	return check_name(r);
}
