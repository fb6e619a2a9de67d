/* SPDX-License-Identifier: MIT
 *
 * What an approval binds: each member of a request, and of its lists' structs, is changed in turn
 * and must change the digests it is a part of and no other. And the bytes: one way to write them.
 */
#include <time.h>

#include "approval/summary.h"
#include "approval_case.h"

enum { ROW_MAX = 256 };

static void change_member(const struct field *f, void *of)
{
	char *at = (char *)of + f->offset;

	switch (f->type) {
	case FIELD_NUMBER:
		*(uint64_t *)at = *(uint64_t *)at ? *(uint64_t *)at - 1 : 1;
		break;
	case FIELD_BYTES:
		at[f->most - 1] ^= 1;
		break;
	case FIELD_TEXT:
		*(const char **)at = "another text";
		break;
	case FIELD_LIST:
		((struct approval_list *)at)->count--;
		break;
	}
}

static void check_digests(const struct approval_request *changed, unsigned in, const char *name,
			  const char *member)
{
	static const char *const names[] = {"binding", "subject", "subject anywhere"};
	struct approval_request r = case_request();
	uint8_t before[APPROVAL_SHA256], after[APPROVAL_SHA256];
	struct err err;

	for (unsigned i = APPROVAL_BINDING; i <= APPROVAL_SUBJECT_ANYWHERE; i++) {
		scratch_must(approval_digest(&r, i, before, &err) == 0, "a digest");
		scratch_must(approval_digest(changed, i, after, &err) == 0, "a digest");
		bool differs = memcmp(before, after, sizeof(before)) != 0;
		ok(differs == ((in >> i & 1) != 0), "%s%s%s is%s part of the %s", name,
		   member ? "." : "", member ? member : "", differs ? "" : " not", names[i]);
	}
	ok(in & 1, "%s is bound", name);
}

/* Each member of the list's first struct. */
static void flip_rows(const struct field *f)
{
	char rows[ROW_MAX] __attribute__((aligned(16)));

	for (const struct field *m = f->row; m->name; m++) {
		struct approval_request r = case_request();
		struct approval_list *list = (void *)((char *)&r + f->offset);
		scratch_must(list->count * f->row_size <= sizeof(rows), "room for rows");
		memcpy(rows, list->list, list->count * f->row_size);
		change_member(m, rows);
		list->list = rows;
		check_digests(&r, f->in, f->name, m->name);
	}
}

static void flip_all(void)
{
	size_t covered = 0;

	for (const struct field *f = request_fields; f->name; f++) {
		struct approval_request r = case_request();
		change_member(f, &r);
		check_digests(&r, f->in, f->name, NULL);
		if (f->type == FIELD_LIST)
			flip_rows(f);
		covered += f->type == FIELD_NUMBER  ? 8
			   : f->type == FIELD_BYTES ? f->most
			   : f->type == FIELD_TEXT  ? sizeof(char *)
						    : sizeof(struct approval_list);
	}
	ok(covered == sizeof(struct approval_request), "every member has a row: %zu of %zu bytes",
	   covered, sizeof(struct approval_request));
}

/* Texts that flow into each other must not look alike. */
static void test_edges(void)
{
	static const struct approval_text one[] = {{"ab"}, {"c"}}, two[] = {{"a"}, {"bc"}};
	struct approval_request r = case_request(), q = case_request();
	uint8_t a[APPROVAL_SHA256], b[APPROVAL_SHA256], c[APPROVAL_SHA256];
	struct err err;

	r.args = (struct approval_list)CASE_LIST(one);
	q.args = (struct approval_list)CASE_LIST(two);
	approval_digest(&r, APPROVAL_BINDING, a, &err);
	approval_digest(&q, APPROVAL_BINDING, b, &err);
	approval_digest(&r, APPROVAL_SUBJECT, c, &err);
	ok(memcmp(a, b, sizeof(a)) != 0, "\"ab\" \"c\" is not \"a\" \"bc\"");
	ok(memcmp(a, c, sizeof(a)) != 0, "a binding is no subject");
}

static int decode(const uint8_t *data, size_t len, struct buf *ret_again)
{
	struct approval_request r = {0};
	struct arena arena = {0};
	struct err err;

	int result = request_decode(data, len, &arena, &r, &err);
	if (result == 0)
		scratch_must(request_encode(&r, ret_again, &err) == 0, "writing it again");
	arena_done(&arena);
	return result;
}

