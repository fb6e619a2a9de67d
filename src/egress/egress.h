/* SPDX-License-Identifier: MIT
 *
 * cordon-egress: connects for one box. One loop, one state; only the system's resolver runs in threads,
 * because it blocks. It parses what a hostile program and unknown servers send, so it is a process of its
 * own: it runs as user nobody, or as the caller if that is not root, and has no other rights.
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
#include "model/egress_message.h"

enum {
	EGRESS_LOOKUPS_MAX = 32,       /* lookups at the same time */
	EGRESS_KNOWN_MAX = 1024,       /* names that have been looked up */
	EGRESS_WAITING_MAX = 4096,     /* questions and calls that wait */
	EGRESS_ANSWERS_MAX = 65536,    /* answers that cordon-box has not taken yet */
	EGRESS_FRESH_MS = 5 * 1000,    /* how long an answer of the resolver is cached */
	EGRESS_CONNECT_MS = 60 * 1000, /* how long a call waits for a connection */
	EGRESS_STREAMS_MAX = 64,       /* questions over TCP at the same time */
	EGRESS_MEMORY_MAX = 1 << 30,   /* bytes */
	EGRESS_TICK_US = 5000,	       /* of the clock, at least */
	EGRESS_QUEUE_SHARE = 256,      /* of --net-out: one connection's send buffer, */
	EGRESS_QUEUE_MIN = 64 << 10,   /* at least, in bytes, */
	EGRESS_QUEUE_MAX = 4 << 20,    /* and from here on as large as the host's */
};

struct egress;

/* A descriptor to wait for. READY gets the events of epoll. */
struct watch {
	int fd;
	void (*ready)(struct egress *e, struct watch *w, uint32_t events);
};

/* An attempt to connect or to look up a name, and its state. */
struct attempt {
	struct egress_row row;
	uint64_t began_ns;
	int family; /* of its socket; the kernel finds the socket by this and the next: */
	struct inet_diag_sockid id;
	bool live, kept, unsent;
	struct attempt *next; /* of the live ones */
	struct attempt *next_unsent;
};

/* Messages to cordon-box. */
union egress_word {
	struct egress_answer answer;
	struct egress_over over;
};
_Static_assert(sizeof(struct egress_answer) == sizeof(struct egress_over), "one size for both");

struct egress {
	int epoll;
	_Atomic uint64_t turn; /* the number of the event that the loop handles; 0: it waits */
	int loop_stat;	       /* /proc/thread-self/stat of the loop */
	bool over;	       /* the run has ended */
	bool started;	       /* all rules have been received */
	/* Sends the last messages to cordon, also when memory has run out: counter_finish. */
	void (*finish)(struct egress *e);
	struct rules rules;
	struct names names;
	uint64_t limit[LIMIT_COUNT];
	struct watch control, box, resolver, looked, clock, counter, loopback;
	bool ticks; /* the clock runs */
	/* When to look for ended connections, after messages of the kernel were lost; or 0. */
	uint64_t lost_ns;
	int diag;  /* netlink: sockets */
	int route; /* netlink: routes */
	uint32_t route_number;
	bool sni; /* TLS must ask for the name that the program connected to */
	size_t secretc;
	struct egress_secret secret[EGRESS_SECRETS_MAX];
	/* attempts */
	size_t rowc, endedc; /* endedc: rows that never became a connection */
	uint32_t numbers;    /* the next row's */
	bool cut;
	struct attempt *rows[EGRESS_ROWS_MAX];
	struct attempt *live; /* connections that can still transfer bytes */
	size_t livec;
	uint64_t connections, bytes_out, bytes_in; /* bytes of connections that have ended */
	bool over_sent;
	/* answers that wait for room in the socket */
	size_t answer_at, answerc;
	union egress_word *answers;
	/* names */
	struct lookup *lookups; /* cached and running */
	size_t lookupc, running;
	struct lookup_done *done; /* from the threads; guarded by LOCK */
	pthread_mutex_t lock;
	size_t waiting;			      /* calls that loopback.c expects */
	sigset_t alarm;			      /* connect_call.c */
	struct attempt *unsent, *last_unsent; /* changed since they were last sent to cordon */
	struct pending *pending;	      /* connections in progress */
	/* connections to cordon-egress itself */
	uint16_t loopback_port;
	struct expected *expected;
	bool loopback_paused; /* no descriptors are left */
	/* connections through cordon-egress */
	struct relay *relays;	/* that the clock checks */
	struct ssl_ctx_st *tls; /* for connections that get a secret; made with the first */
	/* the resolver */
	size_t questions, streams;
};

