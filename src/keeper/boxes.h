/* SPDX-License-Identifier: MIT
 *
 * Shared by the files of cordon-keeper, which holds the live boxes of one state directory between
 * commands. It starts cordon-box with the spec that a client sends, passes on the messages of both
 * sides with the numbers of starts changed, and saves the changes of the workspace when a box ends.
 * It must never decide what runs, nor read what a program prints.
 */
#ifndef CORDON_KEEPER_BOXES_H
#define CORDON_KEEPER_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "model/keep.h"
#include "model/limit.h"
#include "model/wire.h"

enum {
	KEEPER_ROWS_MAX = 2 * CORDON_STARTS_MAX, /* starts and opens of one box at a time */
	KEEPER_IDLE_MS = 5000, /* without a box and a client the keeper ends after so long */
};

union keeper_message {
	uint32_t kind;
	struct keep_box box;
	struct keep_name name;
	struct wire_start start;
	struct wire_signal signal;
	struct wire_open open;
	struct wire_opened opened;
	struct wire_started started;
	struct wire_exited exited;
	struct wire_closed closed;
	struct wire_ready ready;
	struct wire_done done;
	struct wire_change change;
	struct wire_denial denial;
	struct wire_error error;
	struct wire_result result;
	struct keep_row row;
};

struct kept;

struct client {
	int socket; /* -1: the row is free */
	struct kept *box;
	int egress;   /* to the cordon-egress of the box that it creates, or -1 */
	bool creates; /* KEEP_CREATE has come: WIRE_SPEC is next */
	uint32_t
		asks; /* KEEP_SAVE, KEEP_STOP or KEEP_DROP waits until another client has its answer; or 0 */
	bool has_lost_rows;
	bool is_gone; /* to be closed when the messages of now are handled */
};

/* One start or one open, until nothing of it is left. */
struct kept_row {
	uint32_t id, theirs;   /* its numbers for cordon-box and for the client; id 0: free */
	struct client *client; /* NULL: the client is gone */
	bool is_open, exited, is_closed;
	struct wire_exited *end; /* waits for the rows of cordon-egress; or NULL */
};

enum kept_state {
	KEPT_FREE,
	KEPT_ASKED, /* the spec has not come yet */
	KEPT_BEGINS,
	KEPT_LIVES,
	KEPT_ENDS,
	KEPT_DEAD, /* it died, and about.err says how */
};

struct kept {
	enum kept_state state;
	struct keep_box about;
	int fds[KEEP_FDS];
	int socket;		 /* to cordon-box, or -1 */
	int egress;		 /* to cordon-egress, or -1 */
	struct egress_row *late; /* KEEP_ROWS_MAX rows for the next client, or NULL */
	size_t latec;
	uint32_t told; /* attempts whose rows a client has had */
	bool late_cut;
	pid_t pid;
	struct client *creator; /* until the box lives */
	struct client *waiter;	/* asked to save or to stop; or NULL */
	uint32_t saves;		/* KEEP_SAVE or KEEP_STOP: the programs stand still for it; or 0 */
	bool is_over;		/* it ends also if its changes cannot be saved */
	bool drops;		/* the changes are not to be saved when it has ended */
	struct keep_done saved; /* by KEEP_STOP */
	struct kept_row row[KEEPER_ROWS_MAX];
	uint32_t last_id;
	uint64_t created_ns, idle_since_ns;
	int upper; /* the directory that has the changes; or -1 */
	bool has_result;
};

struct boxes {
	int listener;
	struct client client[KEEP_CLIENTS_MAX];
	struct kept box[KEEP_BOXES_MAX];
	uint64_t idle_since_ns; /* 0: there is a box or a client */
};

/* answer.c. A client that does not read its messages is disconnected. */
void client_send(struct client *c, const void *data, size_t len, const int *fds, size_t count);
void client_send_row(struct client *c, struct keep_row row);
/* The rows that no client has had. */
void client_send_late(struct client *c, struct kept *b);
/* Rows are missing. */
void client_send_cut(struct client *c);
void client_answer(struct client *c, const struct keep_done *done);

/* death.c */
/* cordon-box has ended with STATUS and without a result. */
void death_explain(struct kept *b, int status);
/* It ended by itself; DONE says whether its changes were saved. */
void death_explain_end(struct kept *b, const struct keep_done *done);

/* kept.c */
struct kept *kept_find(struct boxes *k, const char *name);
/* Takes the descriptors. */
int kept_add(struct boxes *k, struct client *c, const struct keep_box *about, int *fds,
	     size_t count, struct err *err);
int kept_begin(struct kept *b, int *fds, size_t count, struct err *err);
void kept_about(const struct kept *b, struct keep_box *ret, int fds[KEEP_FDS], size_t *ret_count);
/* A message of C for the box, with its descriptors. */
void kept_order(struct kept *b, struct client *c, union keeper_message *m, size_t len,
		const int *fds, size_t count);
/* Reads one message of cordon-box. */
void kept_receive(struct boxes *k, struct kept *b);
/* KIND is KEEP_SAVE, KEEP_STOP or KEEP_DROP. C, or NULL, is answered when that is done. */
void kept_save(struct kept *b, struct client *c, uint32_t kind);
/* C is gone: its programs end, unless only those that they left behind run. */
void kept_leave(struct kept *b, struct client *c);
/* Ends boxes whose time is over. Returns the ms until the next one, or -1. */
int kept_deadline(struct boxes *k);
void kept_free(struct kept *b);

struct kept_row *kept_find_row(struct kept *b, uint32_t id);
/* A start has ended and all rows of its connections have been sent. CUT: not all of them. */
void kept_pass_end(struct kept *b, struct kept_row *row, bool cut);
/* Sends ROW, or else DATA, to each client with a running program. Returns false if no client has one. */
bool kept_pass_to_all(struct boxes *k, struct kept *b, const struct keep_row *row, const void *data,
		      size_t len);

/* connections.c */
/* Reads one message of cordon-egress. */
void kept_egress(struct boxes *k, struct kept *b);

/* clients.c */
void client_accept(struct boxes *k);
/* Reads one message of the client. */
void client_receive(struct boxes *k, struct client *c);
void client_close(struct boxes *k, struct client *c);

/* start_box.c. *RET: the keeper's end for cordon-egress, and the ends that the client gets. */
int start_egress(int *ret_control, int *ret_box, struct err *err);
/* A killed cordon-box may have left a cgroup or processes: another one removes them. */
void start_box_to_sweep(void);
/* Starts cordon-box with its socket in *RET_SOCKET. */
int start_box(int *ret_socket, pid_t *ret_pid, struct err *err);

#endif
