/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for parameters of the executor: any bytes as a path, as base64, and as the agent's sandbox.
 * A path that is taken is absolute and clean. A broken promise aborts.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "door/executor/rpc.h"
#include "door/executor/wish.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool promise)
{
	if (!promise)
		abort();
}

static void check_path(const char *text)
{
	AUTO_FREE char *path = rpc_path(text), *uri = path ? rpc_uri(path) : NULL;
	AUTO_FREE char *again = uri ? rpc_path(uri) : NULL;

	if (!path)
		return;
	must(path[0] == '/' && strlen(path) < strlen(text));
	must(!strstr(path, "//") && !strstr(path, "/../") && !strstr(path, "/./"));
	must(again && strcmp(again, path) == 0);
}

static void check_bytes(const char *text, size_t len)
{
	size_t size = 0;
	AUTO_FREE char *bytes = rpc_bytes(text, len, &size);
	AUTO_FREE char *again = bytes ? rpc_base64(bytes, size) : NULL;

	must(!bytes || (again && strlen(again) == len && memcmp(again, text, len) == 0));
}

static void check_wish(const char *text, size_t len)
{
	json_t *sandbox = json_loadb(text, len, JSON_DECODE_ANY, NULL);
	struct err err = {0};
	unsigned wish = 99;

	if (sandbox)
		must(wish_read(sandbox, "/srv/app", &wish, &err) == 0 ? wish < WISHES
								      : err.message[0] != '\0');
	json_decref(sandbox);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	AUTO_FREE char *text = malloc(len + 1);

	must(text != NULL);
	if (len)
		memcpy(text, data, len);
	text[len] = '\0';
	check_path(text);
	check_bytes(text, len);
	check_wish(text, len);
	return 0;
}
