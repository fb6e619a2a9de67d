/* SPDX-License-Identifier: MIT
 *
 * Loading directories: the order, what is left out and how it is told, strict, the maxima, and
 * files that try to be something else.
 */
#include "rule/load.h"

#include "base/scope.h"
#include "scratch.h"
#include "tap.h"
#include "yaml/yaml.h"

struct reports {
	char text[4096];
	size_t count;
};

static void gather(void *context, const struct rule_report *r)
{
	struct reports *all = context;
	size_t at = strlen(all->text);

	snprintf(all->text + at, sizeof(all->text) - at, "%s:%u: %s: %s\n", r->file, r->line, r->id,
		 r->words);
	all->count++;
}

static void rule_file(const char *path, const char *id)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "id: %s\ntitle: T\nseverity: high\ntags: {category: model-abuse}\n"
		 "agent_source: {type: llm_io}\ndetection:\n  condition: any\n  conditions:\n"
		 "    - {field: content, operator: regex, value: x}\n",
		 id);
	scratch_file(path, text, 0644);
}

/* The ids in load order, with blanks between. */
static const char *ids(const struct pack *pack)
{
	static char text[1024];

	text[0] = '\0';
	for (size_t i = 0; i < pack->rulec; i++) {
		strncat(text, pack->rule[i].id, sizeof(text) - strlen(text) - 1);
		strncat(text, pack->rule[i].order == i ? " " : "?",
			sizeof(text) - strlen(text) - 1);
	}
	return text;
}

static int load(const char *path, bool strict, struct pack *pack, struct reports *all,
		struct err *err)
{
	struct pack_options options = {.strict = strict, .report = gather, .context = all};

	memset(all, 0, sizeof(*all));
	memset(err, 0, sizeof(*err));
	return pack_load(pack, path, &options, err);
}

static void test_order(void)
{
	struct pack pack = {0};
	struct reports all;
	struct err err;

	scratch_dir("order");
	scratch_dir("order/b");
	scratch_dir("order/B");
	rule_file("order/b/z.yaml", "BZ");
	rule_file("order/B/y.yml", "UPPER");
	rule_file("order/b.yaml", "B-FILE");
	rule_file("order/a10.yaml", "A10");
	rule_file("order/a9.yaml", "A9");
	rule_file("order/c.yaml", "C");
	rule_file("order/\xc3\xa9.yaml", "E");
	rule_file("order/.yaml", "HIDDEN");
	rule_file("order/.x.yaml", "DOT");
	rule_file("order/c.yaml.bak", "BAK");
	rule_file("order/README.md", "README");
	ok(load("order///", false, &pack, &all, &err) == 0 && !all.count,
	   "it loads without a word");
	if (!ok(strcmp(ids(&pack), "DOT UPPER A10 A9 BZ B-FILE C E ") == 0,
		"in the order of bytes"))
		printf("# %s\n", ids(&pack));
	ok(pack.rulec == 8 && strcmp(pack.rule[1].file, "order/B/y.yml") == 0 && pack.files == 8,
	   "files have their path");
	ok(pack_find(&pack, "A9") == &pack.rule[3] && !pack_find(&pack, "A"), "rules are found");
	pack_done(&pack);
	ok(load("order/c.yaml", false, &pack, &all, &err) == 0 && pack.rulec == 1,
	   "one file loads");
	ok(load("order/b", false, &pack, &all, &err) == 0 && strcmp(ids(&pack), "C BZ ") == 0,
	   "a second directory is added");
	pack_done(&pack);
}

static void test_bad_files(void)
{
	struct pack pack = {0};
	struct reports all;
	struct err err;

	scratch_dir("bad");
	rule_file("bad/a.yaml", "A");
	scratch_file("bad/b.yaml", "id: B\ntitle: T\n\tx: 1\n", 0644);
	scratch_file("bad/c.yaml", "id: C\ntitle: T\n", 0644);
	rule_file("bad/d.yaml", "A");
	scratch_file("bad/e.yaml", "", 0644);
	rule_file("bad/z.yaml", "Z");
	scratch_must(symlink("nowhere", "bad/f.yaml") == 0, "a link");
	scratch_must(mkfifo("bad/g.yaml", 0644) == 0, "a fifo");
	scratch_must(mkfifo("bad/g", 0644) == 0, "a fifo, which is never read as a rule");
	scratch_must(symlink("/dev/null", "bad/h.yml") == 0, "a link to a device");
	rule_file("bad/i.YAML", "CAPITAL");
	ok(load("bad", false, &pack, &all, &err) == 0 && strcmp(ids(&pack), "A Z ") == 0,
	   "the good ones load");
	ok(all.count == 8 && pack.skipped == 8 && pack.errors == 8,
	   "each invalid file is reported");
	ok(strstr(all.text, "bad/b.yaml:3: : not YAML") &&
		   strstr(all.text, "bad/c.yaml:1: C: there is no detection") &&
		   strstr(all.text, "bad/d.yaml:1: A: the id is taken already, in bad/a.yaml") &&
		   strstr(all.text, "bad/e.yaml:1: : the document is empty") &&
		   strstr(all.text, "bad/f.yaml:0: : cannot be read") &&
		   strstr(all.text, "bad/g.yaml:0: : is not a regular file") &&
		   strstr(all.text, "bad/h.yml:0: : is not a regular file") &&
		   strstr(all.text, "bad/i.YAML:0: : is not read: names"),
	   "with file, line and id");
	pack_done(&pack);
	ok(load("bad", true, &pack, &all, &err) == -1 && all.count == 1 &&
		   strstr(err.message, "bad/b.yaml:3: not YAML"),
	   "strict ends at the first");
	pack_done(&pack);
	ok(load("nothing", false, &pack, &all, &err) == -1 && strstr(err.message, "nothing"),
	   "a directory that is not there is an error");
	ok(load("bad/g.yaml", true, &pack, &all, &err) == -1 &&
		   strstr(err.message, "not a regular"),
	   "a fifo is not waited for");
	pack_done(&pack);
}

