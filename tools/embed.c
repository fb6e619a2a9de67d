/* SPDX-License-Identifier: MIT
 *
 * embed OUT NAME MAIN.py MODULE.py...: writes a C header in which NAME is one Python program: MAIN,
 * with the modules as strings that it loads when they are imported. So that what runs in the box is
 * in the binary, and nothing depends on where it is installed. Sources are ASCII; it stops at the
 * first byte that is not.
 */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE_MAX = 1 << 20, NAME_LEN_MAX = 64 };

static const char loader[] = "import sys\n"
			     "import _frozen_importlib\n"
			     "class _Embedded:\n"
			     "    def find_spec(self, name, path=None, target=None):\n"
			     "        if name in _SOURCES:\n"
			     "            return _frozen_importlib.ModuleSpec(name, self)\n"
			     "    def create_module(self, spec):\n"
			     "        return None\n"
			     "    def exec_module(self, module):\n"
			     "        name = module.__name__\n"
			     "        exec(compile(_SOURCES.pop(name), name + '.py', 'exec'), "
			     "module.__dict__)\n"
			     "sys.meta_path.insert(0, _Embedded())\n";

static void die(const char *what, const char *which)
{
	fprintf(stderr, "embed: %s: %s\n", which, what);
	exit(1);
}

/* One character of the program, in a C string. */
static void put(FILE *out, int c)
{
	if (c == '\n')
		fputs("\\n\"\n\t\"", out);
	else if (c == '"' || c == '\\')
		fprintf(out, "\\%c", c);
	else if (c == '\t')
		fputs("\\t", out);
	else
		fputc(c, out);
}

static void put_text(FILE *out, const char *s)
{
	while (*s)
		put(out, (unsigned char)*s++);
}

/* One character of a module, in a Python string in the program; broken where its lines end. */
static void put_quoted(FILE *out, char c)
{
	if (c == '\n')
		put_text(out, "\\n'\n'");
	else if (c == '\'' || c == '\\')
		put_text(out, (char[]){'\\', c, '\0'});
	else
		put(out, c);
}

static char *read_source(const char *path)
{
	char *data = malloc(SOURCE_MAX + 1);
	FILE *in = fopen(path, "r");

	if (!in || !data)
		die("cannot be read", path);
	size_t len = fread(data, 1, SOURCE_MAX + 1, in);
	if (len > SOURCE_MAX)
		die("is too large", path);
	fclose(in);
	data[len] = '\0';
	for (size_t i = 0; i < len; i++)
		if (data[i] != '\n' && (data[i] < 32 || data[i] > 126))
			die("holds something else than ASCII", path);
	return data;
}

static void put_module(FILE *out, char *path)
{
	char *data = read_source(path), line[2 * NAME_LEN_MAX];
	const char *name = basename(path);
	size_t len = strlen(name);

	if (len < 4 || len > NAME_LEN_MAX || strcmp(name + len - 3, ".py") != 0)
		die("is no name of a module", path);
	snprintf(line, sizeof(line), "_SOURCES['%.*s'] = (\n'", (int)len - 3, name);
	put_text(out, line);
	for (const char *s = data; *s; s++)
		put_quoted(out, *s);
	put_text(out, "')\n");
	free(data);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		die("OUT NAME MAIN.py MODULE.py...", "usage");
	FILE *out = fopen(argv[1], "w");
	if (!out)
		die("cannot be written", argv[1]);
	fprintf(out, "/* Made by tools/embed.c. */\nstatic const char %s[] =\n\t\"", argv[2]);
	put_text(out, "_SOURCES = {}\n");
	for (int i = 4; i < argc; i++)
		put_module(out, argv[i]);
	put_text(out, loader);
	char *program = read_source(argv[3]);
	put_text(out, program);
	free(program);
	fputs("\";\n", out);
	if (fclose(out) != 0)
		die("cannot be written", argv[1]);
	return 0;
}
