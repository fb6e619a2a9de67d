/* SPDX-License-Identifier: MIT
 *
 * Policies with every key, and requests to explain.
 */
#include "base/scope.h"
#include "seeds.h"

const int seed_rounds = 20000;

static const struct seed seeds[] = {
	SEED("version: 1\nprofile: strict\norigins: {undeclared: derived}\n"
	     "net:\n  allow: ['*.example.org:443', 192.0.2.0/24:80-90, '[2001:db8::/32]:*']\n"
	     "  deny: [example.com, 10.0.0.0/8]\n"
	     "contained: {tier: no-cgroup, limits: {time: 5s, memory: 64M, pids: 8, cpu: 50%}}\n"
	     "approval: {scope: domain, ttl: 90m, approvers: 2}\n"),
	SEED("version: 1\nrules:\n"
	     "- id: derived-asks\n  why: a person looks at what came from outside\n"
	     "  when: {origin: [derived, exposed], caps_any: [write, net]}\n  then: ask\n"
	     "  approval: {scope: hash, ttl: 10m, approvers: 1}\n"
	     "  match: [{origin: derived, caps: [compute, net], verdict: ask}]\n"
	     "  not_match: [{origin: agent}]\n"
	     "- {id: no-shell, when: {lang: bash, source: [web, tool_result]}, then: deny}\n"
	     "- {id: open, when: {origin: exposed, caps: [read, net], grade: none}, then: "
	     "allow}\n"),
	SEED("{\"origin\": \"derived\", \"caps\": [\"compute\", \"net\"], \"grade\": \"shown\",\n"
	     " \"lang\": \"python\", \"source\": [\"web\", \"run_output\"]}"),
};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	return seed_copy(seeds, ARRAY_SIZE(seeds), i, ret_len);
}
