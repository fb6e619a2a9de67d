/* SPDX-License-Identifier: MIT
 *
 * What is plain of the facts that the reader tells of a Python program: row by row, and everything
 * that is no fact is not plain. tests/cli/plan.bats has the same from the program's text on.
 */
#include "flow/plain.h"

#include <stdlib.h>

#include "base/scope.h"
#include "flow/plain_table.h"

#define JUDGE plain_python
#include "uses.h"

static void test_plain(void)
{
	static const char *const rows[] = {
		"",
		"1 iv csv\n1 mk csv.reader\n",
		"1 iv os\n2 mk os.path.join\n",
		"1 fv os.path\n2 mk os.path.exists\n",
		"1 iv numpy\n2 mk numpy.random.default_rng\n3 mv numpy.ndarray\n",
		"1 iv numpy\n2 mk numpy.add.reduce\n",
		"1 iv pandas\n2 ac query\n",
		"1 fv operator.attrgetter\n2 mc operator.attrgetter\n",
		"1 iv sys\n2 ms sys.stdout\n",
		"1 mg os.environ\n2 mb os.environ.get\n3 ms os.environ.TZ\n4 mc os.getenv\n",
		"1 nv print\n1 nv ValueError\n",
		"1 iv subprocess\n2 ml subprocess.run\n2 pv /usr/bin/wc\n",
		"1 pv env\n", /* a list of words, and nobody starts a program */
		"1 av __name__\n1 ov _mine\n1 ov __mine\n",
		"1 iv acme\n2 mv acme\n", /* unknown: flow/makes_code.h */
		"1 iv pandas\n2 at agg\n3 aa agg\n4 ac apply\n5 wt aggfunc\n",
		"1 ak agg\n2 wv func\n", /* no table */
		"1 iv matplotlib\n2 mA pandas.set_option\n3 ma matplotlib.rc\n",
		"1 ms matplotlib.rcParams.?\n2 ma matplotlib.pyplot.rcParams.update\n",
	};

	are_plain(rows, ARRAY_SIZE(rows));
}

static void test_packages(void)
{
	static const struct row rows[] = {
		{"1 iv pandas\n2 ak agg\n", "agg gets what may be a name"},
		{"1 iv pandas.io\n2 ol apply\n", "apply gets what may be a name"},
		{"1 mk pandas.DataFrame.agg\n", "agg gets what may be a name"},
		{"1 mv numpy.load\n", "is on no list"},
		{"1 mA numpy.ndarray\n", "is made of raw memory"},
		{"1 mk matplotlib.pyplot.np.zeros\n", "is on no list"},
		{"1 mk matplotlib.pyplot.Figure.np.load\n", "is on no list"},
		{"1 fv pandas.io.common\n", "is on no list"},
		{"1 iv pandas\n2 wv aggfunc\n", "aggfunc gets what may be a name"},
		{"1 mb pandas.set_option\n", "is not called with constants first"},
		{"1 ms pandas.options.plotting.backend\n", "is on no list"},
		{"1 mc matplotlib.rc\n", "is not called with constants first"},
		{"1 ma matplotlib.rc_file\n", "is on no list"},
		{"1 mk matplotlib.style.use\n", "is not called with constants first"},
		{"1 me matplotlib.pyplot.rcParams\n", "gets what is computed"},
		{"1 mv matplotlib.rcParams\n", "is handed on"},
		{"1 mk matplotlib.rcParams.update\n", "is not called with constants first"},
		{"1 mA subprocess.run\n", "is not called with a program that is constant"},
		{"1 mk functools.update_wrapper\n", "is on no list"},
		{"1 ak from_custom_template\n", "is on no list"},
	};

	are_not_plain(rows, ARRAY_SIZE(rows));
}