/* privileges.c: gives up all rights; then ties the process to its parent. */
int privileges_drop(struct err *err);
int privileges_end_with_parent(struct err *err);

/* loop.c */
int loop_add(struct egress *e, struct watch *w, uint32_t events, struct err *err);
void loop_change(struct egress *e, struct watch *w, uint32_t events);
void loop_remove(struct egress *e, struct watch *w);
/* Before rights are dropped, in the thread that runs the loop. */
int loop_open(struct egress *e, struct err *err);
int loop_run(struct egress *e, struct err *err);
/* Returns zeroed memory, never NULL. If memory is out, connections could not be counted: it sends what is
 * known to cordon and exits, which ends the run. */
void *loop_alloc(struct egress *e, size_t size);
/* Sets the clock's next tick, US microseconds from now. */
void loop_set_clock(struct egress *e, long us);
/* Starts the clock: there is something for it to check. */
void loop_need_clock(struct egress *e);

/* control.c: messages of cordon. */
int control_open(struct egress *e, struct err *err);

/* answers.c: answers to cordon-box. */
int answers_open(struct egress *e, struct err *err);
void answers_send(struct egress *e, uint64_t id, int error);
void answers_over(struct egress *e, enum limit_id limit, bool ended);
/* Called when the socket has room again. */
void answers_flush(struct egress *e);

/* lookup.c: the system's resolver. */
int lookup_open(struct egress *e, struct err *err);
/* DONE gets the addresses of a name, at once if they are cached. COUNT 0: it has none. */
typedef void lookup_fn(struct egress *e, void *ctx, const struct address *list, size_t count);
void lookup_name(struct egress *e, const char *name, lookup_fn *done, void *ctx);

/* resolver.c: answers the program's DNS questions. */
int resolver_take(struct egress *e, int fd, struct err *err);
/* FD: a connection that brings questions one after the other. */
void resolver_stream(struct egress *e, int fd);

/* routes.c: is A an address of this host? */
int routes_open(struct egress *e, struct err *err);
bool routes_is_local(struct egress *e, const struct address *a);

/* dial.c: the calls that cordon-box sends. */
int dial_open(struct egress *e, struct err *err);
/* Connects or refuses one. Takes FD. */
void dial(struct egress *e, const struct egress_dial *d, int fd);
/* Reads the calls that were made before the end of the run: they are refused and recorded. */
void dial_read_rest(struct egress *e);

/* connect.c: connects FD for the call ID, and answers the call. Takes FD. */
void connect_host(struct egress *e, uint64_t id, int fd, struct attempt *a,
		  const struct address *to, const char *rule);
/* The socket with this cookie calls again: its earlier call, which was interrupted, is over. */
void connect_supersede(struct egress *e, uint64_t cookie);
/* The kernel's number of a socket, the same in all processes. 0: it has none. */
uint64_t connect_cookie(int fd);
/* True: FD is connected, or was, or is connecting; *RET_ERROR is the result of another call,
 * which may be 0. */
