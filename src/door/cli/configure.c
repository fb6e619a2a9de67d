/* SPDX-License-Identifier: MIT
 *
 * Loads the configuration and applies the options over it, for every command.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "door/cli/cli.h"
#include "door/cli/notice.h"

/* Do not mask the system's directories: every run needs them, and only root can change them. */
static bool is_systems(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	       (st.st_uid == 0 && (geteuid() != 0 || !strchr(path + strspn(path, "/"), '/')));
}

/* Masks the command, the files that its words name, and the secret. A box that could change or
 * read them could send messages in Cordon's name. */
static void reserve(struct request *r, const struct config_target *to)
{
	_Static_assert(2 * (CONFIG_WORDS_MAX + 1) <= REQUEST_RESERVED_MAX, "two targets fit");
	for (size_t i = 0; i < to->commandc; i++)
		if (config_word_is_path(to->command[i]) && !is_systems(to->command[i]))
			r->reserved[r->reservedc++] = to->command[i];
	if (to->secret_file)
		r->reserved[r->reservedc++] = to->secret_file;
}

int cli_configure(struct cli_call *call, struct err *err)
{
	struct config *c = &call->config;
	const struct config_values *now = &c->now;
	struct request *r = &call->request;

	if (config_load(c, NULL, err) < 0 || config_add_flags(c, &call->flag_values, err) < 0)
		return -1;
	call->state = r->state = now->state;
	call->policy = r->policy = now->policy;
	call->rulesc = r->rulesc = now->rules.count;
	memcpy(call->rules, now->rules.text, now->rules.count * sizeof(call->rules[0]));
	memcpy(r->rules, now->rules.text, now->rules.count * sizeof(r->rules[0]));
	memcpy(r->limit, now->limit, sizeof(r->limit));
	r->tier = now->tier;
	r->toolchainc = now->toolchains.count;
	memcpy(r->toolchain, now->toolchains.text, now->toolchains.count * sizeof(r->toolchain[0]));
	r->notice = notice_of(call);
	reserve(r, &now->notify);
	reserve(r, &now->heads);
	return 0;
}

void cli_use_command_limits(struct cli_call *call)
{
	const struct config *c = &call->config;

	for (int i = 0; i < LIMIT_COUNT; i++) {
		uint64_t *limit = &call->request.limit[i], most = c->enforced.limit[i];
		if (!c->now.where[CONFIG_LIMIT + i])
			*limit = limit_default((enum limit_id)i, true);
		if (c->enforced.where[CONFIG_LIMIT + i] && (!*limit || *limit > most))
			*limit = most;
	}
	call->passes_all = !c->now.where[CONFIG_LIMIT + LIMIT_OUTPUT];
}

/* A new file needs a version line too. A path that does not fit is not shown: truncated, it
 * would name another file. */
const char *cli_tier_cure(const struct config *c, enum tier tier, char buf[CLI_TIER_CURE_MAX])
{
	struct arena a = {0};
	const char *file = config_user_file(&a), *name = tier_row(tier)->name;
	int len;

	if (!*file)
		file = CONFIG_FILE;
	if (c->enforced.where[CONFIG_TIER] && tier > c->enforced.tier)
		len = snprintf(buf, CLI_TIER_CURE_MAX,
			       "%s allows no weaker tier: ask the administrator of this machine",
			       c->enforced.where[CONFIG_TIER]);
	else if (access(file, F_OK) == 0)
		len = snprintf(buf, CLI_TIER_CURE_MAX, "write this line into %s: tier: %s", file,
			       name);
	else
		len = snprintf(
			buf, CLI_TIER_CURE_MAX,
			"mkdir -p %s && printf 'version: 1\\ntier: %s\\n' >%s",
			arena_quote(&a, arena_printf(&a, "%.*s", (int)(strrchr(file, '/') - file),
						     file)),
			name, arena_quote(&a, file));
	if (len < 0 || len >= CLI_TIER_CURE_MAX || a.failed)
		snprintf(buf, CLI_TIER_CURE_MAX,
			 "write two lines into cordon/config.yaml below $XDG_CONFIG_HOME: version: "
			 "1 "
			 "and tier: %s",
			 name);
	arena_done(&a);
	return buf;
}
