/* SPDX-License-Identifier: MIT
 *
 * cordon-box: the one program that touches privilege. It gets one plain-data spec and a handful
 * of descriptors, and answers over a socket. It parses no text, prints nothing (its standard
 * streams are the program's) and links no parser.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/box.h"

static int read_spec(struct spec *ret, struct err *err)
{
	struct stat st;

	if (fstat(SPEC_FD, &st) < 0 || !io_is_sealed(SPEC_FD))
		return err_set(err, ERR_INPUT, "the spec is not a sealed memory file");
	if (st.st_size <= 0 || (size_t)st.st_size > SPEC_BYTES_MAX)
		return err_set(err, ERR_INPUT, "the spec's size is out of bounds");
	size_t len = (size_t)st.st_size;
	/* Stays mapped: the spec's strings live there. */
	const uint8_t *data = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, SPEC_FD, 0);
	if (data == MAP_FAILED)
		return err_errno(err, ERR_SYSTEM, "mapping the spec");
	return spec_decode(data, len, ret, err);
}

/* What runs is what was scanned and approved: sealed bytes with the hash that was promised. */
static int check_payload(const struct spec *s, struct err *err)
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	struct stat st;

	if (s->payload != PAYLOAD_FILE)
		return 0;
	if (!io_is_sealed(PAYLOAD_FD) || fstat(PAYLOAD_FD, &st) < 0)
		return err_set(err, ERR_INPUT, "the payload is not a sealed memory file");
	if ((size_t)st.st_size > CORDON_PAYLOAD_MAX)
		return err_set(err, ERR_INPUT, "the payload is too large");
	size_t len = (size_t)st.st_size;
	void *data = len ? mmap(NULL, len, PROT_READ, MAP_PRIVATE, PAYLOAD_FD, 0) : NULL;
	if (data == MAP_FAILED)
		return err_errno(err, ERR_SYSTEM, "mapping the payload");
	crypto_hash_sha256(hash, data, len);
	if (len)
		munmap(data, len);
	if (memcmp(hash, s->payload_sha256, sizeof(hash)) != 0)
		return err_set(err, ERR_INPUT,
			       "the payload's hash is not the one that was promised");
	return 0;
}

/* Signals the caller ignores would stay ignored in the program. */
static void reset_signals(void)
{
	static const int all[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,
				  SIGTERM, SIGCHLD, SIGUSR1, SIGUSR2};
	sigset_t none;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		signal(all[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int run(struct box *b, struct err *err)
{
	static struct spec spec;

	if (read_spec(&spec, err) < 0 || check_payload(&spec, err) < 0)
		return -1;
	b->spec = &spec;
	if (spec.job == JOB_SWEEP)
		return cgroup_sweep(&cgroup_host_real) < 0 ? -1 : 0;
	if (ids_choose(b, err) < 0)
		return -1;
	if (spec.job == JOB_PROBE)
		return probe_all(b);
	if (workspace_clone(b, err) < 0)
		return -1;
	return supervise(b, err);
}

int main(void)
{
	static const int keep[] = {0, 1, 2, SPEC_FD, RESULT_FD, PAYLOAD_FD, WORKSPACE_FD};
	struct box box = {.ctl = -1, .upper = -1, .lower = -1, .cloned_workspace = -1};
	struct wire_error msg = {.kind = WIRE_ERROR};
	struct stat st;

	if (fstat(RESULT_FD, &st) < 0 || !S_ISSOCK(st.st_mode)) {
		static const char hint[] = "cordon-box is started by cordon; see cordon(1)\n";
		(void)!write(STDERR_FILENO, hint, sizeof(hint) - 1);
		return 125;
	}
#ifdef CORDON_MUTANT
	mutant_configure(&box);
#endif
	if (box_wants(&box, LAYER_FDS))
		fds_close_all_but(keep, ARRAY_SIZE(keep));
	reset_signals();
	/* A key pressed on the caller's terminal ends the caller; we then clean up after it. */
	if (box_wants(&box, LAYER_SESSION))
		setsid();
	if (run(&box, &msg.err) == 0)
		return 0;
	io_send(RESULT_FD, &msg, sizeof(msg), -1);
	return 125;
}
