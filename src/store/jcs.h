/* SPDX-License-Identifier: MIT
 *
 * Canonical JSON (RFC 8785), as the log keeps it: one way to write a value, so that a hash of the
 * bytes is a hash of what they say. A subset: numbers are whole and exact in a double (2^53 - 1),
 * names are plain ASCII. A string that is written here is always redacted and bounded first
 * (store/redact.h); there is no other way into a record, so nobody can forget it.
 */
#ifndef CORDON_STORE_JCS_H
#define CORDON_STORE_JCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/buf.h"

enum { JCS_DEPTH_MAX = 16, JCS_TEXT_MAX = 32768 };
#define JCS_NUMBER_MAX 9007199254740991LL

/* A writer. Names come in ascending order of their bytes; what is wrong is found by jcs_finish. */
struct jcs {
	struct buf out;
	unsigned depth;
	char closer[JCS_DEPTH_MAX + 1];
	bool follows[JCS_DEPTH_MAX + 1]; /* a comma is needed */
	bool failed;
};

/* An object is open after it. MOST: bytes in all. */
void jcs_init(struct jcs *j, size_t most);
/* NAME is NULL in a list. */
void jcs_object(struct jcs *j, const char *name);
void jcs_list(struct jcs *j, const char *name);
void jcs_end(struct jcs *j);
/* What is no UTF-8 becomes U+FFFD; what is longer than JCS_TEXT_MAX is cut, and that is said. */
void jcs_text(struct jcs *j, const char *name, const char *text, size_t len);
void jcs_str(struct jcs *j, const char *name, const char *text);
void jcs_int(struct jcs *j, const char *name, int64_t value);
void jcs_bool(struct jcs *j, const char *name, bool value);
void jcs_hex(struct jcs *j, const char *name, const uint8_t *data, size_t len);
/* Closes what is open and looks at the whole once more. */
int jcs_finish(struct jcs *j, struct err *err);
void jcs_done(struct jcs *j);

#define AUTO_JCS __attribute__((cleanup(jcs_done)))

/* A string of JSON, as it is, not redacted: for what is no text of anybody's. */
void jcs_write_string(struct buf *out, const char *text, size_t len);

/* The length of the canonical value that DATA begins with; 0 when there is none. */
size_t jcs_value(const uint8_t *data, size_t len);

/* Reading. The member NAME of the canonical object VALUE: its bytes, or false. */
struct jcs_span {
	const uint8_t *data;
	size_t len;
};
bool jcs_member(struct jcs_span object, const char *name, struct jcs_span *ret);
/* The next element of a list: *AT begins as 0. */
bool jcs_next(struct jcs_span list, size_t *at, struct jcs_span *ret);
/* A string's text without its escapes; false when it is none or does not fit. */
bool jcs_get_text(struct jcs_span value, char *ret, size_t size);
bool jcs_get_int(struct jcs_span value, int64_t *ret);
/* Of the member NAME: false also when there is none. HEX: as jcs_hex writes LEN bytes. */
bool jcs_text_at(struct jcs_span object, const char *name, char *ret, size_t size);
bool jcs_hex_at(struct jcs_span object, const char *name, uint8_t *ret, size_t len);

#endif
