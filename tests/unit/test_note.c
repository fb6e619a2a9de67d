/* SPDX-License-Identifier: MIT
 *
 * Signed notes, the keys they are signed with, and the directory where keys live: what is not
 * exactly as it should be is refused.
 */
#include "store/note.h"

#include <stdlib.h>

#include "base/scope.h"
#include "scratch.h"
#include "store/keys.h"
#include "store/state.h"
#include "tap.h"

/* RFC 8032, section 7.1, test 1: the seed, and its public key. */
static const uint8_t public_1[KEY_PUBLIC] = {0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7,
					     0xd5, 0x4b, 0xfe, 0xd3, 0xc9, 0x64, 0x07, 0x3a,
					     0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6, 0x23, 0x25,
					     0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a};
#define SEED_1 "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"

static int here;

static void test_keys(void)
{
	struct key key = {0}, again = {0};
	struct err err = {0};
	struct stat st;

	ok(key_load(here, "k", false, &key, &err) < 0, "there is no key, and none is made unasked");
	ok(key_load(here, "k", true, &key, &err) == 0 &&
		   key_load(here, "k", true, &again, &err) == 0 &&
		   memcmp(&key, &again, sizeof(key)) == 0,
	   "it is made once");
	ok(stat("k", &st) == 0 && (st.st_mode & 07777) == 0600, "with mode 0600");
	uint8_t signature[KEY_SIGNATURE];
	key_sign(&key, "abc", 3, signature);
	ok(key_verify(key.public, "abc", 3, signature) &&
		   !key_verify(key.public, "abd", 3, signature),
	   "it signs");
	key_wipe(&again);
	ok(memcmp(&again, &(struct key){0}, sizeof(again)) == 0, "and can be wiped");
	scratch_file("v", "cordon-key-1 " SEED_1 "\n", 0600);
	ok(key_load(here, "v", false, &key, &err) == 0 && !memcmp(key.public, public_1, KEY_PUBLIC),
	   "it is Ed25519 of RFC 8032");
}

static void test_bad_keys(void)
{
	static const char *const texts[] = {
		"", "cordon-key-1 " SEED_1, "cordon-key-2 " SEED_1 "\n",
		"cordon-key-1 " SEED_1 "\n\n",
		"cordon-key-1 g"
		"d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60\n"};
	struct key key = {0};
	struct err err = {0};
	size_t taken = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		scratch_file("b", texts[i], 0600);
		taken += key_load(here, "b", true, &key, &err) == 0;
	}
	ok(!taken, "a damaged key is refused and not replaced");
	scratch_must(chmod("k", 0640) == 0, "a mode");
	ok(key_load(here, "k", true, &key, &err) < 0 && err.code == ERR_REFUSED,
	   "one that others may read is refused");
	scratch_must(chmod("k", 0600) == 0 && symlink("k", "l") == 0 && mkfifo("p", 0600) == 0,
		     "files");
	ok(key_load(here, "l", true, &key, &err) < 0 && key_load(here, "p", true, &key, &err) < 0,
	   "a link and a pipe are refused");
	char name[KEY_NAME_MAX + 2];
	memset(name, 'n', sizeof(name));
	name[KEY_NAME_MAX] = '\0';
	ok(key_load(here, name, true, &key, &err) == 0, "the longest name");
	name[KEY_NAME_MAX] = 'n';
	name[KEY_NAME_MAX + 1] = '\0';
	ok(key_load(here, name, true, &key, &err) < 0 &&
		   key_load(here, "../k", true, &key, &err) < 0 &&
		   key_load(here, "", true, &key, &err) < 0 &&
		   key_load(here, ".k", true, &key, &err) < 0,
	   "one more, and what is no name");
	if (geteuid() == 0) {
		scratch_must(chown("k", 4711, 4711) == 0, "an owner");
		ok(key_load(here, "k", true, &key, &err) < 0,
		   "a key of another account is refused");
	}
}

static size_t make(char *text, const struct key *key)
{
	struct note note = {.size = 1024};
	uint8_t id[HEAD_LOG_ID] = {1, 2, 3};

	note_origin(id, note.origin);
	memset(note.root, 7, sizeof(note.root));
	return note_sign(&note, key, text);
}

static bool reads(const char *text, size_t len)
{
	struct note note;
	struct err err;

	return note_parse(text, len, &note, &err) == 0;
}

static void test_note(const struct key *key)
{
	char text[NOTE_MAX];
	struct note note = {0};
	struct err err = {0};
	size_t len = make(text, key), taken = 0;

	ok(note_parse(text, len, &note, &err) == 0 && note.size == 1024 && note.root[31] == 7 &&
		   !strcmp(note.origin, "cordon-log/01020300000000000000000000000000"),
	   "a note is what it was made of");
	ok(note_is_signed(text, len, &note, key->public) &&
		   !note_is_signed(text, len, &note, public_1),
	   "and signed by its key only");
	for (size_t i = 0; i < len; i++) {
		char changed[NOTE_MAX];
		memcpy(changed, text, len);
		changed[i] ^= 1;
		taken += note_parse(changed, len, &note, &err) == 0 &&
			 note_is_signed(changed, len, &note, key->public);
	}
	ok(!taken, "no byte of it can change");
	for (size_t i = 0; i < len; i++)
		taken += reads(text, i) && note_is_signed(text, i, &note, key->public);
	ok(!taken, "nor can it be shorter");
}

