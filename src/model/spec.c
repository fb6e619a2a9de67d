/* SPDX-License-Identifier: MIT
 *
 * Encodes and decodes the spec. One row per record: how often it may come, how long it may be and
 * what it sets. cordon-box acts on nothing before the whole spec has been decoded and checked;
 * an unknown record, a missing one or a byte too many is an error.
 */
#include "model/spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

struct record {
	uint16_t tag, flags;
	uint32_t len;
};

struct field {
	const uint8_t *data;
	size_t len;
	unsigned flags;
};

struct tag_row {
	const char *name;
	size_t max_len;
	unsigned min, max; /* how many of them */
	int (*set)(struct spec *spec, const struct field *f);
};

bool spec_path_is_clean(const char *path)
{
	if (path[0] != '/')
		return false;
	for (const char *p = path; *p;) {
		size_t part = strcspn(++p, "/");
		bool dots = (part == 1 && p[0] == '.') || (part == 2 && p[0] == '.' && p[1] == '.');
		if (dots || (part == 0 && path[1] != '\0'))
			return false;
		for (size_t i = 0; i < part; i++)
			if ((unsigned char)p[i] < 0x20 || p[i] == 0x7f)
				return false;
		p += part;
	}
	return true;
}

/* A string record holds COUNT strings, each ended by NUL, and nothing else. */
static int take_strings(const struct field *f, const char **out, size_t count)
{
	const uint8_t *p = f->data, *end = f->data + f->len;

	for (size_t i = 0; i < count; i++) {
		const uint8_t *nul = p < end ? memchr(p, '\0', (size_t)(end - p)) : NULL;
		if (!nul)
			return -1;
		out[i] = (const char *)p;
		p = nul + 1;
	}
	return p == end ? 0 : -1;
}

static int set_path(const struct field *f, const char **out)
{
	if (take_strings(f, out, 1) < 0 || !spec_path_is_clean(*out))
		return -1;
	return 0;
}

struct head {
	uint32_t job, tier, flags, payload, workspace, reserved;
};

static int set_head(struct spec *s, const struct field *f)
{
	struct head h;

	if (f->len != sizeof(h))
		return -1;
	memcpy(&h, f->data, sizeof(h));
	if (h.job > JOB_START || h.tier >= TIER_COUNT || (h.flags & ~(unsigned)SPEC_FLAGS) ||
	    h.payload > PAYLOAD_PROGRAM || h.workspace > WORKSPACE_RW || h.reserved)
		return -1;
	s->job = (enum spec_job)h.job;
	s->tier = (enum tier)h.tier;
	s->flags = h.flags;
	s->payload = (enum payload_kind)h.payload;
	s->workspace = (enum workspace_mode)h.workspace;
	return 0;
}

static int set_limits(struct spec *s, const struct field *f)
{
	if (f->len != sizeof(s->limit))
		return -1;
	memcpy(s->limit, f->data, sizeof(s->limit));
	for (int i = 0; i < LIMIT_COUNT; i++) {
		const struct limit_row *row = limit_row((enum limit_id)i);
		if (s->limit[i] == 0 && row->fallback == 0)
			continue;
		if (s->limit[i] < row->min || s->limit[i] > row->max)
			return -1;
	}
	return 0;
}

static int set_sha256(struct spec *s, const struct field *f)
{
	if (f->len != sizeof(s->payload_sha256))
		return -1;
	memcpy(s->payload_sha256, f->data, f->len);
	return 0;
}

static int set_payload_target(struct spec *s, const struct field *f)
{
	return set_path(f, &s->payload_target);
}

static int set_workspace(struct spec *s, const struct field *f)
{
	return set_path(f, &s->workspace_path);
}

static int set_saved(struct spec *s, const struct field *f)
{
	return set_path(f, &s->saved_path);
}

static int set_private(struct spec *s, const struct field *f)
{
	return set_path(f, &s->private_dir);
}

static int set_cwd(struct spec *s, const struct field *f)
{
	return set_path(f, &s->cwd);
}