static void test_bytes(void)
{
	struct approval_request r = case_request();
	AUTO_BUF struct buf out = {0}, again = {0};
	size_t cut = 0, same = 0;
	struct err err;

	scratch_must(request_encode(&r, &out, &err) == 0, "a request");
	ok(decode(out.data, out.len, &again) == 0 && again.len == out.len &&
		   memcmp(again.data, out.data, out.len) == 0,
	   "read and written again it is the same");
	for (size_t i = 0; i < out.len; i++)
		cut += decode(out.data, i, &again) == 0;
	ok(cut == 0, "no part of it passes for the whole");
	buf_add(&out, "", 1);
	ok(decode(out.data, out.len, &again) < 0, "nor does more than the whole");
	out.len--;
	for (size_t i = 0; i < 2 * out.len; i++) {
		AUTO_BUF struct buf other = {0};
		uint8_t was = out.data[i / 2];
		out.data[i / 2] = i % 2 ? was ^ 1 : 0;
		if (decode(out.data, out.len, &other) == 0)
			same += other.len != out.len || memcmp(other.data, out.data, out.len) != 0;
		out.data[i / 2] = was;
	}
	ok(same == 0, "with any byte changed it is refused, or means what it says");
}

/* Encodes with COUNT texts of LEN bytes as arguments. */
static bool takes(size_t count, size_t len)
{
	struct approval_text *texts = calloc(count + 1, sizeof(*texts));
	char *text = calloc(1, len + 1);
	struct approval_request r = case_request();
	AUTO_BUF struct buf out = {0}, again = {0};
	struct err err;

	scratch_must(texts && text, "memory");
	memset(text, 'x', len);
	for (size_t i = 0; i < count; i++)
		texts[i].text = text;
	r.args = (struct approval_list){.count = count, .list = texts};
	bool done = request_encode(&r, &out, &err) == 0 && decode(out.data, out.len, &again) == 0;
	free(text);
	free(texts);
	return done;
}

static bool takes_evidence(size_t count)
{
	static struct approval_evidence list[APPROVAL_EVIDENCE_MAX + 1];
	struct approval_request r = case_request();
	AUTO_BUF struct buf out = {0};
	struct err err;

	for (size_t i = 0; i < count; i++)
		list[i] = case_evidence[0];
	r.evidence = (struct approval_list){.count = count, .list = list};
	return request_encode(&r, &out, &err) == 0;
}

static bool takes_findings(size_t count)
{
	static struct approval_finding list[APPROVAL_FINDINGS_MAX + 1];
	struct approval_request r = case_request();
	AUTO_BUF struct buf out = {0};
	struct err err;

	for (size_t i = 0; i < count; i++)
		list[i] = case_findings[0];
	r.findings = (struct approval_list){.count = count, .list = list};
	return request_encode(&r, &out, &err) == 0;
}

static void test_maxima(void)
{
	ok(takes(1, APPROVAL_TEXT_MAX), "a text of the longest length");
	ok(!takes(1, APPROVAL_TEXT_MAX + 1), "and one byte more");
	ok(takes(APPROVAL_LIST_MAX, 1), "a list of the longest length");
	ok(!takes(APPROVAL_LIST_MAX + 1, 1), "and one more");
	ok(takes(7, APPROVAL_TEXT_MAX), "texts that fit together");
	ok(!takes(8, APPROVAL_TEXT_MAX), "and that do not: APPROVAL_BYTES_MAX");
	ok(takes_evidence(APPROVAL_EVIDENCE_MAX), "as much evidence as there may be");
	ok(!takes_evidence(APPROVAL_EVIDENCE_MAX + 1), "and one more");
	ok(takes_findings(APPROVAL_FINDINGS_MAX), "as many findings as there may be");
	ok(!takes_findings(APPROVAL_FINDINGS_MAX + 1), "and one more");
}

static bool decodes(struct approval_request r)
{
	AUTO_BUF struct buf out = {0}, again = {0};
	struct err err;

	return request_encode(&r, &out, &err) == 0 && decode(out.data, out.len, &again) == 0;
}

static void test_sense(void)
{
	struct approval_evidence bad = case_evidence[0];
	struct approval_request r = case_request();

	ok(decodes(r), "the request is good");
	r.approvers = 0;
	ok(!decodes(r), "a request for no approvers is refused");
	r = case_request(), r.approvers = APPROVAL_APPROVERS_MAX;
	ok(decodes(r), "as many people as there may be");
	r.approvers++;
	ok(!decodes(r), "and one more");
	r = case_request(), r.expires = r.created;
	ok(!decodes(r), "nor one without time");
	r = case_request(), r.expires = r.created + APPROVAL_MS_MAX;
	ok(decodes(r), "as long as people may be asked");
	r.expires++;
	ok(!decodes(r), "and a moment more");
	r = case_request(), r.ttl_ms = APPROVAL_MS_MAX;
	ok(decodes(r), "as long as a word may hold");
	r.ttl_ms++;
	ok(!decodes(r), "and a moment more");
	r = case_request(), bad.code_to = r.code_len + 1;
	r.evidence = (struct approval_list){.count = 1, .list = &bad};
	ok(!decodes(r), "a span behind the code's end is refused");
	bad = case_evidence[0], bad.source_from = bad.source_to + 1;
	ok(!decodes(r), "and one that ends before it begins in its source");
}

