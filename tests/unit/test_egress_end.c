/* SPDX-License-Identifier: MIT
 *
 * How cordon-egress ends: stuck, without memory, and with calls that it has not read yet.
 */
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "base/io.h"
#include "egress_parts.h"
#include "tap.h"

static void be_stuck(struct egress *e, struct watch *w, uint32_t events)
{
	(void)e, (void)w, (void)events;
	sleep(5);
	_exit(0);
}

static int status_of(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* For longer than a loop may sleep. */
static void be_busy(struct egress *e, struct watch *w, uint32_t events)
{
	uint64_t end = io_now_ns() + 1000000000U;

	(void)w, (void)events;
	while (io_now_ns() < end)
		;
	e->over = true;
}

/* A loop that is long in its first turn. FULL: cordon-box has left no room for a word. */
static pid_t start(struct parts *p, void (*turn)(struct egress *, struct watch *, uint32_t),
		   bool full)
{
	struct watch w = {eventfd(1, EFD_CLOEXEC), turn};
	uint64_t word[2] = {0};
	struct err err;
	pid_t pid = fork();

	if (pid) {
		close(w.fd);
		return pid;
	}
	while (full && send(EGRESS_BOX_FD, word, sizeof(word), MSG_DONTWAIT) > 0)
		;
	if (loop_open(p->e, &err) == 0 && loop_add(p->e, &w, EPOLLIN, &err) == 0)
		loop_run(p->e, &err);
	_exit(0);
}

static void stuck(void)
{
	struct parts p;
	struct egress_over over = {0};

	parts_open(&p);
	pid_t pid = start(&p, be_stuck, false);
	ok(recv(p.box, &over, sizeof(over), 0) == sizeof(over) && over.kind == EGRESS_OVER &&
		   over.limit == LIMIT_NET_OUT && over.ended,
	   "a loop that is stuck ends the run, by the name of its limit");
	kill(pid, SIGKILL);
	status_of(pid);
	ok(status_of(start(&p, be_stuck, true)) == 125, "if that cannot be said, it exits");
	ok(status_of(start(&p, be_busy, true)) == 0,
	   "one that is busy, or gets no processor, does not");
	parts_close(&p);
}

static void no_memory(void)
{
	struct parts p;
	struct address to = parts_loopback();
	volatile size_t much = PTRDIFF_MAX;
	struct egress_row row = {0};
	struct egress_done done = {0};

	parts_open(&p);
	attempt_end(p.e, attempt_new(p.e, "x", &to, 80), EGRESS_REFUSED, EACCES, "no");
	pid_t pid = fork();
	if (pid == 0) {
		loop_alloc(p.e, much);
		_exit(0);
	}
	ok(status_of(pid) == 125, "without memory it exits");
	ok(recv(p.control, &row, sizeof(row), MSG_DONTWAIT) == sizeof(row) && row.port == 80,
	   "and tells what is known");
	ok(recv(p.control, &done, sizeof(done), MSG_DONTWAIT) == sizeof(done) &&
		   done.kind == EGRESS_DONE && done.cut,
	   "and that it is not all");
	parts_close(&p);
}

/* The run is over, and the calls were made before. */
static void unread(void)
{
	struct parts p;
	struct egress_dial d = {.kind = EGRESS_DIAL, .type = SOCK_STREAM};
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct err err;

	parts_open(&p);
	d.address_len = sizeof(at);
	for (uint16_t i = 1; i <= 3; i++) {
		AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		d.id = i;
		at.sin_port = htons(i);
		memcpy(d.address, &at, sizeof(at));
		io_send(p.box, &d, sizeof(d), fd);
	}
	close(p.box);
	shutdown(p.control, SHUT_WR);
	loop_run(p.e, &err);
	ok(p.e->rowc == 3 && p.e->rows[2]->row.verdict == EGRESS_REFUSED,
	   "refused calls are not lost at the end: %zu", p.e->rowc);
	int rc = tap_done();
	fflush(stdout);
	_exit(rc); /* its watcher still looks */
}

int main(void)
{
	alarm(60);
	stuck();
	no_memory();
	unread();
}