static void test_not_plain(void)
{
	static const struct row rows[] = {
		{"3 mv os\n", "line 3: os is a module, handed on"},
		{"1 mv os.path\n", "os.path is a module, handed on"},
		{"1 mk os.execv\n", "os.execv is on no list of what is plain"},
		{"1 mk os.system\n", "os.system is not called with constants first"},
		{"1 mv subprocess.run\n", "is not called with a program that is constant"},
		{"1 mk subprocess.run\n", "is not called with a program that is constant"},
		{"1 iv subprocess\n2 ml subprocess.run\n2 pv /usr/bin/env\n",
		 "line 2: /usr/bin/env may start what it is given"},
		{"1 iv subprocess\n2 mb subprocess.Popen\n", "is not called with a program"},
		{"1 me os.environ\n", "gets what is computed"},
		{"1 mv os.environ\n", "os.environ is handed on"},
		{"1 mk os.environ.copy\n", "is on no list"},
		{"1 mk os.environ.get\n", "is not called with constants first"},
		{"1 mk os.getenv\n", "is not called with constants first"},
		{"1 wv env\n", "is no plain keyword"},
		{"1 ok system\n", "system is on no list"},
		{"1 mk string.Formatter\n", "string.Formatter is on no list"},
		{"1 iv xml.dom.minidom\n", "is on no list"},
		{"1 ms os.environ.LD_PRELOAD\n", "says where code comes from"},
		{"1 mk os.environ.update\n", "is on no list"},
		{"1 mv logging.sys.path\n", "is on no list"},
		{"1 fv importlib.metadata.entry_points\n", "is on no list"},
		{"1 mk importlib.import_module\n", "is on no list"},
		{"1 mk pandas.io.pickle.read\n", "is on no list"},
		{"1 iv numpy.distutils.core\n", "is on no list"},
		{"1 mb numpy.lib.format.read_array\n", "is on no list"},
		{"1 mv dataclasses.types.FunctionType\n", "is on no list"},
		{"1 ak query\n", "is not called with constants first"},
		{"1 av query\n", "is not called with constants first"},
		{"1 nk vars\n", "line 1: vars is on no list of what is plain"},
		{"1 nv getattr\n", "is on no list"},
		{"1 nv __builtins__\n", "is on no list"},
		{"1 nv nobody\n", "is on no list"},
		{"1 *v math\n", "gives names that nobody reads"},
		{"1 av __annotations__\n", "is on no list"},
		{"1 ov tb_frame\n", "is on no list"},
		{"1 av __subclasses__\n", "is on no list"},
		{"1 ov __dict__\n", "is on no list"},
		{"1 av _theirs\n", "is on no list"},
		{"1 av tb_frame\n", "is on no list"},
		{"1 wv allow_pickle\n", "is no plain keyword"},
		{"1 xv an import in a class\n", "an import in a class is not plain"},
		{"1 zv new\n", "is nothing that anybody knows"},
		{NULL, "nobody could read"},
		{"x", "nobody could read"},
		{"1 nv\n", "nobody could read"},
		{"1 nv \n", "nobody could read"},
		{"1 n print\n", "nobody could read"},
		{"nv print\n", "nobody could read"},
	};

	are_not_plain(rows, ARRAY_SIZE(rows));
}

/* The longest name, and one more. */
static void test_maxima(void)
{
	enum { NAME = 511 };
	char text[2 * NAME];
	int at = snprintf(text, sizeof(text), "1 av ");

	memset(text + at, 'a', NAME);
	strcpy(text + at + NAME, "\n");
	ok(is_plain(text), "the longest name");
	strcpy(text + at + NAME, "a\n");
	ok(!is_plain(text), "one that is longer");
}

/* A word that no row could mean is a mistake in a table. */
static void test_tables(void)
{
	bool good = true;

	for (size_t i = 0; i < plain_rowc; i++) {
		const struct plain_row *r = &plain_rows[i];
		const char *const lists[] = {r->names, r->called, r->first};
		for (size_t l = 0; l < ARRAY_SIZE(lists); l++)
			good &= !lists[l] || (!strchr(lists[l], '.') && !strstr(lists[l], "  "));
	}
	ok(good, "names in the tables are single ones");
	ok(plain_has_module("csv", 3) && !plain_has_module("pickle", 6) &&
		   !plain_has_module("tracemalloc", 11) && !plain_has_module("markdown", 8) &&
		   !plain_has_module("cs", 2),
	   "modules are found by their whole name");
}

int main(void)
{
	test_plain();
	test_not_plain();
	test_packages();
	test_maxima();
	test_tables();
	return tap_done();
}