static int set_program(struct spec *s, const struct field *f)
{
	return take_strings(f, &s->program, 1);
}

static int set_arg(struct spec *s, const struct field *f)
{
	return take_strings(f, &s->argv[s->argc++], 1);
}

static int set_env(struct spec *s, const struct field *f)
{
	const char **slot = &s->env[s->envc++];

	if (take_strings(f, slot, 1) < 0)
		return -1;
	const char *eq = strchr(*slot, '=');
	return eq && eq != *slot ? 0 : -1;
}

static int set_bind(struct spec *s, const struct field *f)
{
	const char *both[2];

	if (take_strings(f, both, 2) < 0 || (f->flags & ~(unsigned)BIND_FLAGS) ||
	    !spec_path_is_clean(both[0]) || !spec_path_is_clean(both[1]))
		return -1;
	s->bind[s->bindc++] =
		(struct spec_bind){.source = both[0], .target = both[1], .flags = f->flags};
	return 0;
}

/* Of the bind before it. */
static int set_identity(struct spec *s, const struct field *f)
{
	struct spec_identity *to = s->bindc ? &s->bind[s->bindc - 1].identity : NULL;

	if (!to || to->ino || f->len != sizeof(*to))
		return -1;
	memcpy(to, f->data, sizeof(*to));
	return to->ino ? 0 : -1;
}

static int set_file(struct spec *s, const struct field *f)
{
	const char *target = (const char *)f->data;
	size_t named = strnlen(target, f->len) + 1;
	bool is_link = f->flags == 1;

	if (f->flags > 1 || named >= f->len || target[f->len - 1] || !spec_path_is_clean(target))
		return -1;
	struct spec_file made = {target, target + named, is_link, f->len - named - 1};
	if (is_link && strlen(made.content) != made.len)
		return -1;
	s->file[s->filec++] = made;
	return 0;
}

static int set_exec(struct spec *s, const struct field *f)
{
	return set_path(f, &s->exec[s->programc++]);
}

/* Before the path of a mask: its identity and its birth. */
enum { MASK_HEAD = sizeof(struct spec_identity) + sizeof(uint64_t) };

static int set_mask(struct spec *s, const struct field *f)
{
	struct spec_mask *m = &s->mask[s->maskc++];
	const size_t head = MASK_HEAD;

	if (f->len < head ||
	    set_path(&(struct field){f->data + head, f->len - head, 0}, &m->path) < 0)
		return -1;
	memcpy(&m->identity, f->data, sizeof(m->identity));
	memcpy(&m->born_ns, f->data + sizeof(m->identity), sizeof(m->born_ns));
	m->frozen = f->flags == 1;
	return m->identity.ino && f->flags <= 1 ? 0 : -1;
}

enum tag {
	TAG_HEAD = 1,
	TAG_LIMITS,
	TAG_SHA256,
	TAG_PAYLOAD_TARGET,
	TAG_WORKSPACE,
	TAG_PRIVATE,
	TAG_CWD,
	TAG_PROGRAM,
	TAG_ARG,
	TAG_ENV,
	TAG_BIND,
	TAG_FILE,
	TAG_EXEC,
	TAG_IDENTITY,
	TAG_MASK,
	TAG_SAVED,
	TAG_COUNT,
};

