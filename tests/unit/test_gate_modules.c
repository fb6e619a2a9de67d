/* SPDX-License-Identifier: MIT
 *
 * Which files of the workspace are looked at with code that may take them in. Each row is a text that
 * runs, or may run, one that lies there; or one that only reads a table, of which nobody must make code.
 * Without a code view: what a row needs is in its own text, as it is in a file that is sourced.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/profile.h"
#include "flow/gate.h"
#include "scratch.h"
#include "tap.h"

static const char rule[] =
	"id: ONE\ntitle: T\nstatus: stable\nmaturity: stable\nseverity: low\n"
	"tags: {category: model-abuse, confidence: medium}\nagent_source: {type: llm_io}\n"
	"detection:\n  condition: any\n  conditions:\n"
	"    - {field: content, operator: contains, value: 'nobody says this'}\n";

static const struct {
	const char *path, *text;
} files[] = {
	{"x.sh", "echo x\n"},
	{"a b.sh", "echo a b\n"},
	{"payload", "echo payload\n"},
	{"data.csv", "a,b\n1,2\n"},
	{"x.js", "1;\n"},
	{"odd.txt", "1;\n"},
	{"lib/index.js", "1;\n"},
	{"lib/deep.js", "1;\n"},
	{"node_modules/pkg/package.json", "{\"ma\\u0069n\": \"src/a.js\"}\n"},
	{"node_modules/pkg/src/a.js", "1;\n"},
	{"node_modules/two/package.json",
	 "{\"exports\": {\".\": [{\"import\": \"./src/b.js\"}]}}\n"},
	{"node_modules/two/src/b.js", "1;\n"},
	{"node_modules/tpl/package.json", "{\"main\": \"not/built.js\", \"exports\": \"./*\"}\n"},
	{"node_modules/loads/index.js", "module.exports = n => require(n);\n"},
	{"node_modules/tpl/index.js", "module.exports = s => new Function('x', s);\n"},
	{"table.json", "{}\n"},
	{"evil.json.js", "1;\n"},
	{"some.json", "{}\n"},
	{"lib/needs.js", "require('./table.json')\n"},
	{"lib/table.json.js", "1;\n"},
	{"dir.json/index.js", "1;\n"},
	{"node_modules/some.json/index.js", "1;\n"},
	{"x.py", "x = 1\n"},
	{"below/y.py", "y = 1\n"},
	{"below/far/hidden", "y = 1\n"},
	{"below/y.sh", "echo y\n"},
	{"below/x.sh", "echo the other\n"},
	{"first.sh", "f=x.sh\n. \"$f\"\n"},
};

/* NULL: nothing is looked at. */
static const struct {
	const char *lang, *code, *path;
} rows[] = {
	{"bash", ". ./x.sh", "x.sh"},
	{"bash", "source x.sh", "x.sh"},
	{"bash", "if . ./x.sh; then :; fi", "x.sh"},
	{"bash", "while . ./x.sh; do :; done", "x.sh"},
	{"bash", "until . ./x.sh; do :; done", "x.sh"},
	{"bash", "X=1 . ./x.sh", "x.sh"},
	{"bash", ">/dev/null . ./x.sh", "x.sh"},
	{"bash", "case a in a) . ./x.sh;; esac", "x.sh"},
	{"bash", "case a in a). ./x.sh;; esac", "x.sh"},
	{"bash", ". -- ./x.sh", "x.sh"},
	{"bash", ". .//x.sh", "x.sh"},
	{"bash", ". ././/x.sh", "x.sh"},
	{"bash", ". ../workspace/x.sh", "x.sh"},
	{"bash", ". /workspace//./x.sh", "x.sh"},
	{"bash", "\\. ./x.sh", "x.sh"},
	{"bash", "'.' ./x.sh", "x.sh"},
	{"bash", "s\"our\"ce ./x.sh", "x.sh"},
	{"bash", "source <(cat x.sh)", "x.sh"},
	{"bash", ". <(cat payload)", "payload"},
	{"bash", ". /dev/stdin <x.sh", "x.sh"},
	{"bash", ". /dev/fd/3 3<payload", "payload"},
	{"bash", "cat payload | . /dev/stdin", "payload"},
	{"bash", "f=payload; . \"./$f\"", "payload"},
	{"bash", "eval \"$(<x.sh)\"", "x.sh"},
	{"bash", "eval \"$(cat payload)\"", "payload"},
	{"bash", "eval \"\n$(cat payload)\"", "payload"},
	{"bash", "eval `cat payload`", "payload"},
	{"bash", "f='a b.sh'; eval \"$(cat \"$f\")\"", "a b.sh"},
	{"bash", "mapfile -t a <payload; eval \"${a[@]}\"", "payload"},
	{"bash", "readarray a <x.sh\neval \"${a[*]}\"", "x.sh"},
	{"bash", "read -r -d '' c <payload; trap \"$c\" EXIT", "payload"},
	{"bash", "n=x; eval \"$(cat \"$n\".*)\"", "x.sh"},
	{"bash", "cp payload y; . ./y", "payload"},
	{"bash", "cat payload >/tmp/y; . /tmp/y", "payload"},
	{"bash", "bash x.sh", "x.sh"},
	{"bash", "sh <x.sh", "x.sh"},
	{"bash", "bash < payload", "payload"},
	{"bash", "cat payload | sh", "payload"},
	{"bash", "cat payload | exec bash -s", "payload"},
	{"bash", "bash <(cat payload)", "payload"},
	{"bash", "bash -c \"$(cat payload)\"", "payload"},
	{"bash", "$(cat payload)", "payload"},
	{"bash", "s=source; \"$s\" ./x.sh", "x.sh"},
	{"bash", "$'\\x2e' ./payload", "payload"},
	{"bash", "sourced() { . \"$1\"; }; sourced payload", "payload"},
	{"bash", "cd below/far && . ./hidden", "below/far/hidden"},
	{"bash", "PATH=below/far; . hidden", "below/far/hidden"},
	{"bash", ". /proc/$$/cwd/payload", "payload"},
	{"bash", "shopt -s expand_aliases\nalias s=.\ns ./payload", "payload"},
	{"bash", ". /etc/../workspace/payload", "payload"},
	{"bash", "cp payload ~/y; . ~/y", "payload"},
	{"bash", ". ./first.sh", "x.sh"},
	{"bash", "cat payload | xargs -0 bash -c", "payload"},
	{"bash", "cat payload | xargs -I{} bash -c '{}'", "payload"},
	{"bash", "cat payload | find x.sh -exec bash \\;", "payload"},
	{"bash", "cat payload | $BASH", "payload"},
	{"bash", "cat payload | \"$BASH\"", "payload"},
	{"bash", "cat payload | ${SHELL} -s", "payload"},
	{"bash", "\"$BASH\" payload", "payload"},
	{"bash", "rbash payload", "payload"},
	{"bash", "timeout -k 1 5 bash payload", "payload"},
	{"bash", "coproc bash; cat payload >&${COPROC[1]}", "payload"},
	{"bash", "BASH_ENV=./x.sh bash -c :", "x.sh"},
	{"bash", "export BASH_ENV=payload; bash -c :", "payload"},
	{"bash", "f=payload; BASH_ENV=$f bash -c :", "payload"},
	{"bash", "timeout 5 bash -c 'wc -l data.csv'; echo $BASH_VERSION $SHELL data.csv", NULL},
	{"bash", "find . -name data.csv; cp -r . /tmp; wc -l data.csv", NULL},
	{"bash", "#!/bin/bash\nset -e\n. /etc/os-release\nsort data.csv | uniq -c", NULL},
	{"bash", "#! /bin/sh\n[ \"$1\" != . ] || tar --exclude=x . /tmp/y data.csv", NULL},
	{"bash", "#!/usr/bin/env bash\n# Uses bash. See README.\ncut -d, -f1 data.csv", NULL},
	{"bash", "awk -F, '{print $1}' data.csv; cat x.sh", NULL},
	{"bash", "t=$(mktemp); trap 'rm \"$t\"' EXIT; trap \"rm $t\" INT; sort data.csv >\"$t\"",
	 NULL},
	{"bash", "x=$(wc -l data.csv); SHELL=bash; echo \"$x\" data.csv $((1 + 1))", NULL},
	{"node", "module.load('/workspace/x.js')", "x.js"},
	{"node", "process.mainModule.load('/workspace/x.js')", "x.js"},
	{"node", "Object.create(module).load('/workspace/odd.txt')", "odd.txt"},
	{"node", "cheerio.load('data.csv'); new Loader().load('data.csv')", NULL},
	{"node", "require('./x')", "x.js"},
	{"node", "require/**/('./x')", "x.js"},
	{"node", "require /* a */ // b\n ( /* c */ './x' /* d */ )", "x.js"},
	{"node", "require(`./x`)", "x.js"},
	{"node", "const n = 'x'; require(`./${n}`)", "x.js"},
	{"node", "const f = './x'; require(f)", "x.js"},
	{"node", "const f = './odd.txt'; require(f)", "odd.txt"},
	{"node", "['./x'].forEach(require)", "x.js"},
	{"node", "['./odd.txt'].map(f => require(f))", "odd.txt"},
	{"node", "const load = () => { return require }; load()('./odd.txt')", "odd.txt"},
	{"node", "require\n?.('./x')", "x.js"},
	{"node", "r\\u0065quire('./x')", "x.js"},
	{"node", "require('./\\x78')", "x.js"},
	{"node", "module.require('./x')", "x.js"},
	{"node", "require.main.require('./x')", "x.js"},
	{"node", "import('file:///workspace/x.js')", "x.js"},
	{"node", "import('file:///workspace/lib/deep.js')", "lib/deep.js"},
	{"node", "import x from /**/ './x.js'", "x.js"},
	{"node", "require('module').createRequire('/workspace/lib/')('./deep')", "lib/deep.js"},
	{"node", "import { createRequire as c } from 'node:module'; c('/workspace/')('./odd.txt')",
	 "odd.txt"},
	{"node", "require('module')._load('/workspace/odd.txt')", "odd.txt"},
	{"node", "module.constructor._load('./odd.txt')", "odd.txt"},
	{"node", "module.constructor['_load']('./odd.txt')", "odd.txt"},
	{"node", "eval(fs.readFileSync('odd.txt', 'utf8'))", "odd.txt"},
	{"node", "eval /**/ (fs.readFileSync('/workspace/odd.txt', 'utf8'))", "odd.txt"},
	{"node", "(0, eval)(fs.readFileSync('odd.txt', 'utf8'))", "odd.txt"},
	{"node", "const e = eval; e(fs.readFileSync('odd.txt', 'utf8'))", "odd.txt"},
	{"node", "globalThis['eval'](fs.readFileSync('odd.txt', 'utf8'))", "odd.txt"},
	{"node", "module['require']('./odd.txt')", "odd.txt"},
	{"node", "eval?.(fs.readFileSync('odd.txt', 'utf8'))", "odd.txt"},
	{"node", "eval.call(null, fs.readFileSync('odd.txt', 'utf8'))", "odd.txt"},
	{"node", "eval?.call(null, fs.readFileSync('odd.txt', 'utf8'))", "odd.txt"},
	{"node", "eval['call'](null, fs.readFileSync('odd.txt', 'utf8'))", "odd.txt"},
	{"node", "const e = eval.bind(null); e(read('odd.txt'))", "odd.txt"},
	{"node", "const e = eval.call; e(null, read('odd.txt'))", "odd.txt"},
	{"node", "Function.apply(null, [read('odd.txt')])()", "odd.txt"},
	{"node", "Function /**/ . /**/ apply(null, [read('odd.txt')])()", "odd.txt"},
	{"node", "(() => 0).constructor.call(null, read('odd.txt'))()", "odd.txt"},
	{"node", "Function.prototype.go = run; eval.go(read('odd.txt'))", "odd.txt"},
	{"node", "vm.runInThisContext(fs.readFileSync('odd.txt'))", "odd.txt"},
	{"node", "new (require('vm').Script)(fs.readFileSync('odd.txt'))", "odd.txt"},
	{"node", "process.getBuiltinModule('node:vm')[k](read('odd.txt'))", "odd.txt"},
	{"node", "new Function(fs.readFileSync('odd.txt'))()", "odd.txt"},
	{"node", "(() => 0).constructor(fs.readFileSync('odd.txt'))()", "odd.txt"},
	{"node", "const F = (() => 0).constructor; new F(read('odd.txt'))()", "odd.txt"},
	{"node", "const {constructor: F} = f; new F(read('odd.txt'))()", "odd.txt"},
	{"node", "const e = globalThis.eval; e(read('odd.txt'))", "odd.txt"},
	{"node", "eval(read(path.join('below', 'far', 'hidden')))", "below/far/hidden"},
	{"node", "require('/tmp/.././workspace//odd.txt')", "odd.txt"},
	{"node", "require('/proc/1/cwd/odd.txt')", "odd.txt"},
	{"node", "fs.copyFileSync('odd.txt', '/tmp/y.js'); require('/tmp/y.js')", "odd.txt"},
	{"node", "fs.copyFileSync('odd.txt', 'y.js'); import('./y.js')", "odd.txt"},
	{"node", "import('data:text/javascript,' + read('odd.txt'))", "odd.txt"},
	{"node", "new Worker('./x.js')", "x.js"},
	{"node", "const f = 'odd.txt'; new Worker(f)", "odd.txt"},
	{"node", "require('./lib')", "lib/index.js"},
	{"node", "require('pkg')", "node_modules/pkg/src/a.js"},
	{"node", "import 'two'", "node_modules/two/src/b.js"},
	{"node",
	 "const fs = require('fs');\n// We require a table, and eval nothing. See require.\n"
	 "const rows = fs.readFileSync('data.csv', 'utf8').split('\\n');\n"
	 "if (require.main === module) console.log(Buffer.from(rows[0]), eval('1+1'));\n"
	 "module.exports = class { constructor(x) { this.x = x; } };",
	 NULL},
	{"node", "fs.writeFileSync('odd.txt', fs.readFileSync('x.js'))", NULL},
	{"node",
	 "const data = require('./table.json'); console.log('eval.js', data.constructor.name,\n"
	 "Function.prototype.toString, Function.name, this.constructor.prototype, 'data.csv');\n"
	 "// See eval. Then Function.",
	 NULL},
	{"node", "require('./evil.json')", "evil.json.js"},
	{"node", "require('./dir.json')", "dir.json/index.js"},
	{"node", "require('./lib/needs')", "lib/table.json.js"},
	{"node", "require('some.json')", "node_modules/some.json/index.js"},
	{"node", "copy('odd.txt', 'new.json.js'); require('./new.json')", "odd.txt"},
	{"python", "pkgutil.resolve_name('x')", "x.py"},
	{"python", "import pydoc\npydoc.locate('x')", "x.py"},
	{"python", "EntryPoint('a', 'x', 'b').load()", "x.py"},
	{"python", "unittest.TestLoader().loadTestsFromName('x')", "x.py"},
	{"python", "PathFinder.find_spec('x').loader.load_module()", "x.py"},
	{"python", "xml.sax.make_parser(['x'])", "x.py"},
	{"python", "logging.config.dictConfig({'handlers': {'h': {'class': 'x.H'}}})", "x.py"},
	{"python", "import x", "x.py"},
	{"python", "exec(open('odd.txt').read())", "odd.txt"},
	{"python", "f = 'odd.txt'\nwith open(f) as h:\n    exec(h.read())", "odd.txt"},
	{"python", "exec(compile(open('payload').read(), 'p', 'exec'))", "payload"},
	{"python", "import builtins\nbuiltins.exec(open('odd.txt').read())", "odd.txt"},
	{"python", "import builtins as b\nb.exec(open('odd.txt').read())", "odd.txt"},
	{"python", "__builtins__.exec(open('odd.txt').read())", "odd.txt"},
	{"python", "exec(__builtins__.compile(open('odd.txt').read(), 'p', 'exec'))", "odd.txt"},
	{"python", "__builtins__.eval(open('odd.txt').read())", "odd.txt"},
	{"python", "exec.__call__(open('odd.txt').read())", "odd.txt"},
	{"python", "eval.__call__(open('odd.txt').read())", "odd.txt"},
	{"python", "eval(open('odd.txt').read())", "odd.txt"},
	{"python", "run = exec\nrun(open('odd.txt').read())", "odd.txt"},
	{"python", "getattr(builtins, 'exec')(open('odd.txt').read())", "odd.txt"},
	{"python", "exec((Path('below') / 'far' / 'hidden').read_text())", "below/far/hidden"},
	{"python", "import runpy\nrunpy.run_path('odd.txt')", "odd.txt"},
	{"python", "from runpy import run_path as r\nr(n)", "x.py"},
	{"python", "import runpy\nrunpy.run_path(sys.argv[1])", "x.py"},
	{"python", "import runpy\nrunpy.run_module('x')", "x.py"},
	{"python", "import importlib\nimportlib.import_module('x')", "x.py"},
	{"python", "import importlib\nn = 'x'\nimportlib.import_module(n)", "x.py"},
	{"python", "spec_from_file_location('m', '/workspace/odd.txt')", "odd.txt"},
	{"python", "SourceFileLoader('m', 'odd.txt').load_module()", "odd.txt"},
	{"python", "import sys\nsys.path.insert(0, 'below')\nimport y", "below/y.py"},
	{"python", "from sys import path\npath.insert(0, 'below')\nimport y", "below/y.py"},
	{"python", "from sys import *\npath += ['below']\nimport y", "below/y.py"},
	{"python", "from sys import path as p\np.insert(0, 'below')\nimport y", "below/y.py"},
	{"python", "import sys as s\ns.path.insert(0, 'below')\nimport y", "below/y.py"},
	{"python", "getattr(__import__('sys'), 'path')[:0] = ['below']\nimport y", "below/y.py"},
	{"python", "import sys as os\nos.path.insert(0, 'below')\nimport y", "below/y.py"},
	{"python", "import sys\nos = sys\nos.path.insert(0, 'below')\nimport y", "below/y.py"},
	{"python", "import sys as sos\nsos.path.insert(0, 'below')\nimport y", "below/y.py"},
	{"python", "import sys as s\ns . path.insert(0, 'below')\nimport y", "below/y.py"},
	{"python", "import os\nos.chdir('below')\nimport y", "below/y.py"},
	{"python",
	 "import os, sys\npath = os.path.join('below', sys.argv[1])\nprint(open(path), "
	 "'eval.csv')\n"
	 "run('compile.sh')",
	 NULL},
	{"python", "class P:\n    def compile(self, x):\n        return open('data.csv')", NULL},
	{"python",
	 "import re, os\np = re.compile(os.path.join('a', 'b'))\nmodel.eval()\n"
	 "for line in open('data.csv'):\n    print(p.match(line))",
	 NULL},
};

