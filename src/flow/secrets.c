/* SPDX-License-Identifier: MIT
 *
 * Secrets of the policy, on their way from where the host keeps them to cordon-egress. They are in
 * this process for a moment, in no message, no log and no box; the program gets a word that stands
 * for each, new for every run.
 */
#include <ctype.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "flow/outside.h"
#include "flow/said.h"
#include "model/egress.h"
#include "policy/net.h"

enum { MARK_BYTES = 12, LEAST = 4, COMMAND_MS = 60000 }; /* it may ask for a passphrase */

/* What the policy takes goes to cordon-egress whole. */
_Static_assert(POLICY_SECRETS_MAX == EGRESS_SECRETS_MAX, "every secret has a place");
_Static_assert(POLICY_NET_TEXT_MAX <= EGRESS_RULE_MAX, "every rule has room");

static int from_env(const char *name, char *ret, size_t size)
{
	const char *value = getenv(name);

	if (!value || strlen(value) >= size)
		return -1;
	memcpy(ret, value, strlen(value) + 1);
	return 0;
}

static int from_file(const char *path, char *ret, size_t size)
{
	return io_read_text(AT_FDCWD, path, ret, size);
}

/* One line that can stand in a header. A short one would be found in any answer. */
static bool is_good(char *value)
{
	size_t len = strcspn(value, "\r\n");

	if (value[len + strspn(value + len, "\r\n")] != '\0')
		return false;
	value[len] = '\0';
	for (size_t i = 0; i < len; i++)
		if (iscntrl((unsigned char)value[i]))
			return false;
	return len >= LEAST;
}

static int fetch(const struct policy_secret *s, struct egress_secret *ret, struct err *err)
{
	int r = s->env	  ? from_env(s->env, ret->value, sizeof(ret->value))
		: s->path ? from_file(s->path, ret->value, sizeof(ret->value))
			  : said_by(s->command, COMMAND_MS, ret->value, sizeof(ret->value));

	if (r == 0 && is_good(ret->value))
		return 0;
	err_set(err, ERR_INPUT, "the secret %s is not there", s->name);
	err_cause(err, "%s %s %s",
		  s->env    ? "the variable"
		  : s->path ? "the file"
			    : "the command",
		  s->env    ? s->env
		  : s->path ? s->path
			    : s->command,
		  r < 0 ? "gives nothing" : "gives more than one line, or too little");
	err_cure(err, "make it give one line of %d characters or more", LEAST);
	return -1;
}

static void make_mark(char *ret, size_t size)
{
	uint8_t random[MARK_BYTES];
	char hex[2 * MARK_BYTES + 1];

	randombytes_buf(random, sizeof(random));
	sodium_bin2hex(hex, sizeof(hex), random, sizeof(random));
	snprintf(ret, size, "cordon-secret-%s", hex);
}

/* The run was given all of it, by its name, or what grants say of it. */
static void find_uses(const struct request *r, const struct policy_secret *s,
		      struct egress_secret *ret)
{
	struct policy_use use;

	for (size_t i = 0; i < r->secretc; i++)
		if (strcmp(r->secret[i], s->name) == 0) {
			ret->use[0] = (struct egress_use){.methods = "", .path = "/"};
			ret->usec = 1;
			return;
		} else if (ret->usec < EGRESS_USES_MAX && policy_use_is_of(r->secret[i], s, &use)) {
			ret->use[ret->usec++] = use.in;
		}
}

/* The host of a secret can be reached, as if it were one of the run's own. */
static int allow_host(const struct outside *o, const struct policy_secret *s)
{
	struct egress_rule rule = {.kind = EGRESS_RULE, .list = EGRESS_ALLOWED};

	snprintf(rule.text, sizeof(rule.text), "%s:%u", s->host, s->port);
	return io_send(o->control, &rule, sizeof(rule), -1);
}

int secrets_hand_over(struct outside *o, const struct policy *p, const struct request *req,
		      struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->secretc; i++) {
		const struct policy_secret *s = &p->secret[i];
		struct egress_secret word = {.kind = EGRESS_SECRET, .port = s->port};
		find_uses(req, s, &word);
		if (!word.usec)
			continue;
		snprintf(word.policy.methods, sizeof(word.policy.methods), "%s", s->methods);
		snprintf(word.policy.path, sizeof(word.policy.path), "%s", s->prefix);
		snprintf(word.host, sizeof(word.host), "%s", s->host);
		snprintf(word.header, sizeof(word.header), "%s", s->header);
		make_mark(word.placeholder, sizeof(word.placeholder));
		r = fetch(s, &word, err);
		if (r == 0 &&
		    (allow_host(o, s) < 0 || io_send(o->control, &word, sizeof(word), -1) < 0))
			r = err_errno(err, ERR_SYSTEM, "talking to cordon-egress");
		o->env[o->envc++] = arena_printf(&o->arena, "%s=%s", s->name, word.placeholder);
		explicit_bzero(&word, sizeof(word));
	}
	return r;
}

static size_t place_of(const struct spec *s, const char *pair)
{
	size_t name = strcspn(pair, "=") + 1, i = 0;

	while (i < s->envc && strncmp(s->env[i], pair, name) != 0)
		i++;
	return i;
}

int secrets_name(const struct outside *o, struct spec *s, struct err *err)
{
	for (size_t i = 0; i < o->envc; i++) {
		size_t at = place_of(s, o->env[i]);
		if (at == SPEC_ENV_MAX)
			return err_set(err, ERR_LIMIT, "more than %d variables", SPEC_ENV_MAX);
		s->env[at] = o->env[i];
		s->envc += at == s->envc;
	}
	return o->arena.failed ? err_memory(err) : 0;
}