static const struct tag_row tags[TAG_COUNT] = {
	[TAG_HEAD] = {"head", sizeof(struct head), 1, 1, set_head},
	[TAG_LIMITS] = {"limits", LIMIT_COUNT * sizeof(uint64_t), 1, 1, set_limits},
	[TAG_SHA256] = {"sha256", 32, 0, 1, set_sha256},
	[TAG_PAYLOAD_TARGET] = {"payload", 4096, 0, 1, set_payload_target},
	[TAG_WORKSPACE] = {"workspace", 4096, 0, 1, set_workspace},
	[TAG_PRIVATE] = {"private", 4096, 0, 1, set_private},
	[TAG_CWD] = {"cwd", 4096, 1, 1, set_cwd},
	[TAG_PROGRAM] = {"program", 4096, 1, 1, set_program},
	[TAG_ARG] = {"arg", SPEC_STRING_MAX, 1, SPEC_ARGS_MAX, set_arg},
	[TAG_ENV] = {"env", SPEC_STRING_MAX, 0, SPEC_ENV_MAX, set_env},
	[TAG_BIND] = {"bind", 8194, 0, SPEC_BINDS_MAX, set_bind},
	[TAG_FILE] = {"file", SPEC_FILE_MAX, 0, SPEC_FILES_MAX, set_file},
	[TAG_EXEC] = {"exec", 4096, 0, SPEC_PROGRAMS_MAX, set_exec},
	[TAG_IDENTITY] = {"identity", sizeof(struct spec_identity), 0, SPEC_BINDS_MAX,
			  set_identity},
	[TAG_MASK] = {"mask", MASK_HEAD + 4096, 0, SPEC_MASKS_MAX, set_mask},
	[TAG_SAVED] = {"saved", 4096, 0, 1, set_saved},
};

static bool is_in(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return strncmp(path, dir, len) == 0 && (path[len] == '/' || !path[len]);
}

/* A program could have replaced a directory in it by a link, which the next mount would follow. */
static bool has_mounts_in(const struct spec *s, const struct spec_bind *bind)
{
	bool any = s->workspace_path && is_in(s->workspace_path, bind->target);

	for (size_t i = 0; i < s->bindc; i++)
		any |= &s->bind[i] != bind && is_in(s->bind[i].target, bind->target);
	for (size_t i = 0; i < s->filec; i++)
		any |= is_in(s->file[i].target, bind->target);
	return any;
}

static int check_writable(const struct spec *s, struct err *err)
{
	for (size_t i = 0; i < s->bindc; i++) {
		const struct spec_bind *bind = &s->bind[i];
		if (!(bind->flags & BIND_WRITABLE))
			continue;
		if (!bind->identity.ino || s->tier == TIER_NO_USERNS)
			return err_set(err, ERR_INPUT,
				       "spec: a writable bind needs an identity and namespaces");
		if (has_mounts_in(s, bind))
			return err_set(err, ERR_INPUT, "spec: a mount in a writable bind");
	}
	return 0;
}

static int check_whole(const struct spec *s, const unsigned *seen, struct err *err)
{
	for (int t = TAG_HEAD; t < TAG_COUNT; t++)
		if (seen[t] < tags[t].min)
			return err_set(err, ERR_INPUT, "spec: no %s record", tags[t].name);
	/* A live box searches a name without a slash in PATH. */
	bool is_name = s->job == JOB_START && *s->program && !strchr(s->program, '/');
	if (!is_name && !spec_path_is_clean(s->program))
		return err_set(err, ERR_INPUT, "spec: bad program record");
	if (s->flags & SPEC_LIVE &&
	    (s->job != JOB_RUN || !(s->flags & SPEC_DEV) || s->tier == TIER_NO_USERNS))
		return err_set(err, ERR_INPUT,
			       "spec: a live box needs namespaces and the profile dev");
	if (s->payload == PAYLOAD_FILE && (!seen[TAG_PAYLOAD_TARGET] || !seen[TAG_SHA256]))
		return err_set(err, ERR_INPUT, "spec: a payload without target or hash");
	if (s->job == JOB_RUN && (s->tier == TIER_NO_USERNS) != (seen[TAG_PRIVATE] == 1))
		return err_set(err, ERR_INPUT, "spec: a private directory goes with no-userns");
	if (s->flags & SPEC_DEV && !(s->flags & SPEC_EXEC))
		return err_set(err, ERR_INPUT, "spec: the profile dev executes programs");
	if (s->flags & SPEC_NET && (s->job != JOB_RUN || s->tier == TIER_NO_USERNS))
		return err_set(err, ERR_INPUT, "spec: a network needs a private one around it");
	if (s->workspace != WORKSPACE_NONE && !seen[TAG_WORKSPACE])
		return err_set(err, ERR_INPUT, "spec: a workspace mode without its path");
	if (s->saved_path && (s->workspace != WORKSPACE_OVERLAY || s->tier == TIER_NO_USERNS))
		return err_set(err, ERR_INPUT, "spec: a saved tree goes with an overlay");
	if (s->job == JOB_RUN && s->tier == TIER_NO_USERNS && s->maskc)
		return err_set(err, ERR_INPUT, "spec: a mask needs a root of its own");
	return check_writable(s, err);
}