static void make_files(void)
{
	static const char *const dirs[] = {"rules",
					   "w",
					   "w/lib",
					   "w/below",
					   "w/below/far",
					   "w/node_modules",
					   "w/node_modules/pkg",
					   "w/node_modules/pkg/src",
					   "w/node_modules/two",
					   "w/node_modules/two/src",
					   "w/node_modules/tpl",
					   "w/node_modules/loads",
					   "w/dir.json",
					   "w/node_modules/some.json"};
	static const char *const links[][2] = {
		{"below/far", "w/l"}, {"/etc", "w/out"}, {"x.js", "w/link.json"}};
	char path[128];

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		scratch_dir(dirs[i]);
	scratch_file("rules/one.yaml", rule, 0644);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "w/%s", files[i].path);
		scratch_file(path, files[i].text, 0644);
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		scratch_must(symlink(links[i][0], links[i][1]) == 0, links[i][1]);
}

static struct gate g;
static struct blueprint bp;

static void look_text(const char *lang, const char *code, size_t len)
{
	struct err err = {0};

	look_done(&g.look);
	arena_done(&g.arena);
	g.arena = (struct arena){0};
	g.look.text = calloc(1, sizeof(*g.look.text));
	scratch_must(g.look.text, "memory");
	g.look.text[0] = (struct origin_text){.data = code, .len = len};
	g.look.textc = g.look.ownc = 1;
	bp.profile = profile_find(lang);
	scratch_must(gate_scan_modules(&g, &err) == 0, err.message);
}

