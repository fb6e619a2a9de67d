/* SPDX-License-Identifier: MIT
 *
 * The fuzz target without a fuzzer: a fixed number of mutations of each seed from a fixed random
 * sequence, so that every run of the tests does the same. Without TEST_MORE=1 it stops after a quarter
 * of them. It is no substitute for `make fuzz`.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "seeds.h"

enum { CHANGES_MAX = 6, INSERT_MAX = 64, ROOM = CHANGES_MAX * INSERT_MAX };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

static void flip_bit(uint8_t *data, size_t *len, uint64_t r)
{
	data[r % *len] ^= (uint8_t)(1U << ((r >> 32) % 8));
}

static void set_byte(uint8_t *data, size_t *len, uint64_t r)
{
	static const uint8_t odd[] = {0, 1, 0x7f, 0x80, 0xff, '/', '.', '='};

	data[r % *len] = odd[(r >> 32) % sizeof(odd)];
}

static void cut(uint8_t *data, size_t *len, uint64_t r)
{
	(void)data;
	*len = 1 + r % *len;
}

/* Copies a piece to another place: records out of order, twice, or half. */
static void copy_piece(uint8_t *data, size_t *len, uint64_t r)
{
	size_t from = r % *len, to = (r >> 20) % *len, most = *len - (from > to ? from : to);

	memmove(data + to, data + from, 1 + (r >> 40) % most);
}

static void insert_piece(uint8_t *data, size_t *len, uint64_t r)
{
	size_t at = r % *len, size = 1 + (r >> 40) % INSERT_MAX;

	memmove(data + at + size, data + at, *len - at);
	*len += size;
}

static void set_word(uint8_t *data, size_t *len, uint64_t r)
{
	static const uint32_t odd[] = {0,    1,	    255,    256,	4096,
				       4097, 65535, 131072, 0x7fffffff, 0xffffffff};
	uint32_t word = odd[(r >> 32) % ARRAY_SIZE(odd)];

	if (*len >= sizeof(word))
		memcpy(data + r % (*len - sizeof(word) + 1), &word, sizeof(word));
}

static void (*const changes[])(uint8_t *data, size_t *len, uint64_t r) = {
	flip_bit, set_byte, cut, copy_piece, insert_piece, set_word};

static void mutate(const uint8_t *seed, size_t seed_len, uint64_t *state)
{
	AUTO_FREE uint8_t *data = calloc(1, seed_len + ROOM);
	size_t len = seed_len;

	if (!data)
		abort();
	memcpy(data, seed, seed_len);
	for (uint64_t n = 1 + next_random(state) % CHANGES_MAX; n > 0; n--)
		changes[next_random(state) % ARRAY_SIZE(changes)](data, &len, next_random(state));
	LLVMFuzzerTestOneInput(data, len);
}

static int run_seed(unsigned i, const uint8_t *seed, size_t len, int rounds)
{
	uint64_t state = 0x9e3779b97f4a7c15ULL + i;

	LLVMFuzzerTestOneInput(seed, len);
	for (int round = 0; round < rounds; round++)
		mutate(seed, len, &state);
	return 0;
}

/* In a child, so that an abort is one failed test and not the end of all. */
int main(void)
{
	unsigned i = 0, failed = 0;
	int rounds = getenv("TEST_MORE") ? seed_rounds : (seed_rounds + 3) / 4;
	size_t len;

	for (uint8_t *seed; (seed = seed_make(i, &len)); i++) {
		int status = -1;
		fflush(stdout);
		pid_t pid = fork();
		if (pid == 0)
			_exit(run_seed(i, seed, len, rounds));
		if (pid > 0)
			waitpid(pid, &status, 0);
		failed += status != 0;
		printf("%sok %u - %d mutations of seed %u keep every promise\n",
		       status ? "not " : "", i + 1, rounds, i);
		if (status)
			printf("# wait status %d\n", status);
		free(seed);
	}
	printf("1..%u\n", i);
	return failed || !i;
}