bool connect_is_over(int fd, int *ret_error);
/* EISCONN: it is connected, or was. EALREADY: it is connecting. 0: neither. */
int connect_state(int fd);
/* The result of a call that has waited. It leaves the socket as the kernel would after such a call. */
int connect_settle(int fd);
/* When a waiting call times out, in CLOCK_MONOTONIC. *RET_OWN: the program has set this timeout itself. */
#define CONNECT_NEVER UINT64_MAX
uint64_t connect_deadline(int fd, bool *ret_own);
/* Ends connections that take too long. */
void connect_look(struct egress *e);

/* connect_call.c: connect() on a socket that the program has too. It does not block. DONE gets 0 or an errno
 * before it returns. */
int connect_call_open(struct egress *e, struct err *err);
typedef void connect_call_fn(struct egress *e, void *ctx, int error);
void connect_call(struct egress *e, int fd, const struct address *to, uint16_t port,
		  connect_call_fn *done, void *ctx);

/* handshake.c: connects FD, the program's socket, to the new socket *RET_OWN instead of to a
 * host of the family HOST, and holds the handshake. 0 or an errno. */
int handshake_hold(struct egress *e, int fd, int host, int *ret_own);
/* Lets the handshake complete: OWN becomes the other end. */
int handshake_complete(int fd, int own);
/* Refuses the connection. */
void handshake_refuse(int fd, int own);

/* relay.c: connects FD through cordon-egress, which checks the first bytes. SECRET: the connection is plain
 * HTTP, gets this secret and continues as TLS; or NULL. */
void relay_host(struct egress *e, uint64_t id, int fd, struct attempt *a, const struct address *to,
		const char *rule, const struct egress_secret *secret);
/* As connect_supersede. */
void relay_supersede(struct egress *e, uint64_t cookie);
/* Ends relays whose host takes too long. */
void relay_look(struct egress *e);

/* clock.c: ticks while there is something to check. */
int clock_open(struct egress *e, struct err *err);

/* loopback.c: sockets of the program that end at cordon-egress. */
typedef void loopback_fn(struct egress *e, int fd, void *ctx);
/* Connects FD to cordon-egress. Takes FD. DONE gets 0 or an errno, then TAKE gets the other end. */
void loopback_connect(struct egress *e, int fd, connect_call_fn *done, loopback_fn *take,
		      void *ctx);
/* Tries to accept again after loopback_paused. */
void loopback_retry(struct egress *e);

/* attempts.c */
struct attempt *attempt_new(struct egress *e, const char *name, const struct address *a,
			    uint16_t port);
/* Ends an attempt that never became a connection. */
void attempt_end(struct egress *e, struct attempt *a, enum egress_verdict verdict, int error,
		 const char *rule);
/* Its socket is connecting, and may transfer bytes from now on. */
void attempt_live(struct egress *e, struct attempt *a);
void attempt_die(struct egress *e, struct attempt *a, uint64_t bytes_out, uint64_t bytes_in);
/* The next tick sends its state to cordon, because cordon-egress may be killed before the end. */
void attempt_changed(struct egress *e, struct attempt *a);
/* Sends the changed attempts to cordon. */
void attempts_flush(struct egress *e);
/* In a live box, when a start has ended: sends what changed, and keeps only connections that can still
 * transfer bytes. True: attempts of this start were not listed. */
bool attempts_forget(struct egress *e);
/* Sends all attempts to cordon at the end of the run. */
void attempts_tell(struct egress *e);

/* counter.c: the kernel's byte counts. Called before privileges_drop, when the socket may get a
 * longer queue. */
int counter_listen(struct egress *e, struct err *err);
int counter_open(struct egress *e, struct err *err);
/* Stores how the kernel identifies FD, which is connecting. */
int counter_name(struct attempt *a, int fd, const struct address *to);
/* Reads the counts of the live connections. */
void counter_look(struct egress *e);
/* After messages of the kernel were lost: finds connections that ended without one. */
void counter_look_lost(struct egress *e);
/* Waits until each connection has its counts, then sends all attempts to cordon. */
void counter_finish(struct egress *e);

#endif