static void look(const char *lang, const char *code)
{
	look_text(lang, code, strlen(code));
}

static const struct {
	const char *code, *path;
	bool takes;
} foreign[] = {
	/* What a package makes code of is no table that the program reads. */
	{"require('tpl')(fs.readFileSync('data.csv'))", "node_modules/tpl/index.js", true},
	{"require('tpl')(fs.readFileSync('data.csv'))", "data.csv", false},
	{"require('tpl')(fs.readFileSync('data.csv'))", "x.js", false},
	{"require('loads')(name)", "node_modules/loads/index.js", true},
	{"require('loads')(name)", "x.js", false},
};

static bool has(const char *path)
{
	for (size_t i = 0; i < g.modulec; i++)
		if (strcmp(g.module[i], path) == 0)
			return true;
	return false;
}

static bool names_only_files(void)
{
	char path[1024];
	struct stat st;

	for (size_t i = 0; i < g.modulec; i++) {
		snprintf(path, sizeof(path), "w/%s", g.module[i]);
		if (strstr(path, "..") || lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
			return false;
	}
	return g.modulec <= GATE_MODULES_MAX;
}

/* Anything at all, without a NUL behind it: nothing is read that is not there. */
static void look_at_random(void)
{
	static const char *const pieces[] = {"require",	 "import",
					     "from",	 " ",
					     "(",	 ")",
					     "'",	 "\"",
					     "`",	 "./x",
					     "x.js",	 "/*",
					     "*/",	 "//",
					     "\n",	 "\\u0065",
					     "\\",	 "eval",
					     "${",	 "}",
					     ".",	 "?.",
					     "[",	 ",",
					     "bash",	 "-c",
					     "-o",	 "source",
					     "$(",	 "<",
					     "<(",	 "x.sh",
					     "cd lib",	 "..",
					     "/",	 "exec(",
					     "run_path", "lib",
					     "as",	 "*",
					     "\xc3",	 "\\777",
					     "file://",	 "--",
					     "=",	 "alias ",
					     "trap ",	 "\\u{110000}",
					     "Function", ".constructor",
					     "sys.path", "import_module"};
	static const char *const langs[] = {"bash", "node", "python"};
	char code[1024];
	bool good = true;

	for (int i = 0; i < 6000; i++) {
		size_t len = 0;
		for (long n = random() % 40; n > 0; n--)
			len += (size_t)sprintf(
				code + len, "%s",
				pieces[random() % (sizeof(pieces) / sizeof(pieces[0]))]);
		char *exact = malloc(len + !len);
		scratch_must(exact, "memory");
		memcpy(exact, code, len);
		look_text(langs[i % 3], exact, len);
		good &= names_only_files();
		free(exact);
	}
	ok(good, "texts of random words are read, and name nothing but files");
}

/* Each word of them could be read to the end of the text: then this would not end in minutes. */
/* An archive is not looked into, and that is told. */
static const struct {
	const char *lang, *code;
	bool more;
} archives[] = {
	{"python", "import sys\nsys.path.insert(0, '/workspace/lib.zip')\nimport zmod", true},
	{"python", "import sys\nsys.path.append('lib.egg')\nimport zmod", true},
	{"python", "import sys\nsys.path.insert(0, 'lib')\nimport zmod", false},
	{"python", "import os\nos.path.join('a', 'lib.zip')", false},
};

static const struct {
	const char *lang, *piece;
	bool takes, more; /* what is told of a text that is too long to be read so */
} endless[] = {
	{"node", "from\n//", true, false},
	{"node", "eval\n//", true, false},
	{"node", "require(//\n(//", true, false},
	{"node", "from'x',/**/'x',//\n", true, true},
	{"python", "from x import (\n#", false, true},
	{"python", "from x import (x,\n#", false, true},
	{"python", "import.", false, true},
	{"python", "from.", false, true},
	{"python", "exec(", true, false},
	{"python", "from . import x\n", false, true},
	{"python", "chdir ", false, false},
	{"python", "sys.path ", false, false},
	{"node", ").load(", false, false},
	{"bash", "sh aaaaaaaaaaaaaaaa . ", true, false},
	{"python", "from below import *\n", false, true},
	{"node", "eval(x);a/a/a/a/../a/../a/../a/../a/../a/../a/../a/../a ", true, true},
	{"bash", "sh ", true, false},
	{"bash", ". $(sh ", true, false},
	{"bash", "eval sh ", false, false},
};

static void look_at_endless(void)
{
	enum { SIZE = 1 << 20 };
	char *code = malloc(SIZE);

	scratch_must(code, "memory");
	for (size_t i = 0; i < sizeof(endless) / sizeof(endless[0]); i++) {
		size_t len = strlen(endless[i].piece);
		for (size_t at = 0; at < SIZE; at++)
			code[at] = endless[i].piece[at % len];
		look_text(endless[i].lang, code, SIZE);
		bool takes = has("x.js") || has("x.sh") || has("x.py");
		ok(names_only_files() && (!endless[i].takes || takes) &&
			   (!endless[i].more || g.unread_modules),
		   "%s: 1 MB of one piece, %zu", endless[i].lang, i);
	}
	free(code);
}

/* Of these it is told that nobody knows what runs. */
static const struct {
	const char *lang, *code, *path;
	bool more;
} unknown[] = {
	{"bash", ". l/../x.sh", "x.sh", true},
	{"bash", ". /workspace/l/../x.sh", "x.sh", true},
	{"bash", ". ../workspace/./l/../x.sh", "x.sh", true},
	{"bash", ". /proc/self/cwd/l/../x.sh", "x.sh", true},
	{"bash", ". below/../x.sh", "x.sh", false},
	{"bash", ". /workspace/below/far/../../x.sh", "x.sh", false},
	{"bash", "ln -s below/far new; . new/../y.sh; cat below/y.sh", "below/y.sh", false},
	{"python", "exec(open('l/../x.py').read())", "x.py", true},
	{"python", "exec(open('l/hidden').read())", "x.py", true},
	{"python", "exec(open('out/passwd').read())", "x.py", true},
	{"node", "require('./link.json')", NULL, true},
};

/* A path of LEN bytes behind PREFIX that means "payload". */
static void look_along(const char *prefix, size_t len)
{
	char code[2048];
	size_t at = (size_t)snprintf(code, sizeof(code), ". %s", prefix), end = 2 + len;

	while (at + 2 + strlen("payload") <= end)
		at += (size_t)sprintf(code + at, "./");
	while (at + strlen("payload") < end)
		code[at++] = '/';
	strcpy(code + at, "payload");
	look("bash", code);
}

static void look_at_unknown(void)
{
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		look(unknown[i].lang, unknown[i].code);
		ok((!unknown[i].path || has(unknown[i].path)) &&
			   g.unread_modules == unknown[i].more,
		   "%s: %s", unknown[i].lang, unknown[i].code);
	}
	look_along("/workspace/", 256);
	ok(has("payload") && !g.unread_modules, "a path that is as long as one may be");
	look_along("/workspace/", 257);
	ok(g.unread_modules, "one that is longer");
	look_along("/workspace/", 600);
	ok(g.unread_modules, "one that is much longer");
	look_along("$PWD/", 400);
	ok(g.unread_modules, "the same behind what is computed");
}

