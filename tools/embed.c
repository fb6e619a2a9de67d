/* SPDX-License-Identifier: MIT
 *
 * embed OUT START.py BOOT CODE PARTS.py MODULE.py...: writes a C header with the reader of code,
 * so that the binary contains it and does not depend on installed files. view_start is the
 * program, view_parts has the other modules. The first HEAD_LEN bytes of view_parts are their
 * index:
 *
 *     KEY LENGTH LENGTH SIZE          the Python that can use the code; the lengths of code and
 *                                     source of the first part, which follow; bytes of all
 *     NAME CODE LENGTH SOURCE LENGTH  one for each part: offsets and lengths, 0 0 if absent
 *
 * and empty lines to the end. CODE is the output directory of tools/view-code; without its file
 * "key" there is no code, only sources. BOOT is a directory with more programs: view_encodings and
 * view_sitecustomize, which let an interpreter read its own code first, and view_telemetry. The
 * compiled code of the start and of the first two is in arrays whose names end in _code. view_key
 * names the Python that can use it, and VIEW_TAG the tag of that Python in file names. Sources are
 * ASCII; another byte is an error.
 */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LEN_MAX = 1 << 20, NAME_LEN_MAX = 64, PARTS_MAX = 64, HEAD_LEN = 4096 };

struct data {
	size_t len;
	char *bytes;
};

struct part {
	char name[NAME_LEN_MAX];
	struct data code, source;
	size_t code_at, source_at;
};

static void die(const char *what, const char *which)
{
	fprintf(stderr, "embed: %s: %s\n", which, what);
	exit(1);
}

/* Absent: no bytes. */
static struct data read_file(const char *path)
{
	struct data d = {.bytes = malloc(FILE_LEN_MAX + 1)};
	FILE *in = fopen(path, "r");

	if (!d.bytes)
		die("no memory", path);
	if (in) {
		d.len = fread(d.bytes, 1, FILE_LEN_MAX + 1, in);
		fclose(in);
	}
	if (d.len > FILE_LEN_MAX)
		die("is too large", path);
	d.bytes[d.len] = '\0';
	return d;
}

static struct data read_source(const char *path)
{
	struct data d = read_file(path);

	if (d.len == 0)
		die("cannot be read", path);
	for (size_t i = 0; i < d.len; i++)
		if (d.bytes[i] != '\n' && (d.bytes[i] < 32 || d.bytes[i] > 126))
			die("holds something else than ASCII", path);
	return d;
}

static void join_path(char *ret, size_t size, const char *dir, const char *name, const char *end)
{
	int len = snprintf(ret, size, "%s/%s%s", dir, name, end);

	if (len < 0 || (size_t)len >= size)
		die("is too long a path", dir);
}

static void read_part(struct part *p, char *path, const char *code_dir)
{
	const char *name = basename(path);
	size_t len = strlen(name);
	char code[FILENAME_MAX];

	if (len < 4 || len >= NAME_LEN_MAX || strcmp(name + len - 3, ".py") != 0)
		die("is no name of a module", path);
	snprintf(p->name, sizeof(p->name), "%.*s", (int)len - 3, name);
	p->source = read_source(path);
	join_path(code, sizeof(code), code_dir, p->name, ".code");
	p->code = read_file(code);
}

/* Writes bytes as a C string. An escape has three digits if a digit could follow it. */
static void put(FILE *out, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)bytes[i];
		if (c == '\n')
			fputs("\\n\"\n\t\"", out);
		else if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c >= 32 && c < 127 && c != '?')
			fputc(c, out);
		else
			fprintf(out, "\\%03o", c);
	}
}

static void put_array(FILE *out, const char *name)
{
	fprintf(out, "static const char %s[] =\n\t\"", name);
}

/* Writes the index in front of the parts. */
static void write_head(char *head, const char *key, struct part *parts, size_t count)
{
	size_t size = HEAD_LEN, used;

	for (size_t i = 0; i < count; i++) {
		parts[i].code_at = parts[i].code.len ? size : 0;
		parts[i].source_at = size + parts[i].code.len;
		size += parts[i].code.len + parts[i].source.len;
	}
	used = (size_t)snprintf(head, HEAD_LEN, "%s %zu %zu %zu\n", key, parts[0].code.len,
				parts[0].source.len, size);
	for (size_t i = 0; i < count && used < HEAD_LEN; i++)
		used += (size_t)snprintf(head + used, HEAD_LEN - used, "%s %zu %zu %zu %zu\n",
					 parts[i].name, parts[i].code_at, parts[i].code.len,
					 parts[i].source_at, parts[i].source.len);
	if (used >= HEAD_LEN)
		die("more of them than fit", "parts");
	memset(head + used, '\n', HEAD_LEN - used);
}

static void put_parts(FILE *out, const char *key, struct part *parts, size_t count)
{
	char head[HEAD_LEN];

	write_head(head, key, parts, count);
	put_array(out, "view_parts");
	put(out, head, sizeof(head));
	for (size_t i = 0; i < count; i++) {
		put(out, parts[i].code.bytes, parts[i].code.len);
		put(out, parts[i].source.bytes, parts[i].source.len);
	}
	fputs("\";\n", out);
}

static void put_data(FILE *out, const char *name, struct data d)
{
	put_array(out, name);
	put(out, d.bytes, d.len);
	fputs("\";\n", out);
}

static void put_code(FILE *out, const char *array, const char *code_dir, const char *name,
		     const char *end)
{
	char path[FILENAME_MAX];

	join_path(path, sizeof(path), code_dir, name, end);
	put_data(out, array, read_file(path));
}

static void put_boot(FILE *out, const char *dir, const char *code_dir)
{
	static const char *const names[] = {"encodings", "sitecustomize", "telemetry"};
	char path[FILENAME_MAX], array[NAME_LEN_MAX];

	for (int i = 0; i < 3; i++) {
		join_path(path, sizeof(path), dir, names[i], ".py");
		snprintf(array, sizeof(array), "view_%s", names[i]);
		put_data(out, array, read_source(path));
	}
	put_code(out, "view_encodings_code", code_dir, "encodings", ".pyc");
	put_code(out, "view_sitecustomize_code", code_dir, "sitecustomize", ".pyc");
}

int main(int argc, char **argv)
{
	static struct part parts[PARTS_MAX];
	char path[FILENAME_MAX];

	if (argc < 6 || argc - 5 > PARTS_MAX)
		die("OUT START.py BOOT CODE PARTS.py MODULE.py...", "usage");
	join_path(path, sizeof(path), argv[4], "key", "");
	struct data key = read_file(path);
	for (int i = 5; i < argc; i++)
		read_part(&parts[i - 5], argv[i], argv[4]);
	FILE *out = fopen(argv[1], "w");
	if (!out)
		die("cannot be written", argv[1]);
	fputs("/* Made by tools/embed.c. */\n", out);
	put_data(out, "view_start", read_source(argv[2]));
	put_code(out, "view_start_code", argv[4], "view", ".code");
	put_data(out, "view_key", key);
	join_path(path, sizeof(path), argv[4], "tag", "");
	fprintf(out, "#define VIEW_TAG \"%s\"\n", read_file(path).bytes);
	put_boot(out, argv[3], argv[4]);
	put_parts(out, key.len ? key.bytes : "-", parts, (size_t)argc - 5);
	if (fclose(out) != 0)
		die("cannot be written", argv[1]);
	return 0;
}
