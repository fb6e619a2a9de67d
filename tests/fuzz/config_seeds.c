/* SPDX-License-Identifier: MIT
 *
 * Configurations with every key.
 */
#include "base/scope.h"
#include "seeds.h"

const int seed_rounds = 20000;

static const struct seed seeds[] = {
	SEED("version: 1\ntier: no-cgroup\npolicy: /etc/passwd\nstate: /var/lib/x\nrules: [/a, "
	     "/b]\n"
	     "notify: {command: [notify-send, Cordon]}\n"
	     "heads: {url: 'https://a.example/x', secret_file: /etc/passwd}\nlog: {keep: 90d}\n"
	     "limits: {time: 5s, cpu-time: 2m, cpu: 150%, memory: 64M, pids: 8, files: 64,\n"
	     "  file-size: 1M, disk: 2M, output: 64K, connections: 3, net-out: 1G, net-in: 7}\n"),
	SEED("version: 1\ntier: no-userns\nlimits: {time: 1h}\nenforced:\n  tier: no-cgroup\n"
	     "  policy: /etc/passwd\n  state: /var/lib/x\n  rules: [/etc]\n"
	     "  limits: {time: 5s, memory: 64M, cpu-time: 9s}\n  log: {keep: 365d}\n"
	     "  notify: {command: [/usr/bin/env, a]}\n"
	     "  heads: {url: 'https://a.example/x', secret_file: /etc/passwd}\n"),
	SEED("{\"version\": 1, \"enforced\": {\"state\": \"/s\"}}"),
};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	return seed_copy(seeds, ARRAY_SIZE(seeds), i, ret_len);
}