/* COUNT words, then three: the last is a file's name. */
static void look_after(size_t count)
{
	char *code = malloc(2 * count + 64);

	scratch_must(code, "memory");
	for (size_t i = 0; i < count; i++)
		memcpy(code + 2 * i, "q ", 2);
	strcpy(code + 2 * count, "\neval(open(payload))");
	look("python", code);
	free(code);
}

/* Variables, and what is no text. */
static void look_at_others(struct request *req)
{
	/* Of its exact size, so that a sanitizer sees a read past the end. */
	char *variable = strdup("E=1");
	scratch_must(variable, "memory");
	req->env[req->envc++] = variable;
	look("bash", "ls");
	ok(!g.modulec && !g.unread_modules,
	   "a variable that is shorter than the one that names a file");
	req->envc = 0;
	free(variable);
	for (size_t i = 0; i < sizeof(archives) / sizeof(archives[0]); i++) {
		look(archives[i].lang, archives[i].code);
		ok(g.unread_modules == archives[i].more, "%s: an archive, %zu", archives[i].lang,
		   i);
	}
	req->env[req->envc++] = "PYTHONPATH=/workspace/lib.zip";
	look("python", "import zmod");
	ok(g.unread_modules, "an archive where Python looks for modules");
	req->envc = 0;
}

