/* SPDX-License-Identifier: MIT
 *
 * The methods that read files. The file is opened in the box, and what the agent reads is recorded as a
 * source of its conversation before it is released.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/digest.h"
#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "door/executor/file_call.h"
#include "door/executor/rpc.h"
#include "flow/ingest.h"

enum {
	FILE_BYTES_MAX = 48 << 20,
	BLOCK_MAX = 1 << 20,
	HANDLES_MAX = 64,
	HANDLE_NAME_MAX = 128,
	KNOWN_MAX = 64,
};

struct handle {
	char name[HANDLE_NAME_MAX + 1]; /* "": free */
	char *path;
	int fd;
};

/* Of a worker. */
struct file_desk {
	struct box_files files;
	struct handle handle[HANDLES_MAX];
	uint8_t known[KNOWN_MAX][DIGEST_BYTES]; /* hashes of contents that were recorded */
	size_t knownc;
};

static void get_metadata(struct file_call *c)
{
	struct stat link, st;

	if (!file_is_direct(c))
		return;
	if (box_file_stat(c->files, c->path, false, &link) < 0 ||
	    box_file_stat(c->files, c->path, true, &st) < 0) {
		file_fail(c, errno);
		return;
	}
	file_answer(c,
		    json_pack("{s:b, s:b, s:b, s:I, s:i, s:I}", "isDirectory", S_ISDIR(st.st_mode),
			      "isFile", S_ISREG(st.st_mode), "isSymlink", S_ISLNK(link.st_mode),
			      "size", (json_int_t)st.st_size, "createdAtMs", 0, "modifiedAtMs",
			      (json_int_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000));
}

static void canonicalize(struct file_call *c)
{
	AUTO_FREE char *real = box_file_real(c->files, c->path);
	AUTO_FREE char *uri = real ? rpc_uri(real) : NULL;

	if (!uri)
		file_fail(c, errno);
	else
		file_answer(c, json_pack("{s:s}", "path", uri));
}

static int record_part(struct file_call *c, const char *path, const struct policy *policy,
		       struct text data, struct err *err)
{
	AUTO_PAGES struct ingest_report *report = pages_new(sizeof(*report));
	struct gate_state *s = &c->desk->session.state;
	const struct ingest_in in = {.kind = FROM_FILE,
				     .name = path,
				     .name_len = strlen(path),
				     .policy = policy,
				     .data = data};
	struct conversation conversation;
	struct id id;
	const char *hex = job_text(c->job, "conversation");
	int r = -1;

	if (!report)
		return err_memory(err);
	if (!id_parse(hex, strlen(hex), &id))
		return err_set(err, ERR_SYSTEM, "the conversation has no id");
	for (int i = 0; r < 0 && i < GATE_TRIES_MAX; i++) {
		if (i)
			gate_pause(i);
		if (conversation_load(&s->keeper, &id, &conversation, err) < 0)
			break;
		r = ingest(s, &c->desk->session.rules, &conversation, &in, report, err);
		bool withheld = report->withheld;
		ingest_done(report);
		if (r == 0 && withheld)
			return err_set(err, ERR_REFUSED, "a rule withholds this file");
		if (r < 0 && err->code != ERR_CONFLICT)
			break;
	}
	return r;
}

/* DATA has a NUL after it. The same bytes are recorded once. */
static int record_source(struct file_call *c, const char *path, const char *data, size_t len,
			 struct err *err)
{
	uint8_t sha256[DIGEST_BYTES];
	struct policy policy = {0};

	digest_of(sha256, data, len);
	for (size_t i = 0; i < KNOWN_MAX && i < c->desk->files->knownc; i++)
		if (memcmp(c->desk->files->known[i], sha256, sizeof(sha256)) == 0)
			return 0;
	int r = gate_session_rules(&c->desk->session, c->desk->options->request, err);
	if (r == 0)
		r = policy_open(&policy, c->desk->options->request->policy, err);
	for (size_t at = 0; r == 0 && at < len; at += INGEST_BYTES_MAX) {
		size_t part = len - at < INGEST_BYTES_MAX ? len - at : INGEST_BYTES_MAX;
		AUTO_FREE char *copy = malloc(part + 1);
		if (!copy) {
			r = err_memory(err);
			break;
		}
		memcpy(copy, data + at, part);
		copy[part] = '\0';
		r = record_part(c, path, &policy, (struct text){copy, part}, err);
	}
	policy_done(&policy);
	if (r == 0)
		memcpy(c->desk->files->known[c->desk->files->knownc++ % KNOWN_MAX], sha256,
		       sizeof(sha256));
	return r;
}

static void release(struct file_call *c, const char *name, const char *data, size_t len, bool ends,
		    bool has_end)
{
	AUTO_FREE char *text = rpc_base64(data, len);
	json_t *result = text ? json_pack("{s:s}", name, text) : NULL;

	if (result && has_end)
		json_object_set_new(result, "eof", json_boolean(ends));
	file_answer(c, result);
}

static void read_file(struct file_call *c)
{
	AUTO_FREE char *data = NULL;
	struct stat st;
	struct err err;

	if (!file_is_direct(c))
		return;
	AUTO_CLOSE int fd = box_file_open(c->files, c->path, O_RDONLY);
	if (fd < 0 && (errno == EISDIR || errno == EINVAL)) {
		desk_error(c->desk, RPC_INVALID, "path `%.800s` is not a file", c->path);
		return;
	}
	if (fd < 0 || fstat(fd, &st) < 0) {
		file_fail(c, errno);
		return;
	}
	if (st.st_size > FILE_BYTES_MAX) {
		desk_error(c->desk, RPC_INVALID, "the file is larger than %d MB",
			   FILE_BYTES_MAX >> 20);
		return;
	}
	size_t size = (size_t)st.st_size;
	data = malloc(size + 1);
	ssize_t n = data ? io_read_full(fd, data, size) : -1;
	if (n < 0) {
		file_fail(c, errno);
		return;
	}
	data[n] = '\0';
	if (record_source(c, c->path, data, (size_t)n, &err) < 0)
		desk_error(c->desk, RPC_INVALID, "cordon: %.400s", err.message);
	else
		release(c, "dataBase64", data, (size_t)n, false, false);
}

static void read_directory(struct file_call *c)
{
	struct box_entry *entry = NULL;
	size_t count = 0;
	bool cut = false;

	if (box_file_list(c->files, c->path, FILE_ENTRIES_MAX, &entry, &count, &cut) < 0) {
		file_fail(c, errno);
		return;
	}
	json_t *list = json_array();
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_pack("{s:s, s:b, s:b}", "fileName", entry[i].name,
						      "isDirectory", entry[i].is_dir, "isFile",
						      entry[i].is_file));
	box_entries_free(entry, count);
	file_answer(c, json_pack("{s:o}", "entries", list));
}

