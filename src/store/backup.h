/* SPDX-License-Identifier: MIT
 *
 * A backup is one file with the whole state: every record, every item, the files beside the
 * database. It does not depend on the database, so a state is moved to another database by backup
 * and restore. The reader trusts no byte: a backup is restored whole, if its checksum and the log's
 * hashes are right, or not at all.
 *
 * The frames (store/frames.h):
 *     H  format, records, time in microseconds (8 bytes each)
 *     F  a file of the state directory: its name, 0, its bytes
 *     R  a record: number (8), hash (32), bytes
 *     I  an item: kind, 0, key, 0, version (8), value
 */
#ifndef CORDON_STORE_BACKUP_H
#define CORDON_STORE_BACKUP_H

#include "store/frames.h"
#include "store/store.h"

#define BACKUP_MAGIC "cordon-backup 1\n"
enum { BACKUP_NAME_MAX = 64 };

struct backup_info {
	uint64_t format, records, items, files, time_us;
	bool has_keys;
	uint8_t sha256[32]; /* of all but the last frame */
};

/* Writes all of S, as it is at one moment, to the new file NAME of the directory DIR. After a failure
 * there is no such file. Other processes may write to S meanwhile. KEYS: the secret keys too. */
int backup_write(struct store *s, bool keys, int dir, const char *name, struct backup_info *ret,
		 struct err *err);
/* Reads the whole backup and checks it as far as possible without a store. */
int backup_check(int fd, struct backup_info *ret, struct err *err);
/* Restores the backup in FD into S, which is open raw (store.h), in one transaction that also
 * records it. OVER: also over an existing log. Existing files of the state directory stay. */
int backup_restore(struct store *s, int fd, bool over, struct backup_info *ret, struct err *err);

#endif
