/* SPDX-License-Identifier: MIT
 *
 * See plain_table.h. A module whose public names all hand over data is a word of the first row; one
 * that also does something else has a row with what it does, or does not. That a module is reached
 * through another one that happens to have it (logging.sys) is not plain: plain_not_attribute has
 * their names. A row for a.b is asked before one for a.
 */
#include "flow/plain_table.h"

#include "base/scope.h"

const struct plain_row plain_rows[] = {
	/* Python's own, whole; then well-known packages */
	{"__future__ abc argparse array ast atexit base64 binascii bisect bz2 calendar cmath "
	 "codecs collections colorsys configparser contextlib contextvars copy csv "
	 "dataclasses datetime dbm decimal difflib email encodings enum errno faulthandler "
	 "filecmp fileinput fnmatch fractions ftplib functools getopt getpass gettext glob "
	 "graphlib gzip hashlib heapq hmac html io ipaddress itertools json keyword "
	 "linecache locale lzma mailbox math mimetypes netrc numbers optparse os.path "
	 "platform plistlib pprint pyexpat queue quopri random re reprlib sched secrets "
	 "select selectors shlex signal smtplib socket sqlite3 ssl stat statistics string "
	 "stringprep struct sysconfig tarfile tempfile textwrap threading time token "
	 "tokenize tomllib traceback tracemalloc unicodedata urllib uuid warnings wave "
	 "weakref xml zipfile zlib zoneinfo "
	 "altair attr attrs bs4 certifi chardet charset_normalizer dateutil docx geopandas "
	 "html5lib "
	 "httpx idna lxml markdown mpl_toolkits msgpack openpyxl orjson plotly pypdf pytz "
	 "requests rich scipy seaborn shapely simplejson tabulate tomli tqdm "
	 "typing_extensions tzdata ujson urllib3 xlrd xlsxwriter",
	 PLAIN_BUT, "make_parser getDOMImplementation ForwardRef get_type_hints", NULL, NULL},
	{"os", PLAIN_ONLY,
	 "path environ environb getenv sep altsep extsep pathsep linesep curdir pardir name "
	 "devnull error PathLike DirEntry fspath fsencode fsdecode stat_result "
	 "access chdir chmod chown close closerange copy_file_range dup dup2 fchdir fchmod "
	 "fchown fdatasync fdopen fstat fstatvfs fsync ftruncate get_blocking getcwd "
	 "getcwdb get_terminal_size terminal_size isatty lchown link listdir listxattr lseek "
	 "lstat makedirs mkdir mkfifo open openpty pathconf pipe pipe2 posix_fadvise "
	 "posix_fallocate pread preadv pwrite pwritev read readlink readv remove removedirs "
	 "removexattr rename renames replace rmdir scandir sendfile set_blocking setxattr "
	 "getxattr stat statvfs symlink sync truncate umask uname unlink utime walk fwalk "
	 "write writev F_OK R_OK W_OK X_OK O_* SEEK_* SCHED_* "
	 "_exit abort kill killpg fork wait waitpid WEXITSTATUS WIFEXITED WIFSIGNALED "
	 "WTERMSIG WNOHANG EX_* nice cpu_count process_cpu_count getloadavg getegid geteuid "
	 "getgid getgroups getlogin getpgid getpgrp getpid getppid getpriority getsid "
	 "getuid getrandom urandom sched_getaffinity sched_setaffinity sched_yield setsid "
	 "P_* times sysconf sysconf_names confstr strerror supports_fd "
	 "supports_dir_fd supports_follow_symlinks register_at_fork",
	 NULL, "system popen"},
	/* What is set there, what it starts will be told. */
	{"os.environ os.environb", PLAIN_OBJECT, "get items keys values copy pop", NULL,
	 "setdefault"},
	{"sys", PLAIN_ONLY,
	 "argv orig_argv stdin stdout stderr __stdin__ __stdout__ __stderr__ exit exc_info "
	 "exception excepthook __excepthook__ unraisablehook displayhook last_value "
	 "version version_info hexversion api_version copyright platform implementation "
	 "byteorder maxsize maxunicode float_info float_repr_style int_info hash_info "
	 "thread_info flags executable prefix base_prefix exec_prefix base_exec_prefix "
	 "getsizeof getrefcount getrecursionlimit setrecursionlimit getdefaultencoding "
	 "getfilesystemencoding getfilesystemencodeerrors getswitchinterval "
	 "setswitchinterval intern is_finalizing set_int_max_str_digits "
	 "get_int_max_str_digits stdlib_module_names builtin_module_names ps1 ps2 "
	 "getwindowsversion tracebacklimit dont_write_bytecode",
	 NULL, NULL},
	{"subprocess", PLAIN_ONLY,
	 "PIPE DEVNULL STDOUT CalledProcessError CompletedProcess SubprocessError "
	 "TimeoutExpired list2cmdline",
	 "run call check_call check_output Popen", "getoutput getstatusoutput"},
	{"importlib", PLAIN_ONLY, "metadata", NULL, NULL},
	{"importlib.metadata", PLAIN_ONLY,
	 "version metadata requires packages_distributions PackageNotFoundError", NULL, NULL},
	{"inspect", PLAIN_ONLY,
	 "signature Signature Parameter cleandoc getdoc getcomments getsource getsourcelines "
	 "getsourcefile getfile isabstract isasyncgen isasyncgenfunction isawaitable isbuiltin "
	 "isclass iscoroutine iscoroutinefunction isfunction isgenerator isgeneratorfunction "
	 "ismethod ismodule isroutine",
	 NULL, NULL},
	{"types", PLAIN_ONLY,
	 "SimpleNamespace MappingProxyType NoneType NotImplementedType EllipsisType "
	 "GenericAlias UnionType GeneratorType CoroutineType AsyncGeneratorType "
	 "BuiltinFunctionType BuiltinMethodType MethodType LambdaType TracebackType "
	 "DynamicClassAttribute coroutine",
	 NULL, NULL},
	{"typing", PLAIN_BUT, "get_type_hints ForwardRef evaluate_forward_ref", NULL, NULL},
	{"gc", PLAIN_ONLY,
	 "collect disable enable freeze unfreeze get_count get_stats get_threshold "
	 "isenabled set_threshold",
	 NULL, NULL},
	{"operator", PLAIN_BUT, "", NULL, "attrgetter methodcaller"},
	{"pathlib", PLAIN_ONLY,
	 "Path PosixPath WindowsPath PurePath PurePosixPath PureWindowsPath "
	 "UnsupportedOperation",
	 NULL, NULL},
	{"shutil", PLAIN_BUT, "register_archive_format register_unpack_format", NULL, NULL},
	{"logging", PLAIN_BUT, "config Manager", NULL, NULL},
	{"asyncio", PLAIN_BUT,
	 "base_events base_subprocess create_subprocess_* unix_events windows_utils", NULL, NULL},
	{"concurrent", PLAIN_BUT, "process", NULL, NULL},
	{"http", PLAIN_BUT, "CGIHTTPRequestHandler", NULL, NULL},
	{"xmlrpc", PLAIN_BUT, "server", NULL, NULL},
	{"matplotlib", PLAIN_BUT, "backend backends backend_bases testing", NULL,
	 "use switch_backend"},
	{"networkx", PLAIN_BUT, "read_gpickle read_yaml gpickle", NULL, NULL},
	{"numpy", PLAIN_BUT,
	 "bmat compat core ctypeslib distutils f2py loads lookfor npyio "
	 "rundocs runstring measure safe_eval source",
	 NULL, NULL},
	{"pandas", PLAIN_BUT,
	 "HDFStore compat computation core eval pytables "
	 "read_clipboard read_hdf read_pickle",
	 NULL, NULL},
	{"PIL", PLAIN_BUT, "ImageMath ImageShow ImageGrab EpsImagePlugin", NULL, NULL},
	{"polars", PLAIN_BUT, "deserialize", NULL, NULL},
	{"psutil", PLAIN_BUT, "Popen", NULL, NULL},
	{"pyarrow", PLAIN_BUT,
	 "PyExtensionType cffi cuda deserialize* jvm plasma read_serialized serialization", NULL,
	 NULL},
	{"pydantic", PLAIN_BUT, "ImportString PyObject v1 utils", NULL, NULL},
	{"six", PLAIN_BUT, "exec_ moves", NULL, NULL},
	{"sklearn", PLAIN_BUT, "externals fetch_* joblib", NULL, NULL},
	{"statsmodels", PLAIN_BUT, "formula load load_pickle patsy smpickle", NULL, NULL},
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
const size_t plain_rowc = ARRAY_SIZE(plain_rows);

/* What begins with a capital is an exception or a constant. The last are names of Python 2, which
 * programs for both ask for. */
const char plain_builtins[] =
	"abs aiter all anext any ascii bin bool bytearray bytes callable chr classmethod "
	"complex copyright credits dict dir divmod enumerate exit filter float format "
	"frozenset hasattr hash hex id input int isinstance issubclass iter len license list "
	"map max memoryview min next object oct open ord pow print property quit range repr "
	"reversed round set slice sorted staticmethod str sum super tuple type zip "
	"__name__ __file__ __doc__ __debug__ __package__ __annotations__ "
	"unicode unichr basestring long xrange raw_input";

/* Operators and what everybody may ask; and what named tuples and regular classes have. */
const char plain_special[] =
	"__abs__ __add__ __aenter__ __aexit__ __aiter__ __and__ __anext__ __annotations__ "
	"__author__ __await__ __bool__ __bytes__ __call__ __cause__ __ceil__ __class__ "
	"__class_getitem__ __complex__ __contains__ __context__ __copy__ __deepcopy__ "
	"__delitem__ __del__ __divmod__ __doc__ __enter__ __eq__ __excepthook__ __exit__ "
	"__file__ __float__ __floor__ __floordiv__ __format__ __ge__ __get__ __getitem__ "
	"__gt__ __hash__ __iadd__ __iand__ __index__ __init__ __init_subclass__ __int__ "
	"__invert__ __ior__ __isub__ __iter__ __le__ __len__ __lshift__ __lt__ __matmul__ "
	"__members__ __missing__ __mod__ __module__ __mul__ __name__ __ne__ __neg__ __new__ "
	"__next__ __notes__ __or__ __pos__ __post_init__ __pow__ __qualname__ __radd__ "
	"__repr__ __reversed__ __rmul__ __round__ __rshift__ __rsub__ __set__ __set_name__ "
	"__setitem__ __sizeof__ __slots__ __stderr__ __stdin__ __stdout__ __str__ __sub__ "
	"__suppress_context__ __traceback__ __truediv__ __trunc__ __version__ __wrapped__ "
	"__xor__ __with_libyaml__ __all__ "
	"_asdict _exit _field_defaults _fields _make _replace";

/* Frames and what leads to them, methods that run or load something, and modules that nothing else is
 * called as. */
const char plain_not_attribute[] =
	"bltns builtins importlib marshal os pickle posix runpy subprocess sys "
	"ag_frame co_code cr_frame f_back f_builtins f_code f_globals f_locals func_code "
	"func_globals gi_frame tb_frame "
	"entry_points exec_module find_spec get_ipython import_module load_module load_source "
	"deserialize enable_load_extension eval exec exec_ exec_command execfile "
	"full_load load_extension load_pickle memfd_create popen posix_spawn "
	"read_gpickle read_hdf read_pickle run_cell run_line_magic runcode runsource "
	"subprocess_exec subprocess_shell system unsafe_eval unsafe_load";

/* Modules that others have. */
const char plain_not_module[] =
	"bdb code codeop ctypes dill gc imp inspect joblib multiprocessing ntpath pdb "
	"pickletools pkgutil posixpath pty shelve site sysconfig timeit types zipimport";

const char plain_first_attribute[] = "attrgetter from_formula methodcaller query";

const char plain_not_keyword[] = "allow_pickle eval_str executable preexec_fn pickle_module";

const char plain_starters[] =
	"awk chroot command coproc env exec find gawk ionice mawk nice nohup parallel sed setsid "
	"sort split stdbuf strace sudo tar taskset time timeout watch xargs";
