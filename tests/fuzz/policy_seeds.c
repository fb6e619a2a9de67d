/* SPDX-License-Identifier: MIT
 *
 * Policies with every key.
 */
#include "base/scope.h"
#include "seeds.h"

const int seed_rounds = 20000;

static const struct seed seeds[] = {
	SEED("version: 2\nprofile: strict\nclean: {write: allow, net: listed, secret: ask}\n"
	     "exposed: {write: ask, net: deny, secret: deny, tier: no-cgroup,\n"
	     "  limits: {time: 5s, memory: 64M, pids: 8, cpu: 50%}}\n"
	     "net:\n  allow: ['*.example.org:443', 192.0.2.0/24:80-90, '[2001:db8::/32]:*']\n"
	     "  deny: [example.com, 10.0.0.0/8]\n  trusted: [docs.example.org:443]\n  sni: true\n"
	     "approval: {wait: 1h, ttl: 90m, approvers: 2}\nconfirmation: {write: no, secret: "
	     "yes}\n"),
	SEED("version: 2\nprofile: observe\n"
	     "secrets:\n- {name: A, host: 'a.example:443', env: X, header: X-Key, methods: [PUT, "
	     "GET], path: /v1}\n"
	     "- {name: B, host: 'b.example:443', command: pass show b}\n"
	     "grants:\n- {directory: /srv/app, write: [src, .github/workflows/x.yml],\n"
	     "   net: ['registry.example:443'], secret: ['A=GET,PUT:a.example:443/v1/x']}\n- "
	     "{directory: /srv, write: [.]}\n"
	     "rules: {ATR-2026-00297: shown, ATR-2026-00001: denies}\n"),
};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	return seed_copy(seeds, ARRAY_SIZE(seeds), i, ret_len);
}
