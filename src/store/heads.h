/* SPDX-License-Identifier: MIT
 *
 * The file "heads" beside the database. It has one line for each transaction: the number of
 * transactions, the number of records, the time, and the hash of the last record. The database must
 * have the newest line's record. An older copy of it, or another database, does not.
 *
 *     \n81 120 1763496000 <64 hex digits>
 *
 * A line begins with a line end, so that a line that was cut short spoils no other. A line is
 * written after the commit: the database may be ahead of the file and never behind. The file is not
 * synced: a power cut loses the end of the file, and then the database is ahead.
 */
#ifndef CORDON_STORE_HEADS_H
#define CORDON_STORE_HEADS_H

#include <stdbool.h>
#include <stddef.h>

#include "store/head.h"

#define HEADS_FILE "heads"
/* The largest number in a line: a forged one leaves room for the numbers that follow. */
#define HEADS_NUMBER_MAX (UINT64_C(1) << 52)

struct heads_line {
	uint64_t writes, size; /* transactions and records up to it */
	uint64_t time;	       /* seconds since 1970 */
	uint8_t last[RECORD_HASH];
};

/* -2: there is no such file, and WAY does not make it. */
enum heads_way { HEADS_READ, HEADS_ADD, HEADS_MAKE };
int heads_open(int dir, enum heads_way way, struct err *err);
int heads_add(int fd, const struct head *head, struct err *err);
/* Makes the file and its name survive a power cut. For a new file, after its first line. */
int heads_settle(int dir, int fd, struct err *err);
/* The newest line at the end of the file, behind *RET_FROM. 1: the file has no line. */
int heads_newest(int fd, struct heads_line *ret, uint64_t *ret_from, struct err *err);
/* Replaces *RET by the newest line between these bytes, if that is newer. */
int heads_newest_between(int fd, uint64_t from, uint64_t to, struct heads_line *ret,
			 struct err *err);
int heads_length(int fd, uint64_t *ret, struct err *err);

/* For a state directory without a log. Sets the error, which says whether the file knows a lost
 * log; -1. */
int heads_no_log(int dir, struct err *err);

/* Are these bytes exactly one line, without its line ends? */
bool heads_is_line(const char *text, size_t len);

/* Reads lines one after another. A line stands between line ends or quotation marks, so heads that
 * were delivered as JSON need no unpacking. Everything else is skipped. */
struct heads_reader {
	int fd;
	uint64_t left; /* bytes of the file still to be read */
	size_t at, len;
	char buf[16 << 10];
};
/* Reads up to the present end of the file. */
int heads_reader_begin(struct heads_reader *r, int fd, struct err *err);
/* 1, 0 at the end, -1. */
int heads_read(struct heads_reader *r, struct heads_line *ret, struct err *err);

#endif