static int decode_record(struct spec *s, const struct record *r, const uint8_t *data,
			 unsigned *seen, struct err *err)
{
	if (r->tag < TAG_HEAD || r->tag >= TAG_COUNT)
		return err_set(err, ERR_INPUT, "spec: unknown record %u", r->tag);
	const struct tag_row *row = &tags[r->tag];
	struct field f = {data, r->len, r->flags};

	if (r->len > row->max_len)
		return err_set(err, ERR_INPUT, "spec: %s is longer than %zu bytes", row->name,
			       row->max_len);
	if (seen[r->tag]++ >= row->max)
		return err_set(err, ERR_INPUT, "spec: more than %u %s records", row->max,
			       row->name);
	if (row->set(s, &f) < 0)
		return err_set(err, ERR_INPUT, "spec: bad %s record", row->name);
	return 0;
}

int spec_decode(const uint8_t *data, size_t len, struct spec *s, struct err *err)
{
	unsigned seen[TAG_COUNT] = {0};
	uint32_t magic = 0;

	if (len >= sizeof(magic))
		memcpy(&magic, data, sizeof(magic));
	if (magic != SPEC_MAGIC || len > SPEC_BYTES_MAX)
		return err_set(err, ERR_INPUT, "spec: not a spec, or one of another version");
	for (size_t at = sizeof(magic); at < len;) {
		struct record r;
		if (len - at < sizeof(r))
			return err_set(err, ERR_INPUT, "spec: half a record at its end");
		memcpy(&r, data + at, sizeof(r));
		at += sizeof(r);
		if (r.len > len - at)
			return err_set(err, ERR_INPUT, "spec: a record reaches past its end");
		if (decode_record(s, &r, data + at, seen, err) < 0)
			return -1;
		at += r.len;
	}
	return check_whole(s, seen, err);
}

/* The writer keeps one failure flag, so that encoding reads as a list. */
struct writer {
	uint8_t *data;
	size_t len, size;
	bool failed;
};

static void put_bytes(struct writer *w, const void *data, size_t len)
{
	if (w->failed || len > SPEC_BYTES_MAX - w->len) {
		w->failed = true;
		return;
	}
	if (w->len + len > w->size) {
		size_t size = (w->len + len) * 2;
		uint8_t *grown = realloc(w->data, size);
		if (!grown) {
			w->failed = true;
			return;
		}
		w->data = grown;
		w->size = size;
	}
	if (len)
		memcpy(w->data + w->len, data, len);
	w->len += len;
}

static void put(struct writer *w, enum tag tag, unsigned flags, const void *data, size_t len)
{
	struct record r = {(uint16_t)tag, (uint16_t)flags, (uint32_t)len};

	if (len > tags[tag].max_len) {
		w->failed = true;
		return;
	}
	put_bytes(w, &r, sizeof(r));
	put_bytes(w, data, len);
}

static void put_string(struct writer *w, enum tag tag, const char *s)
{
	put(w, tag, 0, s, strlen(s) + 1);
}

static void put_mask(struct writer *w, const struct spec_mask *m)
{
	uint8_t all[MASK_HEAD + 4096];
	size_t len = strlen(m->path) + 1;

	if (len > sizeof(all) - MASK_HEAD) {
		w->failed = true;
		return;
	}
	memcpy(all, &m->identity, sizeof(m->identity));
	memcpy(all + sizeof(m->identity), &m->born_ns, sizeof(m->born_ns));
	memcpy(all + MASK_HEAD, m->path, len);
	put(w, TAG_MASK, m->frozen, all, MASK_HEAD + len);
}