int main(void)
{
	const char *dir = scratch_enter();
	struct request req;
	struct err err = {0};

	make_files();
	request_init(&req);
	req.rules[0] = "rules";
	req.rulesc = 1;
	req.workspace = "w";
	g.req = &req;
	g.bp = &bp;
	scratch_must(stat("w", &g.workspace) == 0, "w");
	scratch_must(gate_rules(&g, &err) == 0, err.message);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		look(rows[i].lang, rows[i].code);
		bool good = rows[i].path ? has(rows[i].path) : !g.modulec && !g.unread_modules;
		char line[128];
		snprintf(line, sizeof(line), "%s", rows[i].code);
		for (char *c = line; *c; c++)
			*c = *c == '\n' || *c == '#' ? ' ' : *c;
		ok(good, "%s: %s", rows[i].lang, line);
		for (size_t n = 0; !good && n < g.modulec; n++)
			printf("#   %s\n", g.module[n]);
	}
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		look("node", foreign[i].code);
		ok(has(foreign[i].path) == foreign[i].takes && !g.unread_modules,
		   "a package that makes code, and %s", foreign[i].path);
	}
	look_at_others(&req);
	look_at_unknown();
	look_at_endless();
	for (int i = 0; i < GATE_MODULES_MAX; i++) {
		char path[64];
		snprintf(path, sizeof(path), "w/node_modules/tpl/m%d.js", i);
		scratch_file(path, "1;\n", 0644);
	}
	look("node", "eval(read(n))");
	ok(has("x.js") && g.unread_modules, "of many scripts those of others come last");
	look_after(GATE_WORDS_MAX - 3);
	ok(has("payload") && !g.unread_modules, "as many words as are tried");
	look_after(GATE_WORDS_MAX - 2);
	ok(!has("payload") && g.unread_modules, "one more, and nobody knows what runs");
	look_at_random();
	look_done(&g.look);
	packs_done(&g.rules);
	arena_done(&g.arena);
	scratch_leave(dir);
	return tap_done();
}