static void test_dead_rule(void)
{
	struct pack pack = {0};
	struct reports all;
	struct err err;

	scratch_file("dead.yaml",
		     "id: D\ntitle: T\nseverity: high\ntags: {}\nagent_source: {type: llm_io}\n"
		     "detection: {condition: any, conditions: [{field: x}]}\n",
		     0644);
	ok(load("dead.yaml", false, &pack, &all, &err) == 0 && pack.rulec == 1 && all.count == 1 &&
		   strstr(all.text, "dead.yaml:6: D: condition 0 is never true"),
	   "a rule that cannot match is loaded and told");
	pack_done(&pack);
	ok(load("dead.yaml", true, &pack, &all, &err) == -1 &&
		   strstr(err.message, "dead.yaml:6: D: condition 0 is never true"),
	   "and refused by strict");
	pack_done(&pack);
}

static void sized_file(const char *path, size_t size)
{
	rule_file(path, path);
	FILE *f = fopen(path, "a");

	scratch_must(f, path);
	fputs("#", f);
	while ((size_t)ftell(f) < size)
		fputc('x', f);
	scratch_must(fclose(f) == 0, path);
}

static void test_sizes(void)
{
	struct pack pack = {0};
	struct reports all;
	struct err err;

	sized_file("full.yaml", YAML_BYTES_MAX);
	sized_file("over.yaml", YAML_BYTES_MAX + 1);
	ok(load("full.yaml", true, &pack, &all, &err) == 0, "the largest file loads");
	ok(load("over.yaml", true, &pack, &all, &err) == -1 && err.code == ERR_LIMIT,
	   "one byte more does not");
	scratch_must(truncate("over.yaml", 100L << 20) == 0, "a large file");
	ok(load("over.yaml", true, &pack, &all, &err) == -1 && err.code == ERR_LIMIT,
	   "nor do 100 MB, and only the first is read");
	pack.bytes = PACK_BYTES_MAX - YAML_BYTES_MAX + 1;
	ok(load("full.yaml", false, &pack, &all, &err) == -1 && strstr(err.message, "bytes"),
	   "a pack has a maximum of bytes");
	pack_done(&pack);
	rule_file("small.yaml", "S");
	ok(load("small.yaml", true, &pack, &all, &err) == 0, "a small file");
	size_t nodes = pack.nodes;
	pack_done(&pack);
	for (size_t more = 0; more < 2; more++) {
		pack.nodes = PACK_NODES_MAX - nodes + more;
		ok(load("small.yaml", false, &pack, &all, &err) == (more ? -1 : 0),
		   "a pack has a maximum of values: %s", more ? "one more" : "at it");
		pack_done(&pack);
	}
}

static void test_depth(void)
{
	struct pack pack = {0};
	struct reports all;
	struct err err;
	char path[256] = "deep";

	scratch_dir(path);
	for (int i = 1; i < PACK_DEPTH_MAX; i++) {
		strcat(path, "/d");
		scratch_dir(path);
	}
	ok(load("deep", false, &pack, &all, &err) == 0, "directories as deep as allowed");
	strcat(path, "/d");
	scratch_dir(path);
	ok(load("deep", false, &pack, &all, &err) == -1 && err.code == ERR_LIMIT, "one deeper");
	scratch_dir("loop");
	scratch_must(symlink(".", "loop/again") == 0, "a link");
	ok(load("loop", false, &pack, &all, &err) == -1 && err.code == ERR_LIMIT,
	   "a directory that contains itself");
	pack_done(&pack);
}

/* Two maxima of counts, in one directory of that many names. */
static void test_counts(void)
{
	struct pack pack = {0};
	struct reports all;
	struct err err;
	char path[64], id[32];

	scratch_dir("many");
	for (int i = 0; i <= PACK_RULES_MAX; i++) {
		snprintf(path, sizeof(path), "many/%05d.yaml", i);
		snprintf(id, sizeof(id), "R%d", i);
		rule_file(path, id);
	}
	ok(load("many", false, &pack, &all, &err) == -1 && pack.rulec == PACK_RULES_MAX &&
		   strstr(err.message, "rules"),
	   "a pack has a maximum of rules");
	pack_done(&pack);
	if (getenv("TEST_MORE")) { /* four seconds, and the first load has read as many */
		scratch_must(unlink(path) == 0, path);
		ok(load("many", false, &pack, &all, &err) == 0 && pack.rulec == PACK_RULES_MAX,
		   "that many load");
		pack_done(&pack);
	}
	scratch_dir("names");
	for (int i = 0; i < PACK_ENTRIES_MAX; i++) {
		snprintf(path, sizeof(path), "names/%d", i);
		scratch_must(link("many/00000.yaml", path) == 0, path);
	}
	ok(load("names", false, &pack, &all, &err) == 0, "a directory of as many names as allowed");
	scratch_file("names/more", "", 0644);
	ok(load("names", false, &pack, &all, &err) == -1 && err.code == ERR_LIMIT, "one name more");
	pack_done(&pack);
}

int main(void)
{
	const char *dir = scratch_enter();

	test_order();
	test_bad_files();
	test_dead_rule();
	test_sizes();
	test_depth();
	test_counts();
	scratch_leave(dir);
	return tap_done();
}
