/* SPDX-License-Identifier: MIT
 *
 * cordon-egress: connects for one box. One loop, one state; only the system's resolver runs in threads of
 * its own, because it waits. It has nobody's id, or the caller's where that is not root, and no other
 * right; it parses what a hostile program and strange servers send, so it is a process of its own and
 * holds nothing else.
 *
 *     cordon --rules--> cordon-egress <--address and socket-- cordon-box
 *            <--attempts--            --answer-->
 */
#ifndef CORDON_EGRESS_EGRESS_H
#define CORDON_EGRESS_EGRESS_H

#include <linux/inet_diag.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "egress/dns.h"
#include "egress/names.h"
#include "egress/rules.h"
#include "model/egress.h"

enum {
	EGRESS_LOOKUPS_MAX = 32,       /* names that are looked up at the same time */
	EGRESS_KNOWN_MAX = 1024,       /* names that have been looked up */
	EGRESS_WAITING_MAX = 4096,     /* questions and calls that wait for something */
	EGRESS_ANSWERS_MAX = 65536,    /* answers that cordon-box has not taken yet */
	EGRESS_FRESH_MS = 5 * 1000,    /* how long an answer of the resolver is believed */
	EGRESS_CONNECT_MS = 60 * 1000, /* how long a call waits for a connection */
	EGRESS_STREAMS_MAX = 64,       /* questions over TCP at the same time */
	EGRESS_MEMORY_MAX = 1 << 30,   /* bytes */
	EGRESS_QUEUE_SHARE = 256,      /* of --net-out: one connection's send buffer, */
	EGRESS_QUEUE_MIN = 64 << 10,   /* at least, in bytes, */
	EGRESS_QUEUE_MAX = 4 << 20,    /* and from here on as large as the host's */
};

struct egress;

/* Something to wait for. READY gets the events of epoll. */
struct watch {
	int fd;
	void (*ready)(struct egress *e, struct watch *w, uint32_t events);
};

/* An attempt, and what is known of it so far. */
struct attempt {
	struct egress_row row;
	uint64_t began_ns;
	int family; /* of its socket, and by what the kernel finds it: */
	struct inet_diag_sockid id;
	bool live, kept, untold;
	struct attempt *next; /* of those that live */
	struct attempt *next_untold;
};

/* What cordon-box is told. */
union egress_word {
	struct egress_answer answer;
	struct egress_over over;
};
_Static_assert(sizeof(struct egress_answer) == sizeof(struct egress_over), "one size for both");

struct egress {
	int epoll;
	_Atomic uint64_t turn; /* the number of what the loop is at; 0: it waits */
	int loop_stat;	       /* /proc/thread-self/stat of the loop */
	bool over;	       /* the run is */
	bool started;	       /* all rules are here */
	struct rules rules;
	struct names names;
	uint64_t limit[LIMIT_COUNT];
	struct watch control, box, resolver, looked, clock, counter, door;
	bool ticks; /* the clock does */
	uint64_t
		lost_ns; /* not 0: the kernel's words were lost, and then it is looked who is gone */
	int diag;	 /* asks the kernel about a socket */
	int route;	 /* and about a way */
	uint32_t route_number;
	bool sni; /* TLS must ask for the name that was dialled */
	size_t secretc;
	struct egress_secret secret[EGRESS_SECRETS_MAX];
	/* attempts */
	size_t rowc, endedc; /* and those that became no connection */
	bool cut;
	struct attempt *rows[EGRESS_ROWS_MAX];
	struct attempt *live; /* connections that can still move bytes */
	size_t livec;
	uint64_t connections, bytes_out, bytes_in; /* of those that do not live */
	bool told_over;
	/* answers that did not fit into the socket */
	size_t answer_at, answerc;
	union egress_word *answers;
	/* names */
	struct lookup *lookups; /* known and asked for */
	size_t lookupc, running;
	struct lookup_done *done; /* by LOCK, from the threads */
	pthread_mutex_t lock;
	size_t waiting;			      /* calls that are expected at the door */
	sigset_t alarm;			      /* call.c */
	struct attempt *untold, *last_untold; /* cordon does not know yet what became of them */
	struct pending *pending;	      /* connections that are being made */
	/* connections to ourselves */
	uint16_t door_port;
	struct expected *expected;
	bool door_shut; /* for want of descriptors */
	/* connections through ourselves */
	struct relay *relays;	/* that the clock looks at */
	struct ssl_ctx_st *tls; /* for all that get a secret, since the first */
	/* the resolver */
	size_t questions, streams;
};

/* drop.c: what it does without; then whom it ends with. */
int drop_rights(struct err *err);
int drop_parent(struct err *err);

/* loop.c */
int loop_add(struct egress *e, struct watch *w, uint32_t events, struct err *err);
void loop_change(struct egress *e, struct watch *w, uint32_t events);
void loop_remove(struct egress *e, struct watch *w);
/* Before rights are dropped, in the thread that runs the loop. */
int loop_open(struct egress *e, struct err *err);
int loop_run(struct egress *e, struct err *err);
/* Zeroed memory. Without it a connection could not be told or counted: cordon is told what is known, and
 * the process ends, which ends the run. */
