/* SPDX-License-Identifier: MIT
 *
 * See tls.h. The certificate must be valid for the name; no option turns this off.
 */
#include "egress/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

struct ssl_ctx_st *tls_open(void)
{
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());

	if (context && SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
	    SSL_CTX_set_default_verify_paths(context) == 1) {
		SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
		SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
						  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
		SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
		return context;
	}
	SSL_CTX_free(context);
	return NULL;
}

struct ssl_st *tls_new(struct ssl_ctx_st *context, int fd, const char *host)
{
	SSL *s = SSL_new(context);

	if (s && SSL_set_fd(s, fd) == 1 && SSL_set1_host(s, host) == 1 &&
	    SSL_set_tlsext_host_name(s, host) == 1)
		return s;
	SSL_free(s);
	return NULL;
}

static ssize_t result(SSL *s, int n)
{
	if (n > 0)
		return n;
	int error = SSL_get_error(s, n), cause = errno;
	ERR_clear_error();
	if (error == SSL_ERROR_ZERO_RETURN)
		return 0;
	errno = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? EAGAIN
		: error == SSL_ERROR_SYSCALL && cause == ECONNRESET	      ? ECONNRESET
									      : EPROTO;
	return -1;
}

int tls_connect(struct ssl_st *s)
{
	return result(s, SSL_connect(s)) > 0 ? 0 : -1;
}

ssize_t tls_recv(struct ssl_st *s, void *data, size_t size)
{
	return result(s, SSL_read(s, data, (int)size));
}

ssize_t tls_send(struct ssl_st *s, const void *data, size_t len)
{
	return result(s, SSL_write(s, data, (int)len));
}

bool tls_has_more(struct ssl_st *s)
{
	return SSL_pending(s) > 0;
}

bool tls_wants_write(struct ssl_st *s)
{
	return SSL_want_write(s);
}

void tls_free(struct ssl_st *s)
{
	SSL_free(s);
}