static void test_signatures(const struct key *key)
{
	static const char other[] = "\xe2\x80\x94 witness.example/w AAAAAA==\n";
	char text[NOTE_MAX];
	struct note note = {0};
	struct err err = {0};
	size_t len = make(text, key);

	for (int i = 1; i < NOTE_SIGNATURES_MAX; i++, len += sizeof(other) - 1)
		memcpy(text + len, other, sizeof(other));
	ok(note_parse(text, len, &note, &err) == 0 && note_is_signed(text, len, &note, key->public),
	   "%d signatures, ours among them", NOTE_SIGNATURES_MAX);
	memcpy(text + len, other, sizeof(other));
	ok(!reads(text, len + sizeof(other) - 1), "one more is refused");
	ok(!reads("a\n1\nAAAA\n\n", 11) && !reads("", 0) &&
		   !reads("a\n01\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n\xe2\x80\x94 a "
			  "b\n",
			  61),
	   "what is no note");
}

static void test_vkey(const struct key *key)
{
	char vkey[NOTE_VKEY_MAX], origin[NOTE_ORIGIN_MAX + 1];
	uint8_t public[KEY_PUBLIC];
	struct err err = {0};
	size_t taken = 0;

	note_vkey("cordon-log/x", key->public, vkey);
	ok(note_parse_vkey(vkey, origin, public, &err) == 0 && !strcmp(origin, "cordon-log/x") &&
		   !memcmp(public, key->public, KEY_PUBLIC),
	   "a public key as text: %s", vkey);
	for (size_t i = 0; vkey[i]; i++) {
		vkey[i] ^= 1;
		taken += note_parse_vkey(vkey, origin, public, &err) == 0;
		vkey[i] ^= 1;
	}
	ok(!taken && note_parse_vkey("", origin, public, &err) < 0 &&
		   note_parse_vkey("a+b", origin, public, &err) < 0,
	   "no byte of it can change");
	/* The example of the signed note's specification. */
	ok(note_parse_vkey("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
			   origin, public, &err) == 0 &&
		   !strcmp(origin, "PeterNeumann"),
	   "the key of golang.org/x/mod/sumdb/note's example is read");
}

static size_t count_notes(const char *file, size_t len, uint64_t *ret_last)
{
	struct note_span text;
	struct note note;
	size_t at = 0, n = 0;

	for (; note_list_next(file, len, &at, &text, &note); n++)
		*ret_last = note.size;
	return n;
}

/* Notes that were appended to one file, one of them cut anywhere. */
static void test_file(const struct key *key)
{
	char text[NOTE_MAX], file[4 * NOTE_MAX];
	uint64_t last = 0;
	size_t len = make(text, key), bad = 0;

	for (size_t torn = 0; torn <= len; torn++) {
		int n = snprintf(file, sizeof(file), "\n\n%s\n\n%.*s\n\n%s", text, (int)torn, text,
				 text);
		/* One that lacks its last line end only is whole. */
		bad += count_notes(file, (size_t)n, &last) != 2U + (torn + 1 >= len) ||
		       last != 1024;
	}
	ok(!bad, "what is left of one that was cut spoils no other");
}

static bool opens(const char *path)
{
	struct err err;
	int fd = state_open(path, &err);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void test_state(void)
{
	char path[PATH_MAX], top[PATH_MAX], at[PATH_MAX + 32];
	struct err err = {0};
	struct stat st;

	scratch_must(getcwd(top, sizeof(top)) != NULL, "here");
	setenv("XDG_STATE_HOME", top, 1);
	snprintf(at, sizeof(at), "%s/cordon", top);
	ok(state_path(path, &err) == 0 && !strcmp(path, at), "XDG_STATE_HOME decides");
	setenv("XDG_STATE_HOME", "relative", 1);
	setenv("HOME", top, 1);
	snprintf(at, sizeof(at), "%s/.local/state/cordon", top);
	ok(state_path(path, &err) == 0 && !strcmp(path, geteuid() ? at : "/var/lib/cordon"),
	   "a relative one is ignored");
	unsetenv("HOME");
	ok(geteuid() == 0 || state_path(path, &err) < 0, "without HOME there is no state path");
	ok(opens(at) && stat(at, &st) == 0 && (st.st_mode & 07777) == 0700 && opens(at),
	   "it is made with mode 0700, and its parents");
	scratch_must(chmod(at, 0750) == 0, "a mode");
	ok(!opens(at), "one that others may enter is refused");
	scratch_must(chmod(at, 0700) == 0 && chmod(".local/state", 0777) == 0, "a mode");
	ok(!opens(at), "as is one that others can exchange");
	scratch_must(chmod(".local/state", 01777) == 0, "a mode");
	ok(opens(at), "unless they cannot (as in /tmp)");
	scratch_must(symlink(at, "link") == 0, "a link");
	snprintf(path, sizeof(path), "%.200s/link", top);
	ok(!opens(path), "a link is refused");
	scratch_file("file", "", 0600);
	snprintf(path, sizeof(path), "%.200s/file", top);
	ok(!opens(path), "and so is a file");
	if (geteuid() == 0) {
		scratch_must(chown(at, 4711, 4711) == 0, "an owner");
		ok(!opens(at), "and one of another account");
	}
}

int main(void)
{
	const char *dir = scratch_enter();
	AUTO_KEY struct key key = {0};
	struct err err = {0};

	scratch_must(chmod(".", 0700) == 0, "a mode");
	here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scratch_must(key_load(here, "n", true, &key, &err) == 0, err.message);
	test_keys();
	test_bad_keys();
	test_note(&key);
	test_signatures(&key);
	test_vkey(&key);
	test_file(&key);
	test_state();
	close(here);
	scratch_leave(dir);
	return tap_done();
}
