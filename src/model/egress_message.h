/* SPDX-License-Identifier: MIT
 *
 * The messages about connections to the outside: datagrams of plain data that begin with their kind.
 *
 *     program --connect--> kernel --> cordon-box --EGRESS_DIAL--> cordon-egress --> the host
 *
 * cordon-box knows no names and no rules. It sends a copy of the address that the program gave and the
 * program's socket, and passes the answer on. cordon-egress connects that socket. cordon sends it the
 * rules first, and receives the result of each attempt.
 */
#ifndef CORDON_MODEL_EGRESS_MESSAGE_H
#define CORDON_MODEL_EGRESS_MESSAGE_H

#include <stdint.h>

#include "model/limit.h"

/* Where the program's resolver is, in its own network. */
#define EGRESS_RESOLVER "127.0.0.53"
#define EGRESS_RESOLVER_PORT 53

#define EGRESS_ADDRESS_MAX 128 /* bytes of any socket's address: struct sockaddr_storage */
/* Where cordon-egress finds its two sockets: to cordon, and to cordon-box. */
enum { EGRESS_CONTROL_FD = 3, EGRESS_BOX_FD = 4 };

#define EGRESS_NAME_MAX 254 /* a host's name and its end */
#define EGRESS_ADDRESS_TEXT 48
#define EGRESS_RULE_MAX 400  /* bytes of a rule, or of the reason for a refusal */
#define EGRESS_ROWS_MAX 4096 /* attempts that are reported */
/* Of those, attempts without a connection, so that there is room for others. */
#define EGRESS_ENDED_MAX 2048

enum egress_kind {
	/* between cordon-box and cordon-egress */
	EGRESS_RESOLVE = 1, /* descriptor: the socket at EGRESS_RESOLVER */
	EGRESS_DIAL,	    /* egress_dial and the socket */
	EGRESS_ANSWER,	    /* egress_answer */
	EGRESS_OVER,	    /* egress_over: the run has used up one of its limits */
	/* between cordon and cordon-egress */
	EGRESS_RULE,   /* egress_rule: before EGRESS_START */
	EGRESS_SECRET, /* egress_secret: before EGRESS_START */
	EGRESS_START,  /* egress_start */
	EGRESS_ROW,    /* egress_row */
	EGRESS_DONE,   /* egress_done: that was all */
	EGRESS_FLUSH,  /* egress_flush: after the rows of all attempts until now, it comes back */
};

struct egress_dial {
	uint32_t kind;
	int32_t type; /* SOCK_STREAM or SOCK_DGRAM */
	uint64_t id;  /* of the call that waits */
	uint32_t address_len;
	uint8_t address[EGRESS_ADDRESS_MAX];
};

struct egress_answer {
	uint32_t kind;
	int32_t error; /* 0, or an errno */
	uint64_t id;
};

struct egress_over {
	uint32_t kind, limit; /* enum limit_id */
	uint32_t ended;	      /* 1: the limit ends the run; 0: it was reached */
	uint32_t reserved;
};

/* The list that a rule belongs to. */
enum egress_list { EGRESS_ALLOWED, EGRESS_DENIED, EGRESS_LISTS };

struct egress_rule {
	uint32_t kind, list;
	char text[EGRESS_RULE_MAX]; /* as policy_net_format writes it */
};

/* Requests that get a secret. */
#define EGRESS_METHODS_MAX 64 /* bytes of "GET,POST" and its end */
#define EGRESS_PATH_MAX 256
struct egress_use {
	char methods[EGRESS_METHODS_MAX]; /* "": any */
	char path[EGRESS_PATH_MAX];	  /* this path and all below; "/": any; "": none */
};

/* A secret, which cordon-egress puts into one header towards one host. */
#define EGRESS_SECRETS_MAX 16
#define EGRESS_USES_MAX 16
struct egress_secret {
	uint32_t kind, port;
	struct egress_use policy; /* the request must be one of these */
	uint32_t usec;
	struct egress_use use[EGRESS_USES_MAX]; /* and of one of these */
	char host[EGRESS_NAME_MAX];
	char header[64], placeholder[64];
	char value[4096];
};

struct egress_start {
	uint32_t kind;
	uint32_t sni; /* 1: TLS must ask for the name that was dialled */
	uint64_t limit[LIMIT_COUNT];
};

enum egress_verdict { EGRESS_REFUSED, EGRESS_CONNECTED, EGRESS_FAILED, EGRESS_VERDICTS };

/* One attempt. It is sent when it begins, when it is connected, and at the end of the run. */
struct egress_row {
	uint32_t kind, number, verdict, port;
	int32_t error; /* the program's result: 0, or an errno */
	uint64_t bytes_out, bytes_in, wall_ms;
	char name[EGRESS_NAME_MAX];	   /* "": the program gave an address */
	char address[EGRESS_ADDRESS_TEXT]; /* the real one; "": unknown */
	char rule[EGRESS_RULE_MAX];	   /* the rule that allowed or refused it */
};

struct egress_flush {
	uint32_t kind, id;
	uint32_t cut; /* of the answer; 1: not all attempts since the last one are reported */
};

struct egress_done {
	uint32_t kind, cut; /* 1: not all attempts are reported */
	uint32_t count, reserved;
};

#endif
