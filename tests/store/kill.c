/* SPDX-License-Identifier: MIT
 *
 * kill [ROUNDS]: a writer commits records and counts each in an item, and says so only when commit
 * has returned; now and then it changes the log's key. It is killed at a random moment, or its
 * cordon-postgres is, or the server goes down without a word. Afterwards every record that was
 * acknowledged is there, the item and the log say the same, the log verifies, and it can be written
 * on. The moments come from a fixed sequence.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "base/io.h"
#include "base/scope.h"
#include "case.h"
#include "store/rotate.h"

enum {
	ROTATES = 8,
	ROUNDS = 40,
	SERVER_ROUNDS = 15,
	ACKS_MAX = 12,
	PAUSE_MAX_US = 4000,
	START_MS = 30000
};

enum victim { WRITER, HELPER, SERVER, VICTIMS };
static const char *const victim_names[VICTIMS] = {"the writer", "cordon-postgres", "the server"};

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

static int count_of(struct store *s)
{
	AUTO_ITEM struct store_item item = {0};
	struct err err = {0};
	int n = 0;

	scratch_must(store_get(s, STORE_SETTING, "count", &item, &err) == 0, "the count");
	if (item.version)
		memcpy(&n, item.value, sizeof(n));
	return n;
}

/* Until it is killed, or cannot commit any more. */
static void write_on(int dir, int out)
{
	struct store *s = case_open(dir);

	for (int n = count_of(s) + 1;; n++) {
		AUTO_TX struct store_tx tx = {0};
		struct err err = {0};
		uint64_t record;
		case_add(&tx, RECORD_REQUEST, "run:k", n);
		case_add(&tx, RECORD_RESULT, "run:k", n);
		store_put(&tx, STORE_SETTING, "count", &n, sizeof(n), STORE_ANY);
		if (store_commit(s, &tx, &err) < 0 || write(out, &n, sizeof(n)) != sizeof(n))
			_exit(1);
		if (n % ROTATES == 0 && store_rotate(s, &record, &err) < 0 && err.code != ERR_LIMIT)
			_exit(1);
	}
}

static pid_t start(int dir, int *ret_acks)
{
	int pipes[2];

	scratch_must(pipe2(pipes, O_CLOEXEC) == 0, "a pipe");
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* What it says when it loses its database is no result. */
		scratch_must(freopen("/dev/null", "w", stdout) != NULL, "/dev/null");
		close(pipes[0]);
		write_on(dir, pipes[1]);
	}
	close(pipes[1]);
	*ret_acks = pipes[0];
	return pid;
}

/* Waits for COUNT acknowledgements; the last one's number. */
static int take_acks(int fd, int count, int last)
{
	for (int i = 0; i < count; i++) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int n;
		scratch_must(poll(&p, 1, START_MS) == 1, "the writer writes");
		if (read(fd, &n, sizeof(n)) != sizeof(n))
			break;
		last = n;
	}
	return last;
}

static int take_rest(int fd, int last)
{
	int n;

	while (read(fd, &n, sizeof(n)) == sizeof(n))
		last = n;
	return last;
}

static pid_t child_of(pid_t pid)
{
	char path[64], text[64];
	pid_t child = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	if (io_read_text(AT_FDCWD, path, text, sizeof(text)) == 0)
		child = (pid_t)atoi(text);
	return child;
}

/* It may not have started one yet, and what the kernel lists of its children is not always all. */
static pid_t helper_of(pid_t writer)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	pid_t helper = child_of(writer);

	for (int ms = 0; !helper && ms < START_MS; ms++) {
		nanosleep(&pause, NULL);
		helper = child_of(writer);
	}
	scratch_must(helper > 0, "the writer's cordon-postgres");
	return helper;
}

static void strike(enum victim victim, pid_t writer)
{
	pid_t helper = victim == HELPER ? helper_of(writer) : 0;

	if (victim == WRITER)
		kill(writer, SIGKILL);
	if (helper > 0)
		kill(helper, SIGKILL);
	if (victim == SERVER)
		scratch_must(system("\"$CORDON_POSTGRES_CRASH\" </dev/null") == 0, "the crash");
	/* A writer that lost its database gives up by itself. */
	while (waitpid(writer, NULL, 0) < 0 && errno == EINTR)
		;
}

struct tally {
	size_t records;
	int64_t last;
};

static int take_row(void *context, const struct store_row *row, struct err *err)
{
	struct tally *t = context;
	struct jcs_span n;
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0 || !jcs_member(r.body, "n", &n) ||
	    !jcs_get_int(n, &t->last))
		return -1;
	t->records++;
	return 0;
}

static bool is_whole(int dir, int acknowledged)
{
	AUTO_STORE struct store *s = case_open(dir);
	struct tally t = {0};
	struct err err = {0};
	int count = count_of(s);
	bool found = store_find(s, "run:k", 0, 0, take_row, &t, &err) == 0;
	bool same = found && t.records == (size_t)count * 2 && t.last == count;

	if (count < acknowledged || !same)
		printf("# acknowledged %d, counted %d, %zu records to %lld\n", acknowledged, count,
		       t.records, (long long)t.last);
	return count >= acknowledged && same && case_is_good(s, dir);
}

static void one_round(int dir, uint64_t *random, enum victim victim, int *acknowledged)
{
	struct timespec pause = {.tv_nsec = (long)(next_random(random) % PAUSE_MAX_US) * 1000};
	int acks = -1;
	pid_t writer = start(dir, &acks);

	*acknowledged = take_acks(acks, (int)(next_random(random) % ACKS_MAX), *acknowledged);
	nanosleep(&pause, NULL);
	strike(victim, writer);
	*acknowledged = take_rest(acks, *acknowledged);
	close(acks);
}

int main(int argc, char **argv)
{
	const char *scratch = scratch_enter();
	int rounds = argc > 1 ? atoi(argv[1]) : case_url() ? SERVER_ROUNDS : ROUNDS;
	int acknowledged = 0, bad[VICTIMS] = {0};
	int victims = case_url() ? VICTIMS : 1, dir = case_fresh("s");
	uint64_t random = 0x9e3779b97f4a7c15ULL;

	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < rounds; i++) {
		enum victim victim = (enum victim)(i % victims);
		one_round(dir, &random, victim, &acknowledged);
		bad[victim] += !is_whole(dir, acknowledged);
	}
	for (int i = 0; i < victims; i++)
		ok(!bad[i], "%s killed: nothing acknowledged is lost, the log verifies",
		   victim_names[i]);
	ok(acknowledged > rounds, "%d transactions were acknowledged in %d rounds", acknowledged,
	   rounds);
	close(dir);
	scratch_leave(scratch);
	return tap_done();
}