/* What an approval binds has words for a person who asks again; or it follows from a row that has. */
static void test_words(void)
{
	static const char *const follow = " code_len attachments findings_more box_sha256 ";
	char name[64];
	const struct approval_request before = case_request();

	for (const struct field *f = request_fields; f->name; f++) {
		AUTO_BUF struct buf words = {.most = 4096};
		struct approval_request after = before;
		snprintf(name, sizeof(name), " %s ", f->name);
		if (!(f->in >> APPROVAL_SUBJECT & 1) || strstr(follow, name))
			continue;
		change_member(f, &after);
		bool said = approval_changed(&before, &case_bytes, &after, &case_bytes, &words);
		ok(said && words.len > 3, "another %s is named: %.*s", f->name, (int)words.len,
		   (const char *)words.data);
	}
	AUTO_BUF struct buf none = {.most = 4096};
	ok(!approval_changed(&before, &case_bytes, &before, &case_bytes, &none) && none.len == 0,
	   "nothing is said of the same");
}

/* Another input, with its list of files. */
struct listed {
	struct approval_request request;
	struct approval_input input;
	struct approval_attachment kept;
	struct buf list;
};

static void list_file(struct listed *l, const char *name, int content)
{
	if (!l->list.most)
		l->list.most = APPROVAL_FILES_MAX;
	buf_printf(&l->list, "%064x 1 %s\n", (unsigned)content, name);
	l->kept = (struct approval_attachment){.name = "files", .len = l->list.len};
	memcpy(l->input.sha256, &l->list.len, sizeof(l->list.len));
	l->input.name = "workspace /w";
	l->request = case_request();
	l->request.code_len = 0;
	l->request.inputs = (struct approval_list){1, &l->input};
	l->request.attachments = (struct approval_list){1, &l->kept};
}

static void named(const struct listed *old, const struct listed *now, const char *words)
{
	AUTO_BUF struct buf out = {.most = 4096};
	const struct approval_code a = {old->list.data, old->list.len},
				   b = {now->list.data, now->list.len};

	approval_changed(&old->request, &a, &now->request, &b, &out);
	buf_add(&out, "", 1);
	ok(out.data && strcmp((const char *)out.data, words) == 0, "%s", (const char *)out.data);
}

static void test_lists(void)
{
	enum { MANY = 9990, SECONDS = 3 };
	struct listed old = {0}, now = {0}, all = {0}, rest = {0};
	char name[160];

	list_file(&old, "a", 1);
	list_file(&old, "d/gone", 1);
	list_file(&old, "d/same", 1);
	list_file(&old, "d.txt", 1);
	list_file(&now, "a/b", 1);
	list_file(&now, "d/same", 1);
	list_file(&now, "d.txt", 2);
	list_file(&now, "new\\x0a", 1);
	named(&old, &now, "the input files (workspace /w) (a, a/b, d/gone, d.txt, new\n)");
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%s%04d", "a-directory/of-many/", i);
		list_file(&all, name, 1);
		if (i)
			list_file(&rest, name, 1);
	}
	clock_t start = clock();
	named(&all, &rest, "the input files (workspace /w) (a-directory/of-many/0000)");
	named(&rest, &all, "the input files (workspace /w) (a-directory/of-many/0000)");
	ok((clock() - start) / CLOCKS_PER_SEC < SECONDS, "one of %d files is found at once", MANY);
	for (int i = 0; i < MANY; i++)
		list_file(&now, "z", i);
	AUTO_BUF struct buf out = {.most = 4096};
	approval_changed(&old.request, &(struct approval_code){old.list.data, old.list.len},
			 &now.request, &(struct approval_code){now.list.data, now.list.len}, &out);
	ok(!out.failed && out.len < 200 && memmem(out.data, out.len, "and 9990 more", 13),
	   "some are named and the rest is counted: %.*s", (int)out.len, (const char *)out.data);
	buf_done(&old.list);
	buf_done(&now.list);
	buf_done(&all.list);
	buf_done(&rest.list);
}

int main(void)
{
	scratch_must(sodium_init() >= 0, "libsodium");
	flip_all();
	test_edges();
	test_bytes();
	test_maxima();
	test_sense();
	test_words();
	test_lists();
	return tap_done();
}
