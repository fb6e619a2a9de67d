/* SPDX-License-Identifier: MIT
 *
 * Receives the spec and its descriptors from cordon, and checks all of it: lengths, kinds, seals and hashes.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/io.h"
#include "base/scope.h"
#include "box/box.h"

/* Moves the descriptors to the numbers of enum spec_fd. */
static int place(const int *fds, struct err *err)
{
	static const int places[WIRE_FDS] = {
		[WIRE_FD_INPUT] = STDIN_FILENO, [WIRE_FD_SPEC] = SPEC_FD,
		[WIRE_FD_PAYLOAD] = PAYLOAD_FD, [WIRE_FD_WORKSPACE] = WORKSPACE_FD,
		[WIRE_FD_CHANNEL] = CHANNEL_FD, [WIRE_FD_PARTS] = PARTS_FD,
		[WIRE_FD_EGRESS] = EGRESS_FD,	[WIRE_FD_SAVED] = SAVED_FD};
	int lifted[WIRE_FDS];

	/* First out of the way: one may have arrived on another's number. */
	for (int i = 0; i < WIRE_FDS; i++) {
		lifted[i] = fds[i];
		if (fds[i] == places[i] || fds[i] >= SPEC_FD_END)
			continue;
		lifted[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, SPEC_FD_END);
		close(fds[i]);
	}
	for (int i = 0; i < WIRE_FDS; i++) {
		if (lifted[i] == places[i])
			continue;
		if (lifted[i] < 0 ||
		    dup3(lifted[i], places[i], i == WIRE_FD_INPUT ? 0 : O_CLOEXEC) < 0)
			return err_errno(err, ERR_SYSTEM, "placing a descriptor");
		close(lifted[i]);
	}
	return 0;
}

static int read_spec(struct spec *ret, struct err *err)
{
	struct stat st;

	if (fstat(SPEC_FD, &st) < 0 || !io_is_sealed(SPEC_FD))
		return err_set(err, ERR_INPUT, "the spec is not a sealed memory file");
	if (st.st_size <= 0 || (size_t)st.st_size > SPEC_BYTES_MAX)
		return err_set(err, ERR_INPUT, "the spec's size is out of bounds");
	size_t len = (size_t)st.st_size;
	/* Never unmapped: the spec's strings point into it. */
	const uint8_t *data = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, SPEC_FD, 0);
	if (data == MAP_FAILED)
		return err_errno(err, ERR_SYSTEM, "mapping the spec");
	return spec_decode(data, len, ret, err);
}

/* The payload must be what was scanned and approved: sealed bytes with the hash of the spec. */
static int check_payload(const struct spec *s, struct err *err)
{
	unsigned char hash[DIGEST_BYTES];
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
	digest_of(hash, data, len);
	if (len)
		munmap(data, len);
	if (memcmp(hash, s->payload_sha256, sizeof(hash)) != 0)
		return err_set(err, ERR_INPUT, "the payload's hash is not the one in the spec");
	return 0;
}

int intake_receive(struct spec *ret, struct err *err)
{
	uint32_t kind = 0;
	size_t count = WIRE_FDS;
	int fds[WIRE_FDS];

	if (io_recv_fds(RESULT_FD, &kind, sizeof(kind), fds, &count) != sizeof(kind) ||
	    kind != WIRE_SPEC || count != WIRE_FDS)
		return err_set(err, ERR_INPUT, "no spec was received");
	if (place(fds, err) < 0 || read_spec(ret, err) < 0)
		return -1;
	return check_payload(ret, err);
}
