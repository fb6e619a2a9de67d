/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for what the store reads: the first byte says as what. A record that decodes is
 * encoded to the same bytes; a note that parses can be looked at for signatures, and no bytes of a
 * fuzzer's are signed with our key; a file of checkpoints gives notes that lie in it; a message to
 * or from cordon-postgres that decodes is encoded to the same bytes; a text that was redacted and
 * sealed has no open hash.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/scope.h"
#include "store/archive.h"
#include "store/backup.h"
#include "store/head.h"
#include "store/heads.h"
#include "store/note.h"
#include "store/proof.h"
#include "store/redact.h"
#include "store/rpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool promise)
{
	if (!promise)
		abort();
}

static bool same(const struct buf *out, const uint8_t *data, size_t len)
{
	return !out->failed && out->len == len && memcmp(out->data, data, len) == 0;
}

static void try_record(const uint8_t *data, size_t len)
{
	AUTO_BUF struct buf again = {.most = RECORD_MAX};
	char ref[RECORD_REF_MAX + 1];
	struct jcs_span member;
	struct record r;
	struct err err;

	if (record_decode(data, len, &r, &err) < 0)
		return;
	for (size_t at = 0; record_next_ref(&r, &at, ref);)
		must(record_ref_is_good(ref));
	if (jcs_member(r.body, "note", &member))
		must(jcs_value(member.data, member.len) == member.len);
	must(record_encode(&r, &again, &err) == 0 && same(&again, data, len));
}

static void try_note(const uint8_t *data, size_t len)
{
	static const uint8_t public[KEY_PUBLIC] = {0xd7, 0x5a, 0x98, 1};
	const char *text = (const char *)data;
	struct note note;
	struct err err;

	if (note_parse(text, len, &note, &err) == 0)
		must(strlen(note.origin) > 0 && !note_is_signed(text, len, &note, public));
}

static void try_file(const uint8_t *data, size_t len)
{
	const char *file = (const char *)data;
	struct note_span text;
	struct note note;
	size_t at = 0;

	while (note_list_next(file, len, &at, &text, &note))
		must(text.data >= file && text.data + text.len <= file + len && text.len > 0 &&
		     at <= len && note_is_whole(text.data, text.len, &note));
}

static void try_request(const uint8_t *data, size_t len)
{
	AUTO_BUF struct buf again = {.most = RPC_MAX};
	struct arena arena = {0};
	struct rpc_request r;
	struct err err;

	if (rpc_get_request(data, len, &r, &arena, &err) == 0) {
		must(r.call < RPC_CALLS && r.kind < STORE_KINDS && r.count <= RPC_OPS_MAX);
		rpc_put_request(&again, &r);
		must(same(&again, data, len));
	}
	arena_done(&arena);
}

static void try_answer(const uint8_t *data, size_t len)
{
	struct err err;

	for (int call = 0; call < RPC_CALLS; call++) {
		AUTO_BUF struct buf again = {.most = RPC_MAX};
		struct arena arena = {0};
		struct rpc_answer a;
		if (rpc_get_answer(data, len, (enum rpc_call)call, &a, &arena, &err) == 0) {
			rpc_put_answer(&again, (enum rpc_call)call, &a);
			/* An error's code is made one that we know. */
			must(a.ok ? same(&again, data, len) : again.len == len);
		}
		arena_done(&arena);
	}
}

static void try_head(const uint8_t *data, size_t len)
{
	uint8_t again[HEAD_MAX];
	struct head head;
	struct err err;

	if (head_decode(data, len, &head, &err) == 0)
		must(head_encode(&head, again) == len && memcmp(again, data, len) == 0);
}

static void try_text(const uint8_t *data, size_t len)
{
	AUTO_BUF struct buf once = {.most = REDACT_OUT_MAX}, twice = {.most = REDACT_OUT_MAX};
	AUTO_JCS struct jcs j = {0};
	struct err err;

	static const uint8_t key[REDACT_KEY] = {1};

	redact(&once, (const char *)data, len);
	redact_seal(&twice, once.data, once.len, key);
	must(!once.failed && !twice.failed && !redact_is_open(twice.data, twice.len));
	jcs_init(&j, RECORD_BODY_MAX);
	jcs_text(&j, "t", (const char *)data, len);
	must(jcs_finish(&j, &err) == 0);
}

static void try_proof(const uint8_t *data, size_t len)
{
	AUTO_BUF struct buf record = {.most = RECORD_MAX};
	struct err err;

	must(proof_check((const char *)data, len,
			 "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
			 &record, &err) < 0);
}

/* A file of anybody's: whatever it holds, all of it or nothing. */
static void try_backup(const uint8_t *data, size_t len)
{
	AUTO_CLOSE int fd = memfd_create("backup", MFD_CLOEXEC);
	struct backup_info info;
	struct err err = {0};

	must(fd >= 0 && write(fd, data, len) == (ssize_t)len);
	if (backup_check(fd, &info, &err) == 0)
		must(info.format >= 2 && info.records > 0);
	else
		must(err.code != 0);
	struct archive_set set = {0};
	if (archive_load(&set, fd, &err) == 0)
		must(set.count == 0 || archive_find(&set, set.row[0].seq));
	archive_set_done(&set);
}

/* The newest that opening finds is one of those that verify reads. */
static void try_heads(const uint8_t *data, size_t len)
{
	AUTO_CLOSE int fd = memfd_create("heads", MFD_CLOEXEC);
	struct heads_line newest, line;
	struct heads_reader r;
	struct err err;

	must(fd >= 0 && write(fd, data, len) == (ssize_t)len && lseek(fd, 0, SEEK_SET) == 0);
	uint64_t from;
	bool found = heads_newest(fd, &newest, &from, &err) == 1;
	must(heads_reader_begin(&r, fd, &err) == 0);
	while (heads_read(&r, &line, &err) > 0) {
		must(line.writes && line.size && line.writes <= HEADS_NUMBER_MAX);
		found |= memcmp(&line, &newest, sizeof(line)) == 0;
	}
	must(found);
}

static void (*const tries[])(const uint8_t *data, size_t len) = {
	try_record, try_note, try_file,	 try_request, try_answer,
	try_head,   try_text, try_proof, try_backup,  try_heads};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	if (len > 1)
		tries[data[0] % ARRAY_SIZE(tries)](data + 1, len - 1);
	return 0;
}