/* B has LB bytes with its last, a NUL. */
static void put_pair(struct writer *w, enum tag tag, unsigned flags, const char *a, const char *b,
		     size_t lb)
{
	size_t la = strlen(a) + 1;
	struct record r = {(uint16_t)tag, (uint16_t)flags, (uint32_t)(la + lb)};

	if (la + lb > tags[tag].max_len) {
		w->failed = true;
		return;
	}
	put_bytes(w, &r, sizeof(r));
	put_bytes(w, a, la);
	put_bytes(w, b, lb);
}

static void put_lists(struct writer *w, const struct spec *s)
{
	for (size_t i = 0; i < s->argc; i++)
		put_string(w, TAG_ARG, s->argv[i]);
	for (size_t i = 0; i < s->envc; i++)
		put_string(w, TAG_ENV, s->env[i]);
	for (size_t i = 0; i < s->bindc; i++) {
		const struct spec_bind *b = &s->bind[i];
		put_pair(w, TAG_BIND, b->flags, b->source, b->target, strlen(b->target) + 1);
		if (b->identity.ino)
			put(w, TAG_IDENTITY, 0, &b->identity, sizeof(b->identity));
	}
	for (size_t i = 0; i < s->filec; i++) {
		const struct spec_file *f = &s->file[i];
		put_pair(w, TAG_FILE, f->is_link, f->target, f->content, f->len + 1);
	}
	for (size_t i = 0; i < s->programc; i++)
		put_string(w, TAG_EXEC, s->exec[i]);
	for (size_t i = 0; i < s->maskc; i++)
		put_mask(w, &s->mask[i]);
}

int spec_encode(const struct spec *s, uint8_t **ret_data, size_t *ret_len, struct err *err)
{
	struct writer w = {0};
	uint32_t magic = SPEC_MAGIC;
	struct head h = {s->job, s->tier, s->flags, s->payload, s->workspace, 0};

	put_bytes(&w, &magic, sizeof(magic));
	put(&w, TAG_HEAD, 0, &h, sizeof(h));
	put(&w, TAG_LIMITS, 0, s->limit, sizeof(s->limit));
	if (s->payload != PAYLOAD_NONE)
		put(&w, TAG_SHA256, 0, s->payload_sha256, sizeof(s->payload_sha256));
	if (s->payload_target)
		put_string(&w, TAG_PAYLOAD_TARGET, s->payload_target);
	if (s->workspace_path)
		put_string(&w, TAG_WORKSPACE, s->workspace_path);
	if (s->saved_path)
		put_string(&w, TAG_SAVED, s->saved_path);
	if (s->private_dir)
		put_string(&w, TAG_PRIVATE, s->private_dir);
	put_string(&w, TAG_CWD, s->cwd);
	put_string(&w, TAG_PROGRAM, s->program);
	put_lists(&w, s);
	if (w.failed) {
		free(w.data);
		return err_set(err, ERR_INPUT,
			       "arguments, environment, paths or files of the box are too long");
	}
	*ret_data = w.data;
	*ret_len = w.len;
	return 0;
}

bool spec_is_direct(const struct spec *s)
{
	bool any = s->workspace == WORKSPACE_RW;

	for (size_t i = 0; i < s->bindc; i++)
		any |= s->bind[i].flags & BIND_WRITABLE &&
		       strcmp(s->bind[i].target, SPEC_KEPT_HOME) != 0;
	return any;
}

/* Where programs of the policy's may follow the first, Landlock says which. */
uint32_t spec_layers(const struct spec *spec)
{
	uint32_t layers = 0;

	for (int l = 0; l < LAYER_COUNT; l++)
		if (layer_is_needed((enum layer)l, spec->tier))
			layers |= LAYER_BIT(l);
	if (spec->flags & SPEC_EXEC)
		layers &= ~LAYER_BIT(LAYER_EXECGATE);
	return spec->flags & SPEC_DEV ? layers & ~LAYER_BIT(LAYER_NOEXEC) : layers;
}
