/* SPDX-License-Identifier: MIT
 *
 * The file that keeps a pack: rules that come from it are the same as from YAML, complaints
 * included; whatever is wrong with it, or new in the pack, it is not used.
 */
#include "rule/tree_cache.h"

#include "base/cache_file.h"
#include "base/scope.h"
#include "same.h"
#include "scratch.h"
#include "tap.h"

#define FILE_NAME "kept"

static uint8_t key[CACHE_FILE_KEY] = {1, 2, 3};

struct words {
	char text[8192];
};

static void gather(void *context, const struct rule_report *r)
{
	char *text = ((struct words *)context)->text;
	size_t at = strlen(text);

	snprintf(text + at, sizeof(struct words) - at, "%d %s:%u: %s: %s\n", (int)r->level, r->file,
		 r->line, r->id, r->words);
}

static void rule_file(const char *path, const char *id, const char *more)
{
	char text[4096];

	snprintf(text, sizeof(text),
		 "# %s\nid: %s\ntitle: T\nseverity: high\ntags: {category: model-abuse}\n"
		 "agent_source: {type: llm_io}\nresponse: {actions: [alert, what]}\n%s",
		 path, id, more);
	scratch_file(path, text, 0644);
}

static const char plain[] = "detection:\n  condition: any\n  conditions:\n"
			    "    - {field: content, operator: regex, value: '(?i)x+'}\n"
			    "    - {field: tool_args, operator: contains, value: yy}\n"
			    "test_cases:\n  true_positives:\n    - input: \"a\\0b\"\n";
static const char named[] =
	"detection:\n  condition: a and (b or not c)\n  conditions:\n"
	"    a: {field: content, patterns: [u, v], match_type: regex, case_sensitive: true}\n"
	"    b: {metric: 'call_frequency:x', operator: gt, threshold: 1.5, window: 30s}\n"
	"    c: {ordered: true, steps: [{patterns: [a, b]}, {patterns: [c]}]}\n";
static const char traced[] = "detection: &d\n  method: trace\n  condition: all\n"
			     "  conditions: [{field: content, operator: none, value: x}]\n"
			     "  trace: {x: [{regex: 'a.b'}, {regex: c}]}\n"
			     "again: *d\n";

static void make_pack(void)
{
	scratch_dir("p");
	scratch_dir("p/sub");
	rule_file("p/a.yaml", "A", plain);
	rule_file("p/sub/b.yml", "B", named);
	rule_file("p/z.yaml", "Z", traced);
	rule_file("p/not-a-rule.txt", "N", plain);
}

static void load(struct pack *pack, struct words *said, struct pack_record *record)
{
	struct pack_options options = {.warnings = true, .report = gather, .context = said};
	struct err err = {0};

	said->text[0] = '\0';
	scratch_must(pack_load_recorded(pack, "p", &options, record, &err) == 0, err.message);
}

/* 1: not from the file. 0: from it, and the same as from YAML. -1: not the same. */
static int load_kept(const char *path)
{
	struct words said = {0}, kept_said = {0};
	struct pack_options options = {.warnings = true, .report = gather, .context = &kept_said};
	struct pack pack = {0}, kept = {0};
	struct err why = {0}, err = {0};

	load(&pack, &said, NULL);
	int result = tree_cache_load(&kept, path, FILE_NAME, key, &options, &why, &err);
	if (result == 1)
		printf("# %s\n", why.message);
	if (result == 1 && (kept.rulec || kept.files || kept.arena.last || !why.message[0]))
		result = -1;
	if (result == 0 && (!same_pack(&pack, &kept) || strcmp(said.text, kept_said.text) != 0))
		result = -1;
	pack_done(&pack);
	pack_done(&kept);
	return result;
}

static bool is_used(void)
{
	return load_kept("p") == 0;
}

static bool is_refused(void)
{
	return load_kept("p") == 1;
}

