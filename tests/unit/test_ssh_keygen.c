/* SPDX-License-Identifier: MIT
 *
 * ssh-keygen that is not there, hangs, dies, prints without end or lies: an error or no, in bounded time, and
 * never a yes. What it is given: its arguments, its files, its environment.
 */
#define SSH_KEYGEN "./keygen"
#define SSH_VERIFY_MS 1500
#include "../../src/trust/ssh_keygen.c"

#include "scratch.h"
#include "tap.h"

static const struct ssh_signer anna = {"anna", "", "ssh-ed25519 AAAA"};

static const struct {
	const char *script;
	int result;
	const char *says;
} rows[] = {
	{NULL, -1, "openssh-client"},
	{"#!/bin/sh\nexit 0\n", 1, ""},
	{"#!/bin/sh\necho 'Could not verify signature.' >&2; exit 255\n", 0, "Could not verify"},
	{"#!/bin/sh\nprintf '\\033[31mred' >&2; exit 255\n", 0, "?[31mred"},
	{"#!/bin/sh\nkill -9 $$\n", -1, "signal 9"},
	{"#!/bin/sh\nexec sleep 60\n", -1, "longer than 1 seconds"},
	{"#!/bin/sh\nsleep 60 & exit 0\n", -1, "longer than 1 seconds"},
	{"#!/bin/sh\nexec >&- 2>&-; sleep 60\n", -1, "longer than 1 seconds"},
	{"#!/bin/sh\nyes\n", -1, "more than 16384 bytes"},
	{"#!/bin/sh\n[ \"$(env | grep -vE "
	 "'^(PATH=/usr/bin:/bin|PWD=.*|_=.*|SHLVL=.*|OLDPWD.*)$')\" = '' ]\n",
	 1, ""},
	{"#!/bin/sh\n[ \"$(cat)\" = text ] && [ \"$(cat /proc/self/fd/3)\" = 'anna ssh-ed25519 "
	 "AAAA' ]\n",
	 1, ""},
	{"#!/bin/sh\n[ \"$*\" = '-Y verify -f /proc/self/fd/3 -I anna -n cordon-approval -s "
	 "/proc/self/fd/4' ]\n",
	 1, ""},
	{"#!/bin/sh\necho x >/proc/self/fd/3 2>/dev/null && exit 0; exit 1\n", 0, ""},
	{"#!/bin/sh\n[ -e /proc/self/fd/5 ] || [ -e /proc/self/fd/17 ]\n", 0, ""},
};

static void test_verify(void)
{
	setenv("SSH_AUTH_SOCK", "/tmp/agent", 1);
	setenv("LD_PRELOAD", "", 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err why = {0}, err = {0};
		unlink("keygen");
		if (rows[i].script)
			scratch_file("keygen", rows[i].script, 0755);
		uint64_t began = io_now_ns();
		int r = ssh_verify(&anna, "text", 4, "AAAA", &why, &err);
		const struct err *said = r < 0 ? &err : &why;
		ok(r == rows[i].result &&
			   (strstr(said->cause, rows[i].says) || strstr(said->cure, rows[i].says)),
		   "row %zu gives %d: %s", i, r, said->cause);
		ok(io_now_ns() - began < 10000000000ULL, "soon");
	}
}

static void test_sign(void)
{
	struct arena a = {0};
	const char *signature = NULL;
	struct err err = {0};

	scratch_file("keygen",
		     "#!/bin/sh\n[ \"$SSH_AUTH_SOCK\" = /tmp/agent ] && [ -z \"$LD_PRELOAD\" ] && "
		     "[ \"$*\" = '-q -Y sign -f key -n cordon-approval' ] && "
		     "printf -- '-----BEGIN SSH SIGNATURE-----\\nAAAA\\n-----END SSH "
		     "SIGNATURE-----\\n'\n",
		     0755);
	ok(ssh_sign("key", "text", 4, &a, &signature, &err) == 0 && strcmp(signature, "AAAA") == 0,
	   "what it prints is the signature, and it has the agent: %s", err.message);
	scratch_file("keygen", "#!/bin/sh\necho hello\n", 0755);
	ok(ssh_sign("key", "text", 4, &a, &signature, &err) < 0, "other text is no signature");
	scratch_file("keygen", "#!/bin/sh\nexit 1\n", 0755);
	ok(ssh_sign("key", "text", 4, &a, &signature, &err) < 0 && strstr(err.cure, "ssh-keygen"),
	   "a key that does not sign: %s", err.message);
	arena_done(&a);
}

int main(void)
{
	const char *scratch = scratch_enter();

	test_verify();
	test_sign();
	scratch_leave(scratch);
	return tap_done();
}
