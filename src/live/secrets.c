/* SPDX-License-Identifier: MIT
 *
 * Fetches the secrets of the policy and sends them to cordon-egress. A secret stays in this
 * process only for a moment, and must never reach a message, the log or a box. The program gets a
 * random placeholder for each, which is new in every run.
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
#include "live/command_output.h"
#include "live/egress_process.h"
#include "model/egress_message.h"
#include "policy/net.h"

enum { PLACEHOLDER_BYTES = 12, LENGTH_MIN = 4 };
enum { COMMAND_MS = 60000 }; /* the command may ask for a passphrase */

/* cordon-egress has room for all that a policy may contain. */
_Static_assert(POLICY_SECRETS_MAX == EGRESS_SECRETS_MAX, "every secret fits");
_Static_assert(POLICY_NET_TEXT_MAX <= EGRESS_RULE_MAX, "every rule fits");

static int from_env(const char *name, char *ret, size_t size)
{
	const char *value = getenv(name);

	if (!value || strlen(value) >= size)
		return -1;
	memcpy(ret, value, strlen(value) + 1);
	return 0;
}

/* One line without control characters, for a header. cordon-egress looks for secrets in responses,
 * where a very short one would occur by chance. */
static bool is_usable(char *value)
{
	size_t len = strcspn(value, "\r\n");

	if (value[len + strspn(value + len, "\r\n")] != '\0')
		return false;
	value[len] = '\0';
	for (size_t i = 0; i < len; i++)
		if (iscntrl((unsigned char)value[i]))
			return false;
	return len >= LENGTH_MIN;
}

static int fetch(const struct policy_secret *s, struct egress_secret *ret, struct err *err)
{
	int r = s->env	  ? from_env(s->env, ret->value, sizeof(ret->value))
		: s->path ? io_read_text(AT_FDCWD, s->path, ret->value, sizeof(ret->value))
			  : command_output_read(s->command, COMMAND_MS, ret->value,
						sizeof(ret->value));

	if (r == 0 && is_usable(ret->value))
		return 0;
	err_set(err, ERR_INPUT, "cannot read the secret %s", s->name);
	err_cause(err, "%s %s %s",
		  s->env    ? "the variable"
		  : s->path ? "the file"
			    : "the command",
		  s->env    ? s->env
		  : s->path ? s->path
			    : s->command,
		  r < 0 ? "has no usable value"
			: "gives more than one line, or a line that is too short");
	err_cure(err, "it must give one line of at least %d characters", LENGTH_MIN);
	return -1;
}

static void make_placeholder(char *ret, size_t size)
{
	uint8_t random[PLACEHOLDER_BYTES];
	char hex[2 * PLACEHOLDER_BYTES + 1];

	randombytes_buf(random, sizeof(random));
	sodium_bin2hex(hex, sizeof(hex), random, sizeof(random));
	snprintf(ret, size, "cordon-secret-%s", hex);
}

/* A secret that the request lists by its name may be used for all that the policy allows; else for
 * the listed uses only. */
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

/* The run may connect to the host of a secret. */
static int allow_host(const struct egress_process *o, const struct policy_secret *s)
{
	struct egress_rule rule = {.kind = EGRESS_RULE, .list = EGRESS_ALLOWED};

	snprintf(rule.text, sizeof(rule.text), "%s:%u", s->host, s->port);
	return io_send(o->control, &rule, sizeof(rule), -1);
}

int secrets_send(struct egress_process *o, const struct policy *p, const struct request *req,
		 struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->secretc; i++) {
		const struct policy_secret *s = &p->secret[i];
		struct egress_secret message = {.kind = EGRESS_SECRET, .port = s->port};
		find_uses(req, s, &message);
		if (!message.usec)
			continue;
		snprintf(message.policy.methods, sizeof(message.policy.methods), "%s", s->methods);
		snprintf(message.policy.path, sizeof(message.policy.path), "%s", s->prefix);
		snprintf(message.host, sizeof(message.host), "%s", s->host);
		snprintf(message.header, sizeof(message.header), "%s", s->header);
		make_placeholder(message.placeholder, sizeof(message.placeholder));
		r = fetch(s, &message, err);
		if (r == 0 && (allow_host(o, s) < 0 ||
			       io_send(o->control, &message, sizeof(message), -1) < 0))
			r = err_errno(err, ERR_SYSTEM, "talking to cordon-egress");
		o->env[o->envc++] = arena_printf(&o->arena, "%s=%s", s->name, message.placeholder);
		explicit_bzero(&message, sizeof(message));
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

int secrets_add_env(const struct egress_process *o, struct spec *s, struct err *err)
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
