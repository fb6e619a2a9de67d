/* SPDX-License-Identifier: MIT
 *
 * Opens and closes a store: chooses the backend, begins or checks the log, upgrades the state.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "store/chain.h"
#include "store/upgrade.h"

static const struct {
	const char *scheme; /* NULL: no URL */
	const struct store_backend *backend;
} backends[] = {
	{NULL, &store_sqlite},
	{"postgres://", &store_postgres},
	{"postgresql://", &store_postgres},
};

static const struct store_backend *choose(const char *url)
{
	for (size_t i = 0; i < ARRAY_SIZE(backends); i++) {
		const char *scheme = backends[i].scheme;
		if (!url ? !scheme : scheme && strncmp(url, scheme, strlen(scheme)) == 0)
			return backends[i].backend;
	}
	return NULL;
}

int store_open(const struct store_options *options, struct store **ret, struct err *err)
{
	const struct store_backend *backend = choose(options->url);

	if (!backend) /* the message must not quote the URL: it may hold a password */
		return err_set(err, ERR_USAGE, "the store's URL must begin with postgres://");
	struct store *s = calloc(1, sizeof(*s));
	if (!s)
		return err_memory(err);
	s->backend = backend;
	s->dir = options->dir;
	s->read_only = options->read_only;
	s->accepts = options->accepts;
	s->heads = -1;
	if (backend->open(options, &s->self, err) < 0) {
		free(s);
		return -1;
	}
	if (!options->is_raw &&
	    (chain_open(s, err) < 0 || (!s->read_only && !s->accepts && upgrade(s, err) < 0))) {
		store_close(s);
		return -1;
	}
	*ret = s;
	return 0;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	s->backend->close(s->self);
	key_wipe(&s->key);
	scope_close(&s->heads);
	free(s);
}
