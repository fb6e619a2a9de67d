/* SPDX-License-Identifier: MIT
 *
 * Takes in what cordon sends, and believes none of it unchecked: lengths, kinds, seals and hashes.
 * The supervisor and init each read the spec for themselves: init is started before it is known.
 */
#include "box/intake.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

int intake_hello(int sock, struct wire_hello *ret, struct err *err)
{
	int fd = -1;
	ssize_t n = io_recv(sock, ret, sizeof(*ret), &fd);

	if (n >= 0)
		scope_close(&fd); /* none is expected */
	if (n != sizeof(*ret) || ret->kind != WIRE_HELLO || ret->job > JOB_SWEEP ||
	    ret->tier >= TIER_COUNT || ret->reserved)
		return err_set(err, ERR_INPUT, "cordon-box did not understand its first word");
	return 0;
}

int intake_place(const int *fds, struct err *err)
{
	static const int places[WIRE_FDS] = {[WIRE_FD_INPUT] = STDIN_FILENO,
					     [WIRE_FD_SPEC] = SPEC_FD,
					     [WIRE_FD_PAYLOAD] = PAYLOAD_FD,
					     [WIRE_FD_WORKSPACE] = WORKSPACE_FD};
	int lifted[WIRE_FDS];

	/* Away from the places first: one may have come in on another's number. */
	for (int i = 0; i < WIRE_FDS; i++) {
		lifted[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, SPEC_FD_END);
		close(fds[i]);
	}
	for (int i = 0; i < WIRE_FDS; i++) {
		if (lifted[i] < 0 ||
		    dup3(lifted[i], places[i], i == WIRE_FD_INPUT ? 0 : O_CLOEXEC) < 0)
			return err_errno(err, ERR_SYSTEM, "placing a descriptor");
		close(lifted[i]);
	}
	return 0;
}

int intake_spec(struct spec *ret, struct err *err)
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

int intake_check(const struct spec *s, const struct wire_hello *hello, struct err *err)
{
	/* The namespaces and the cgroup were made after the first word. */
	static const enum limit_id early[] = {LIMIT_MEMORY, LIMIT_PIDS, LIMIT_CPU, LIMIT_CPU_TIME};
	bool same = s->job == hello->job && s->tier == hello->tier;

	for (size_t i = 0; i < ARRAY_SIZE(early); i++)
		same = same && s->limit[early[i]] == hello->limit[early[i]];
	if (!same)
		return err_set(err, ERR_INPUT, "the spec is not the one that was announced");
	return check_payload(s, err);
}