static void keep(void)
{
	struct words said;
	struct pack pack = {0};
	struct pack_record record = {0};
	struct err err = {0};

	load(&pack, &said, &record);
	scratch_must(tree_cache_write(&pack, 0, &record, FILE_NAME, key, &err) == 0, err.message);
	record_done(&record);
	pack_done(&pack);
}

static void test_same(void)
{
	struct words said = {0};
	struct pack pack = {0};

	ok(is_refused(), "there is none at first");
	keep();
	ok(is_used(), "what was kept is the same as from YAML");
	load(&pack, &said, NULL);
	ok(pack.errors && pack.warnings && strstr(said.text, "p/z.yaml:") &&
		   strstr(said.text, "what"),
	   "complaints included: %zu errors, %zu warnings", pack.errors, pack.warnings);
	ok(load_kept("p///") == 0, "however the directory is written");
	scratch_must(rename("p", "q") == 0 && symlink("q", "p") == 0, "a link");
	ok(is_used(), "and wherever it is");
	scratch_must(unlink("p") == 0 && rename("q", "p") == 0, "back");
	pack_done(&pack);
}

static void test_added(void)
{
	struct pack_options options = {0};
	struct pack pack = {0}, kept = {0};
	struct err err = {0};

	rule_file("first.yaml", "FIRST", plain);
	rule_file("twin.yaml", "A", plain);
	ok(pack_load(&pack, "first.yaml", &options, &err) == 0 &&
		   pack_load(&pack, "p", &options, &err) == 0 &&
		   pack_load(&kept, "first.yaml", &options, &err) == 0 &&
		   tree_cache_load(&kept, "p", FILE_NAME, key, &options, &err, &err) == 0 &&
		   same_pack(&pack, &kept),
	   "it is added to what is there");
	pack_done(&pack);
	pack_done(&kept);
	ok(pack_load(&kept, "twin.yaml", &options, &err) == 0 &&
		   tree_cache_load(&kept, "p", FILE_NAME, key, &options, &err, &err) == 0 &&
		   kept.rulec == 3 && kept.skipped == 1 && !strcmp(kept.rule[0].file, "twin.yaml"),
	   "a rule that is there already is left out");
	pack_done(&kept);
	options.strict = true;
	ok(tree_cache_load(&kept, "p", FILE_NAME, key, &options, &err, &err) == -1 &&
		   strstr(err.message, "p/z.yaml"),
	   "strict ends at the first error");
	pack_done(&kept);
}

static void test_changes(void)
{
	rule_file("p/a.yaml", "A2", plain);
	ok(is_refused(), "a file has changed");
	rule_file("p/a.yaml", "B", plain);
	ok(is_refused(), "by one byte");
	rule_file("p/a.yaml", "A", plain);
	ok(is_used(), "and back");
	rule_file("p/zz.yaml", "ZZ", plain);
	ok(is_refused(), "there is a new one at the end");
	scratch_must(rename("p/zz.yaml", "p/0.yaml") == 0, "a name");
	ok(is_refused(), "or at the start");
	scratch_must(unlink("p/0.yaml") == 0 && rename("p/z.yaml", "z.yaml") == 0, "a name");
	ok(is_refused(), "the last is gone");
	scratch_must(rename("z.yaml", "p/0.yaml") == 0, "a name");
	ok(is_refused(), "the order is another one");
	scratch_must(rename("p/0.yaml", "p/z.yaml") == 0, "a name");
	scratch_must(symlink("nowhere", "p/y.yaml") == 0, "a link");
	ok(is_refused(), "a file cannot be read");
	scratch_must(unlink("p/y.yaml") == 0 && rename("p/z.yaml", "p/zzz.yaml") == 0, "a name");
	ok(is_used(), "a name that changes nothing else is taken from the directory");
	scratch_must(rename("p/zzz.yaml", "p/z.yaml") == 0, "a name");
}

