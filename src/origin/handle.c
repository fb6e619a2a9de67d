/* SPDX-License-Identifier: MIT
 *
 * d1.<base64url of id and code>, written in one way only.
 */
#include "origin/handle.h"

#include <sodium.h>
#include <string.h>

#define HANDLE_MARK "d1."
enum { HANDLE_BYTES = ID_BYTES + KEEPER_MAC };

void handle_write(const struct keeper *k, const char *principal, const struct id *id, char *ret)
{
	uint8_t bytes[HANDLE_BYTES];

	memcpy(bytes, id, ID_BYTES);
	keeper_mac(k, "domain", principal, id, sizeof(*id), bytes + ID_BYTES);
	memcpy(ret, HANDLE_MARK, sizeof(HANDLE_MARK));
	sodium_bin2base64(ret + sizeof(HANDLE_MARK) - 1, HANDLE_MAX - sizeof(HANDLE_MARK) + 1,
			  bytes, sizeof(bytes), sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

bool handle_read(const struct keeper *k, const char *principal, const char *handle, struct id *ret)
{
	const size_t mark = sizeof(HANDLE_MARK) - 1;
	uint8_t bytes[HANDLE_BYTES], mac[KEEPER_MAC];
	size_t len = strnlen(handle, HANDLE_MAX), n = 0;

	if (len >= HANDLE_MAX || strncmp(handle, HANDLE_MARK, mark) != 0 ||
	    sodium_base642bin(bytes, sizeof(bytes), handle + mark, len - mark, NULL, &n, NULL,
			      sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
	    n != sizeof(bytes))
		return false;
	keeper_mac(k, "domain", principal, bytes, ID_BYTES, mac);
	if (sodium_memcmp(mac, bytes + ID_BYTES, sizeof(mac)) != 0)
		return false;
	memcpy(ret, bytes, ID_BYTES);
	return true;
}
