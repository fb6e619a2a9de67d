/* SPDX-License-Identifier: MIT
 *
 * Answers and parameters of the executor's messages.
 */
#ifndef CORDON_EXECUTOR_RPC_H
#define CORDON_EXECUTOR_RPC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum rpc_code {
	RPC_NOT_FOUND = -32004,
	RPC_INVALID = -32600, /* or refused */
	RPC_NO_METHOD = -32601,
	RPC_PARAMS = -32602,
	RPC_FAILED = -32603,
};

/* {"error": {...}} */
json_t *rpc_error_object(int code, const char *message);

/* The path of a file: URI, malloc'd, without ".", ".." and double slashes. NULL: it is no such URI. */
char *rpc_path(const char *uri);
/* The URI of a path, malloc'd. */
char *rpc_uri(const char *path);
/* Bytes of a base64 text, malloc'd, with a NUL after them. NULL: it is no base64. */
char *rpc_bytes(const char *base64, size_t len, size_t *ret_len);
/* The base64 text of bytes, malloc'd. */
char *rpc_base64(const void *data, size_t len);

#endif