/* Everything of a file, anywhere. */
static void test_damage(void)
{
	static char good[1 << 16];
	int fd = open(FILE_NAME, O_RDWR | O_CLOEXEC);
	ssize_t len = read(fd, good, sizeof(good));
	size_t used = 0;

	scratch_must(len > 0 && (size_t)len < sizeof(good), "a file that is read whole");
	for (off_t i = 0; i < len; i++) {
		char bad = (char)(good[i] ^ (1 << i % 8));
		scratch_must(pwrite(fd, &bad, 1, i) == 1, "a change");
		struct pack kept = {0};
		struct pack_options options = {0};
		struct err err;
		used += tree_cache_load(&kept, "p", FILE_NAME, key, &options, &err, &err) != 1;
		pack_done(&kept);
		scratch_must(pwrite(fd, &good[i], 1, i) == 1, "and back");
	}
	ok(!used && is_used(), "no byte of %zd can change", len);
	for (off_t i = len; i-- > 0;) {
		struct pack kept = {0};
		struct pack_options options = {0};
		struct err err;
		scratch_must(ftruncate(fd, i) == 0, "a cut");
		used += tree_cache_load(&kept, "p", FILE_NAME, key, &options, &err, &err) != 1;
		pack_done(&kept);
	}
	ok(!used, "nor can it be shorter");
	scratch_must(pwrite(fd, good, (size_t)len, 0) == len && is_used(), "and back");
	scratch_must(ftruncate(fd, len + 1) == 0, "one more");
	ok(is_refused(), "or longer");
	scratch_must(ftruncate(fd, 0) == 0 && ftruncate(fd, len) == 0, "a crash");
	ok(is_refused(), "or empty blocks, as after a crash");
	close(fd);
	keep();
}

static void test_rights(void)
{
	scratch_must(chmod(FILE_NAME, 0664) == 0, "a mode");
	ok(is_refused(), "its group could have written it");
	scratch_must(chmod(FILE_NAME, 0646) == 0, "a mode");
	ok(is_refused(), "everybody could have written it");
	scratch_must(chmod(FILE_NAME, 0600) == 0 && is_used(), "a mode");
	scratch_must(rename(FILE_NAME, "other") == 0 && symlink("other", FILE_NAME) == 0, "a link");
	ok(is_refused(), "it is a link to a good one");
	keep();
	struct stat st;
	ok(lstat(FILE_NAME, &st) == 0 && S_ISREG(st.st_mode) && is_used(),
	   "which is replaced, not followed");
	scratch_must(unlink(FILE_NAME) == 0 && mkfifo(FILE_NAME, 0600) == 0, "a pipe");
	ok(is_refused(), "it is a pipe");
	keep();
	if (geteuid() == 0) { /* only root can give a file away */
		scratch_must(chown(FILE_NAME, 4711, 4711) == 0, "an owner");
		ok(is_refused(), "a file of another account is refused");
	}
	keep();
}

/* Only what all files are in is kept. */
static void test_not_kept(void)
{
	struct words said;
	struct pack pack = {0};
	struct pack_record record = {0};
	struct err err = {0};

	scratch_file("p/bad.yaml", "a: [", 0644);
	load(&pack, &said, &record);
	ok(pack.skipped == 1 && tree_cache_write(&pack, 0, &record, "not", key, &err) < 0 &&
		   !scratch_exists("not"),
	   "a pack with a file that was left out is not kept");
	scratch_must(unlink("p/bad.yaml") == 0, "gone");
	record_done(&record);
	pack_done(&pack);
	load(&pack, &said, &record);
	record.failed = true;
	ok(tree_cache_write(&pack, 0, &record, "not", key, &err) < 0,
	   "nor is one for which memory was short");
	record.failed = false;
	ok(tree_cache_write(&pack, 0, &record, "/nowhere/at/all", key, &err) < 0 && err.message[0],
	   "nor where there is no place");
	record_done(&record);
	pack_done(&pack);
}

