/* SPDX-License-Identifier: MIT
 *
 * Canonical JSON (RFC 8785), in which the log is written: each value has one spelling, so a hash of
 * the bytes is a hash of the value. It is a subset: numbers are integers up to 2^53 - 1, names are
 * plain ASCII. Text from outside is written with jcs_text and jcs_str, which redact it
 * (store/redact.h) and limit its length; jcs_word is for text known to be harmless.
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

/* A writer. Names must come in ascending order of their bytes. jcs_finish reports all errors. */
struct jcs {
	struct buf out;
	unsigned depth;
	char closer[JCS_DEPTH_MAX + 1];
	bool follows[JCS_DEPTH_MAX + 1]; /* a comma is needed before the next value */
	bool failed;
};

/* Opens an object. MOST: the maximum of bytes in all. */
void jcs_init(struct jcs *j, size_t most);
/* NAME is NULL in a list. */
void jcs_object(struct jcs *j, const char *name);
void jcs_list(struct jcs *j, const char *name);
void jcs_end(struct jcs *j);
/* Invalid UTF-8 becomes U+FFFD. Text longer than JCS_TEXT_MAX is cut, with a mark that says so. */
void jcs_text(struct jcs *j, const char *name, const char *text, size_t len);
void jcs_str(struct jcs *j, const char *name, const char *text);
/* Writes text without redacting it: only for words of the program, its own ids, hosts, and
 * directories that it opened. */
void jcs_word(struct jcs *j, const char *name, const char *word);
void jcs_int(struct jcs *j, const char *name, int64_t value);
void jcs_bool(struct jcs *j, const char *name, bool value);
void jcs_hex(struct jcs *j, const char *name, const uint8_t *data, size_t len);
/* Closes what is open and checks the whole text. */
int jcs_finish(struct jcs *j, struct err *err);
void jcs_done(struct jcs *j);

#define AUTO_JCS __attribute__((cleanup(jcs_done)))

/* Appends a JSON string without redacting it. */
void jcs_write_string(struct buf *out, const char *text, size_t len);

/* The length of the canonical value that DATA begins with; 0 if it begins with no such value. */
size_t jcs_value(const uint8_t *data, size_t len);

/* Reading. */
struct jcs_span {
	const uint8_t *data;
	size_t len;
};
/* The bytes of the member NAME of a canonical object; false: it has no such member. */ bool
jcs_member(struct jcs_span object, const char *name, struct jcs_span *ret);
/* The next element of a list; *AT begins as 0. */
bool jcs_next(struct jcs_span list, size_t *at, struct jcs_span *ret);
/* A string's text without escapes; false if the value is not a string or does not fit. */
bool jcs_get_text(struct jcs_span value, char *ret, size_t size);
bool jcs_get_int(struct jcs_span value, int64_t *ret);
/* The same for the member NAME; false also without such a member. jcs_hex_at reads LEN bytes as
 * jcs_hex writes them. */
bool jcs_text_at(struct jcs_span object, const char *name, char *ret, size_t size);
bool jcs_hex_at(struct jcs_span object, const char *name, uint8_t *ret, size_t len);

#endif
