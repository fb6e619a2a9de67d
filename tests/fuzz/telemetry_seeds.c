/* SPDX-License-Identifier: MIT
 *
 * What runtime/boot/telemetry.py says, and what a program could say in its place.
 */
#include "base/scope.h"
#include "seeds.h"

const int seed_rounds = 3000;

#define LONG "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct seed seeds[] = {
	SEED("\64import\t1\t'socket', None, None\nopen\t2\t'/etc/x', 'r', 0\n"),
	SEED("\64os.exec\t3\t'/bin/sh', ['sh'], None\nsubprocess.Popen\t4\t'id', ['id']\n"),
	SEED("\65socket.connect\t7\t<socket>, ['192.0.2.1', 80]\n"),
	SEED("\66open\t4\t'/etc/shadow', 'r'\ncordon.raised\t4\t13, '/etc/shadow'\n"),
	SEED("\67ctypes.dlsym\t0\t<CDLL>, 'mount'\ncordon.raised\t4294967296\t2\n"),
	SEED("\0open\t99999999\t\n\t1\tx\nopen\t\tx\nopen\t-1\tx\nopen\t1\n\n\n"),
	SEED("\64a\t1\t" LONG LONG LONG LONG LONG LONG LONG LONG "\nopen\t1\tend\n"),
	SEED("\64{\"event\":\"result\"}\t1\t\033[2J\0\377\r\nopen\t1\ta\tb\nopen\t1\t'x'"),
};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	return seed_copy(seeds, ARRAY_SIZE(seeds), i, ret_len);
}
