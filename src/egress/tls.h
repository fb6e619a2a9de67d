/* SPDX-License-Identifier: MIT
 *
 * TLS to a host, with OpenSSL and the certificates that this machine trusts. No function blocks:
 * -1 with EAGAIN means try again later.
 */
#ifndef CORDON_EGRESS_TLS_H
#define CORDON_EGRESS_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct ssl_ctx_st;
struct ssl_st;

/* Reads the certificates, which takes milliseconds: once is enough. NULL: failure. */
struct ssl_ctx_st *tls_open(void);
/* FD is connected. NULL: failure. */
struct ssl_st *tls_new(struct ssl_ctx_st *context, int fd, const char *host);
/* 0: the handshake is complete, and the certificate is valid for the host. */
int tls_connect(struct ssl_st *s);
ssize_t tls_recv(struct ssl_st *s, void *data, size_t size);
ssize_t tls_send(struct ssl_st *s, const void *data, size_t len);
bool tls_has_more(struct ssl_st *s);
/* After EAGAIN: wait for room to write, not for data. */
bool tls_wants_write(struct ssl_st *s);
void tls_free(struct ssl_st *s);

#endif