/* A file that is whole, of another account or of other documents. */
static void test_foreign(void)
{
	static char ours[1 << 16], other[1 << 16];

	key[0] ^= 1;
	ok(is_refused(), "a file under another key is not used");
	key[0] ^= 1;
	ok(is_used(), "under its own it is");
	int fd = open(FILE_NAME, O_RDWR | O_CLOEXEC);
	ssize_t len = read(fd, ours, sizeof(ours));
	char *documents = memmem(ours, (size_t)len, "# p/a.yaml", 10);
	scratch_must(documents != NULL, "the first document");
	size_t at = (size_t)(documents - ours);
	rule_file("p/a.yaml", "A",
		  "detection:\n  condition: any\n  conditions:\n"
		  "    - {field: content, operator: regex, value: '(?i)y+'}\n"
		  "    - {field: tool_args, operator: contains, value: zz}\n"
		  "test_cases:\n  true_positives:\n    - input: \"a\\0b\"\n");
	keep();
	int twin = open(FILE_NAME, O_RDWR | O_CLOEXEC);
	scratch_must(read(twin, other, sizeof(other)) == len, "rules of the same length");
	/* The trees of these rules, under their MAC, with the documents of the others. */
	scratch_must(pwrite(twin, ours + at, (size_t)len - at, (off_t)at) == len - (ssize_t)at,
		     "other documents");
	rule_file("p/a.yaml", "A", plain);
	ok(is_refused(), "trees are not taken for those of other documents");
	close(fd);
	close(twin);
	keep();
}

/* Does a MAC of zeros hold for what is there now? */
static bool holds(const uint8_t *data, size_t len, enum cache_file_kind kind,
		  struct cache_file_mac mac)
{
	return cache_file_verify(key, kind, data, len, &mac);
}

static void test_codes(void)
{
	uint8_t data[101] = {0};
	const size_t len = sizeof(data) - 1;
	struct cache_file_mac mac, other;
	struct err err;
	size_t wrong = 0;

	scratch_must(cache_file_seal(key, CACHE_FILE_WARM, data, len, &mac, &err) == 0 &&
			     cache_file_seal(key, CACHE_FILE_WARM, data, len, &other, &err) == 0,
		     "two MACs");
	ok(holds(data, len, CACHE_FILE_WARM, mac) && holds(data, len, CACHE_FILE_WARM, other) &&
		   memcmp(&mac, &other, sizeof(mac)) != 0,
	   "a MAC holds, and no two are the same");
	for (size_t n = 0; n <= sizeof(data); n++)
		wrong += n != len && holds(data, n, CACHE_FILE_WARM, mac);
	ok(!wrong, "not for another length");
	for (size_t bit = 0; bit < 8 * len; bit++) {
		data[bit / 8] ^= (uint8_t)(1U << bit % 8);
		wrong += holds(data, len, CACHE_FILE_WARM, mac);
		data[bit / 8] ^= (uint8_t)(1U << bit % 8);
	}
	ok(!wrong, "nor with a changed bit");
	for (size_t bit = 0; bit < 8 * sizeof(key); bit++) {
		key[bit / 8] ^= (uint8_t)(1U << bit % 8);
		wrong += holds(data, len, CACHE_FILE_WARM, mac);
		key[bit / 8] ^= (uint8_t)(1U << bit % 8);
	}
	for (size_t bit = 0; bit < 8 * sizeof(mac); bit++) {
		struct cache_file_mac bad = mac;
		((uint8_t *)&bad)[bit / 8] ^= (uint8_t)(1U << bit % 8);
		wrong += holds(data, len, CACHE_FILE_WARM, bad);
	}
	ok(!wrong && !holds(data, len, CACHE_FILE_TREE, mac),
	   "nor with another key, another code, or as another kind");
}

int main(void)
{
	const char *dir = scratch_enter();

	make_pack();
	test_same();
	test_added();
	test_changes();
	test_damage();
	test_rights();
	test_not_kept();
	test_foreign();
	test_codes();
	scratch_leave(dir);
	return tap_done();
}
