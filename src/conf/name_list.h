/* SPDX-License-Identifier: MIT
 *
 * The names of a table as part of a sentence: "a, b or c". Help and error texts use these, so that a
 * new row appears in all of them.
 */
#ifndef CORDON_CONF_NAME_LIST_H
#define CORDON_CONF_NAME_LIST_H

#include <stddef.h>

/* Room for any of them; what does not fit is cut. */
#define NAMES_MAX 256

/* All return BUF. AT gives the I-th name, or NULL past the end. */
const char *names_join(const char *(*at)(unsigned i), char *buf, size_t size);
const char *profile_name(unsigned i); /* NULL past the end */
const char *names_of_profiles(char *buf, size_t size);
const char *names_of_tiers(char *buf, size_t size);

#endif
