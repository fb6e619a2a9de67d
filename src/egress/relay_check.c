/* SPDX-License-Identifier: MIT
 *
 * Checks the first bytes of a connection that goes through cordon-egress. TLS must ask for the name that the
 * program connected to, and must not hide it; port 443 must be TLS. A connection that gets a secret must be
 * plain HTTP, and the secret is put into its header. No byte is passed on before the check.
 */
#include <stdio.h>
#include <string.h>

#include "egress/client_hello.h"
#include "egress/http_head.h"
#include "egress/relay.h"

enum { TLS_PORT = 443 };
_Static_assert((int)RELAY_ROOM >= (int)HELLO_MAX, "a first record fits");

bool relay_refuse(struct relay *r, const char *why)
{
	r->attempt->row.verdict = EGRESS_REFUSED;
	snprintf(r->attempt->row.rule, sizeof(r->attempt->row.rule), "%s", why);
	return false;
}

/* Replaces the placeholder with the secret. */
static bool put_secret(struct relay *r)
{
	struct flow *f = &r->from[INNER];
	const char *why = HEAD_NO_REQUEST;
	char head[HEAD_MAX];
	size_t end = http_head_end((char *)f->data, f->len), size = 0;

	if (!end && f->len <= HEAD_MAX / 2 && !f->ended)
		return true;
	if (end && end <= HEAD_MAX / 2)
		size = http_head_rewrite((char *)f->data, end, r->secret, head, sizeof(head), &why);
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
	enum hello h = client_hello_read(f->data, f->len, name);

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
		return relay_refuse(r, "port 443 without TLS");
	if (h != HELLO_NAMED)
		return relay_refuse(r, h == HELLO_BAD ? "its TLS does not name a host"
						      : "its first TLS message is incomplete");
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