static struct handle *find_handle(const struct file_call *c)
{
	const char *name = json_string_value(json_object_get(c->params, "handleId"));

	for (size_t i = 0; name && i < HANDLES_MAX; i++)
		if (c->desk->files->handle[i].name[0] &&
		    strcmp(c->desk->files->handle[i].name, name) == 0)
			return &c->desk->files->handle[i];
	return NULL;
}

static void open_handle(struct file_call *c)
{
	const char *name = json_string_value(json_object_get(c->params, "handleId"));
	struct handle *h = NULL;

	for (size_t i = 0; i < HANDLES_MAX && !h; i++)
		h = c->desk->files->handle[i].name[0] ? NULL : &c->desk->files->handle[i];
	if (!name || !*name || strlen(name) > HANDLE_NAME_MAX || find_handle(c) || !h) {
		desk_error(c->desk, RPC_INVALID, "no room for this file handle, or it is in use");
		return;
	}
	AUTO_CLOSE int fd = box_file_open(c->files, c->path, O_RDONLY);
	if (fd < 0) {
		file_fail(c, errno);
		return;
	}
	memcpy(h->name, name, strlen(name) + 1);
	h->fd = scope_take_fd(&fd);
	h->path = c->path;
	c->path = NULL;
	file_answer(c, json_pack("{s:s}", "handleId", name));
}

