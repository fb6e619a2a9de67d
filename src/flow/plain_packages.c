/* SPDX-License-Identifier: MIT
 *
 * See plain_table.h: the rows of packages that are not Python's own. Three are so large, and so much of
 * what data work asks for, that everything public of them is plain but what was found to load or run
 * something; of all others it is what is listed.
 */
#include "base/scope.h"
#include "flow/plain_table.h"

const struct plain_row plain_packages[] = {
	{"matplotlib", PLAIN_BUT,
	 "RcParams backend backends backend_bases rcParamsDefault rcParamsOrig rc_file "
	 "rc_params_from_file rcsetup testing",
	 NULL, "context use switch_backend"},
	{"matplotlib.rcParams matplotlib.pyplot.rcParams", PLAIN_OBJECT, "copy get items keys",
	 NULL, "update"},
	{"numpy", PLAIN_BUT,
	 "bmat compat core ctypeslib distutils f2py info lib loads lookfor npyio "
	 "rundocs runstring measure safe_eval source",
	 NULL, NULL},
	{"pandas", PLAIN_BUT,
	 "HDFStore backend compat computation core eval pytables "
	 "read_clipboard read_hdf read_pickle",
	 NULL, NULL},
	/* Packages: what data work asks of them */
	{"bs4", PLAIN_ONLY, "BeautifulSoup Comment NavigableString Tag", NULL, NULL},
	{"dateutil", PLAIN_ONLY, "parser relativedelta", NULL, NULL},
	{"dateutil.parser", PLAIN_ONLY, "ParserError isoparse parse", NULL, NULL},
	{"dateutil.relativedelta", PLAIN_ONLY, "FR MO SA SU TH TU WE relativedelta", NULL, NULL},
	{"openpyxl", PLAIN_ONLY, "Workbook load_workbook", NULL, NULL},
	{"requests", PLAIN_ONLY,
	 "ConnectionError HTTPError RequestException Response Session Timeout codes delete "
	 "exceptions get head options patch post put request",
	 NULL, NULL},
	{"requests.exceptions", PLAIN_ONLY, "ConnectionError HTTPError RequestException Timeout",
	 NULL, NULL},
	{"tabulate", PLAIN_ONLY, "tabulate", NULL, NULL},
	{"tqdm", PLAIN_ONLY, "auto tqdm trange", NULL, NULL},
	{"tqdm.auto", PLAIN_ONLY, "tqdm trange", NULL, NULL},
	{"statsmodels", PLAIN_ONLY, "formula", NULL, NULL},
	{"statsmodels.formula", PLAIN_ONLY, "api", NULL, NULL},
	{"statsmodels.formula.api", PLAIN_ONLY, "", NULL,
	 "gee glm glmgam gls glsar logit mixedlm mnlogit negativebinomial ols phreg poisson "
	 "probit quantreg rlm wls"},
	{"yaml", PLAIN_ONLY,
	 "safe_load safe_load_all safe_dump safe_dump_all dump dump_all YAMLError "
	 "MarkedYAMLError SafeLoader CSafeLoader BaseLoader CBaseLoader SafeDumper CSafeDumper "
	 "Dumper CDumper scanner parser error compose scan parse emit serialize __version__ "
	 "__with_libyaml__",
	 NULL, NULL},
};
const size_t plain_packagec = ARRAY_SIZE(plain_packages);
