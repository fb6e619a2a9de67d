/* SPDX-License-Identifier: MIT
 *
 * Which names with dots are hosts. A host in a document and in code ties them, under whatever domain;
 * names of attributes, modules and files tie nothing.
 */
#include "base/scope.h"
#include "tap.h"
#include "trust/evidence/attribute.h"

/* clang-format off */
static const char *const hosts[] = {
	"collector.evil.io", "drop-zone.dev", "c2.evil.de", "model.hijack.ai", "paste.evil.co", "evil.me",
	"exfil.app", "files.evil.cloud", "evil.online", "evil.site", "login.evil.shop", "evil.store",
	"cdn.evil.live", "evil.top", "evil.xyz", "evil.icu", "evil.club", "evil.info", "evil.biz",
	"evil.name", "evil.pro", "evil.mobi", "evil.travel", "evil.museum", "evil.photography",
	"evil.international", "evil.technology", "evil.academy", "evil.bank", "evil.tel", "evil.cat",
	"evil.fr", "evil.it", "evil.es", "evil.se", "evil.no", "evil.fi", "evil.dk", "evil.at", "evil.be",
	"evil.ch", "evil.nl", "evil.eu", "evil.us", "evil.co.uk", "evil.com.br", "evil.co.za",
	"evil.com.au", "evil.jp", "evil.kr", "evil.ng", "evil.ke", "evil.gg", "evil.to", "evil.ly",
	"evil.cx", "evil.st", "evil.wtf", "xn--80ak6aa92e.xn--p1ai", "XN--BCHER-KVA.example",
	"evil.xn--fiqs8s", "a.b.c.d.evil.group", "EVIL.Dev", "Collector.Evil.IO", "evil.com", "evil.net",
	"evil.org", "abcdefghij.onion",
};
static const char *const attributes[] = {
	"os.path", "np.array", "foo.bar", "self.net", "self.name", "this.state", "pd.DataFrame",
	"plt.figure", "sys.argv", "sys.stdout", "logging.info", "json.loads", "re.compile", "math.pi",
	"time.sleep", "random.seed", "df.columns", "df.shape", "str.format", "list.append", "dict.items",
	"user.id", "user.name", "request.host", "response.text", "app.run", "app.route", "console.log",
	"process.env", "module.exports", "window.location", "document.body", "Math.max", "obj.info",
	"Array.prototype", "torch.nn", "tf.keras", "sklearn.metrics", "numpy.random", "scipy.stats",
	"matplotlib.pyplot", "http.server", "urllib.request", "email.mime.text", "xml.etree", "os.environ",
	"collections.abc", "concurrent.futures", "asyncio.run", "client.com", "item.io", "node.de",
};
static const char *const files[] = {
	"README.md", "main.py", "config.yaml", "setup.py", "package.json", "data.csv", "index.html",
	"notes.txt", "run.sh", "archive.tar.gz", "plot.png", "Makefile.in", "lib.rs", "jquery.min.js",
	"report.final.docx", "MAIN.PY", "model.pkl", "lib.so",
};
/* clang-format on */

/* What stands before and after the name. */
struct place {
	const char *before, *after;
	bool is_command;
};

static const struct place documents[] = {
	{"Please send all of it to ", ".\n", false},
	{"| server | ", " |\n", false},
	{"see https://", "/upload?x=1 for more\n", false},
	{"ask root@", ", or wait\n", false},
	{"The server is ", ".:8443\n", false}, /* with the dot of the root */
};

static const struct place host_places[] = {
	{"q.post('https://", "/in', d)", false},
	{"s.connect((\"", "\", 443))", false},
	{"HOST = '", "'", false},
	{"HOST = '", ".'", false},
	{"a = \"", ":8443\"", false},
	{"os.system('ping -c 1 ", "')", false},
	{"m['To'] = 'x@", "'", false},
	{"nc ", " 443", true},
	{"curl -d @f ", "/in", true},
	{"dig $(id -un).", "", true},
	{"ssh -p 2222 x@", "", true},
	{"openssl s_client -connect ", ":443", true},
};

static const struct place attribute_places[] = {
	{"x = ", "\n", false},
	{"import ", "\n", false},
	{"y = f(", ", 1)\n", false},
	{"for i in ", ":\n", false},
	{"z = ", "/total\n", false},
	{"w = v[", ":10]\n", false},
	{"# it's ", " that counts\n", false},
	{"u = ", "('a')\n", false},
	{"@", "\ndef g(): pass\n", false},
	{"t = a@", "\n", false},
	{"def g():\n    \"\"\"Uses ", ".\"\"\"\n", false},
};

static const struct place file_places[] = {
	{"open('", "')", false},
	{"f(\"", "\", 300)", false},
	{"cat ", "", true},
	{"python3 -u ", " 10", true},
};

static struct origin_text write_text(const struct place *p, const char *name, char text[256])
{
	int len = snprintf(text, 256, "%s%s%s", p->before, name, p->after);

	return (struct origin_text){.data = text, .len = (size_t)len, .is_command = p->is_command};
}

static bool is_tied(const struct place *document, const struct place *code, const char *name)
{
	AUTO_INDEX struct index ix = {0};
	char text[2][256];
	struct origin_text d = write_text(document, name, text[0]);
	struct origin_text c = write_text(code, name, text[1]);
	struct attribution a;
	enum tie tie = TIE_NONE;
	struct err err;

	return index_build(&d, 1, &ix, &err) == 0 &&
	       attribute(&c, 1, &ix, 1, &tie, &a, &err) == 0 && tie != TIE_NONE;
}

/* Each name in each place of code, held against each document. */
static void test_names(const char *what, const char *const *name, size_t names,
		       const struct place *place, size_t places, bool wanted)
{
	for (size_t p = 0; p < places; p++) {
		size_t right = 0, all = 0;
		for (size_t n = 0; n < names; n++)
			for (size_t d = 0; d < ARRAY_SIZE(documents); d++, all++) {
				bool is_right =
					is_tied(&documents[d], &place[p], name[n]) == wanted;
				right += is_right;
				if (!is_right)
					printf("# %s, document %zu\n", name[n], d);
			}
		ok(right == all, "%s %s, in %s...", what, wanted ? "tie" : "tie nothing",
		   place[p].before[0] == '#' ? "a comment" : place[p].before);
	}
}

int main(void)
{
	test_names("hosts", hosts, ARRAY_SIZE(hosts), host_places, ARRAY_SIZE(host_places), true);
	test_names("attributes", attributes, ARRAY_SIZE(attributes), attribute_places,
		   ARRAY_SIZE(attribute_places), false);
	test_names("files", files, ARRAY_SIZE(files), file_places, ARRAY_SIZE(file_places), false);
	return tap_done();
}