static void read_block(struct file_call *c)
{
	struct handle *h = find_handle(c);
	size_t len = (size_t)file_number(c->params, "len", 0);
	len = len < BLOCK_MAX ? len : BLOCK_MAX;
	AUTO_FREE char *data = malloc(len + 1);
	struct err err;

	if (!h) {
		desk_error(c->desk, RPC_NOT_FOUND, "unknown file handle `%.200s`",
			   job_text(c->params, "handleId") ? job_text(c->params, "handleId") : "");
		return;
	}
	ssize_t n = data ? pread(h->fd, data, len, file_number(c->params, "offset", 0)) : -1;
	if (n < 0) {
		file_fail(c, errno);
		return;
	}
	data[n] = '\0';
	if (n && record_source(c, h->path, data, (size_t)n, &err) < 0)
		desk_error(c->desk, RPC_INVALID, "cordon: %.400s", err.message);
	else
		release(c, "chunk", data, (size_t)n, (size_t)n < len, true);
}

static void close_handle(struct file_call *c)
{
	struct handle *h = find_handle(c);

	if (h) {
		h->name[0] = '\0';
		scope_close(&h->fd);
		free(h->path);
	}
	file_answer(c, json_object());
}

static const struct {
	const char *method, *path; /* the parameter that is its path, or NULL */
	void (*run)(struct file_call *c);
} methods[] = {
	{"fs/getMetadata", "path", get_metadata},
	{"fs/readFile", "path", read_file},
	{"fs/canonicalize", "path", canonicalize},
	{"fs/readDirectory", "path", read_directory},
	{"fs/walk", "path", file_walk},
	{"fs/open", "path", open_handle},
	{"fs/readBlock", NULL, read_block},
	{"fs/close", NULL, close_handle},
	{"fs/writeFile", "path", file_write},
	{"fs/createDirectory", "path", file_make_directory},
	{"fs/remove", "path", file_remove},
	{"fs/copy", "sourcePath", file_copy},
};

static void run(struct file_call *c, size_t i)
{
	struct err err;

	c->path = methods[i].path ? file_path(c, methods[i].path) : NULL;
	if (methods[i].path && !c->path) {
		desk_error(c->desk, RPC_PARAMS, "%s: a file: URI is needed", methods[i].path);
		return;
	}
	int use = desk_open(c->desk, &err) < 0 ? -1
					       : box_files_use(c->files, c->desk->session.state.dir,
							       job_text(c->job, "box"), &err);
	if (use == 1)
		desk_answer(c->desk, json_pack("{s:b}", "noBox", 1));
	else if (use < 0)
		desk_error(c->desk, RPC_FAILED, "cordon: %.400s", err.message);
	else
		methods[i].run(c);
}

void file_job(struct desk *d, const json_t *job)
{
	struct file_call c = {.desk = d, .job = job, .params = json_object_get(job, "params")};
	const char *method = job_text(job, "method");
	size_t i = 0;

	if (!d->files) {
		d->files = calloc(1, sizeof(*d->files));
		if (!d->files) {
			desk_error(d, RPC_FAILED, "out of memory");
			return;
		}
		d->files->files.box = KEPT_BOX_NONE;
	}
	c.files = &d->files->files;

	while (i < ARRAY_SIZE(methods) && strcmp(methods[i].method, method) != 0)
		i++;
	if (i < ARRAY_SIZE(methods))
		run(&c, i);
	else
		desk_error(d, RPC_NO_METHOD, "%.100s is not served", method);
	free(c.path);
	arena_done(&c.arena);
}