void *loop_alloc(struct egress *e, size_t size);

/* control.c: cordon's words. */
int control_open(struct egress *e, struct err *err);
/* What is known of one now, for the case that there is no end. */
void control_row(struct egress *e, struct attempt *a);
void control_flush(struct egress *e);
/* All attempts, when the run is over. */
void control_tell(struct egress *e);

/* answers.c: to cordon-box. */
int answers_open(struct egress *e, struct err *err);
void answers_send(struct egress *e, uint64_t id, int error);
void answers_over(struct egress *e, enum limit_id limit, bool ended);
/* Calls that were made before the run's end: they are told, and not connected. */
void answers_read_rest(struct egress *e);

/* lookup.c: the system's resolver. */
int lookup_open(struct egress *e, struct err *err);
/* DONE gets what the name really is, at once if that is known. COUNT 0: nothing. */
typedef void lookup_fn(struct egress *e, void *ctx, const struct address *list, size_t count);
void lookup_name(struct egress *e, const char *name, lookup_fn *done, void *ctx);

/* resolver.c: the program's questions. */
int resolver_take(struct egress *e, int fd, struct err *err);
/* A connection at which questions come one after the other. */
void resolver_stream(struct egress *e, int fd);

/* own.c */
int own_open(struct egress *e, struct err *err);
bool own_is(struct egress *e, const struct address *a);

/* dial.c: decides. FD is its own. */
void dial(struct egress *e, const struct egress_dial *d, int fd);

/* connect.c: connects FD, which is its own, for the call ID, and answers that. */
void connect_host(struct egress *e, uint64_t id, int fd, struct attempt *a,
		  const struct address *to, const char *rule);
/* FD is about to call: an earlier call of it that was broken off is over. */
void connect_supersede(struct egress *e, int fd);
/* The kernel's name for a socket, whoever has it open. 0: it has none. */
uint64_t connect_cookie(int fd);
/* True: FD has been connected, or was to be: *RET_ERROR is what another call gets, which may be 0. */
bool connect_is_over(int fd, int *ret_error);
/* EISCONN: it is there, or was. EALREADY: on its way. 0: neither. */
int connect_state(int fd);
/* The end of a call that has waited: what it gets. The socket is then as after any such call. */
int connect_settle(int fd);
/* When a call that waits ends, in CLOCK_MONOTONIC; and whether the program has said so itself. */
#define CONNECT_NEVER UINT64_MAX
uint64_t connect_deadline(int fd, bool *ret_own);
/* Those that take too long. */
void connect_look(struct egress *e);

/* call.c: connect(), whose socket is the program's too. It does not wait. DONE gets 0 or an errno
 * before it returns. */
int call_open(struct egress *e, struct err *err);
typedef void call_fn(struct egress *e, void *ctx, int error);
void call_connect(struct egress *e, int fd, const struct address *to, uint16_t port, call_fn *done,
		  void *ctx);

/* near.c: FD, the program's, is on its way to *RET_OWN instead of a host of the family HOST, and stays
 * there. 0 or an errno. */
int near_hold(struct egress *e, int fd, int host, int *ret_own);
/* It arrives: OWN will be its other end. */
int near_let(int fd, int own);
/* It does not: its connection is refused. */
void near_refuse(int fd, int own);

/* relay.c: the same through ourselves, for a look at the first bytes. SECRET: it is plain HTTP, which
 * gets that secret and goes on as TLS; or NULL. */
void relay_host(struct egress *e, uint64_t id, int fd, struct attempt *a, const struct address *to,
		const char *rule, const struct egress_secret *secret);
/* Those whose host takes too long. */
void relay_look(struct egress *e);

/* clock.c: ticks while there is something to look at. */
int clock_open(struct egress *e, struct err *err);
void clock_need(struct egress *e);

/* door.c: sockets that are connected to ourselves. */
typedef void door_fn(struct egress *e, int fd, void *ctx);
/* Connects FD, which is its own, and closes it; DONE gets 0 or an errno, then TAKE the other end. */
void door_connect(struct egress *e, int fd, call_fn *done, door_fn *take, void *ctx);
/* Whether it can be opened again. */
void door_look(struct egress *e);

/* attempts.c */
struct attempt *attempt_new(struct egress *e, const char *name, const struct address *a,
			    uint16_t port);
/* It is over, or was never made. */
void attempt_end(struct egress *e, struct attempt *a, enum egress_verdict verdict, int error,
		 const char *rule);
/* Its socket is on the way to the host, and moves bytes from now on. */
void attempt_live(struct egress *e, struct attempt *a);
void attempt_die(struct egress *e, struct attempt *a, uint64_t bytes_out, uint64_t bytes_in);

/* counter.c: what the kernel counts. Who listens while it has rights may have a longer queue. */
int counter_listen(struct egress *e, struct err *err);
int counter_open(struct egress *e, struct err *err);
/* By what the kernel knows this socket, which is on its way. */
int counter_name(struct attempt *a, int fd, const struct address *to);
/* What those that live have moved until now. */
void counter_look(struct egress *e);
/* Who is gone without one, after some were lost. */
void counter_look_lost(struct egress *e);
/* Until each has its number. */
void counter_finish(struct egress *e);

#endif
