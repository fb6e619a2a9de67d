/* SPDX-License-Identifier: MIT
 *
 * Messages of JSON-RPC 2.0 as MCP uses them: one JSON object a line (door/lines.h). What is no message
 * becomes an error with a reason, and with the id if that can be read.
 */
#ifndef CORDON_MCP_MESSAGE_H
#define CORDON_MCP_MESSAGE_H

#include "door/lines.h"

enum {
	MESSAGE_BYTES_MAX = 16 << 20,
	MESSAGE_ID_MAX = 256, /* bytes of an id that is a string */
	RPC_WORDS_MAX = 320
};

/* Codes of JSON-RPC, and two of MCP. */
enum rpc_code {
	RPC_PARSE = -32700,
	RPC_INVALID_REQUEST = -32600,
	RPC_NO_METHOD = -32601,
	RPC_INVALID_PARAMS = -32602,
	RPC_INTERNAL = -32603,
	RPC_BUSY = -32000,
	RPC_UNSUPPORTED_VERSION = -32022
};

struct rpc_error {
	enum rpc_code code;
	char words[RPC_WORDS_MAX];
	json_t *data; /* owned, or NULL */
};

enum message_kind { MESSAGE_NONE, MESSAGE_REQUEST, MESSAGE_NOTIFICATION, MESSAGE_ANSWER };

struct message {
	enum message_kind kind;
	json_t *whole; /* owned; the members below are parts of it */
	json_t *id; /* of a request or an answer; after an error: if it could be read, else NULL */
	const char *method;
	json_t *params; /* an object, or NULL */
	json_t *result; /* of an answer; NULL: it is an error */
};

/* -1: it is no message; answer with *ERR and RET->id. Always call message_done. */
int message_read(struct lines_text line, struct message *ret, struct rpc_error *err);
void message_done(struct message *m);
#define AUTO_MESSAGE __attribute__((cleanup(message_done)))

/* Always -1. */
int rpc_fail(struct rpc_error *err, enum rpc_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* NULL: out of memory. They take over what they are given but ID. ID NULL becomes null; in message_call it
 * makes a notification. */
json_t *message_result(json_t *id, json_t *result);
json_t *message_error(json_t *id, struct rpc_error *err);
json_t *message_call(const char *method, json_t *id, json_t *params);

#endif
