/* SPDX-License-Identifier: MIT
 *
 * See plain_table.h. Of Python's own modules each name that is plain is listed, and a module without a
 * row is not: what is new in one, or hardly used, nobody has looked at. tests/unit/plain_names.py looks at
 * what is listed. A row for a.b is asked before one for a.
 */
#include "flow/plain_table.h"

#include "base/scope.h"

const struct plain_row plain_rows[] = {
	/* Python's own */
	{"__future__", PLAIN_ONLY,
	 "absolute_import annotations division generator_stop print_function unicode_literals "
	 "with_statement",
	 NULL, NULL},
	{"abc", PLAIN_ONLY,
	 "ABC ABCMeta abstractclassmethod abstractmethod abstractproperty abstractstaticmethod "
	 "get_cache_token update_abstractmethods",
	 NULL, NULL},
	{"argparse", PLAIN_ONLY,
	 "Action ArgumentDefaultsHelpFormatter ArgumentError ArgumentParser ArgumentTypeError "
	 "BooleanOptionalAction FileType HelpFormatter MetavarTypeHelpFormatter Namespace "
	 "ONE_OR_MORE OPTIONAL PARSER REMAINDER RawDescriptionHelpFormatter "
	 "RawTextHelpFormatter SUPPRESS ZERO_OR_MORE",
	 NULL, NULL},
	{"array", PLAIN_ONLY, "ArrayType array typecodes", NULL, NULL},
	{"ast", PLAIN_ONLY, "literal_eval", NULL, NULL},
	{"asyncio", PLAIN_ONLY,
	 "BoundedSemaphore CancelledError Condition Event Future LifoQueue Lock PriorityQueue "
	 "Queue QueueEmpty QueueFull Semaphore Task TaskGroup TimeoutError all_tasks "
	 "as_completed create_task current_task ensure_future gather get_event_loop "
	 "get_running_loop iscoroutine iscoroutinefunction new_event_loop run set_event_loop "
	 "shield sleep timeout to_thread wait wait_for",
	 NULL, NULL},
	{"atexit", PLAIN_ONLY, "register unregister", NULL, NULL},
	{"base64", PLAIN_ONLY,
	 "a85decode a85encode b16decode b16encode b32decode b32encode b32hexdecode "
	 "b32hexencode b64decode b64encode b85decode b85encode decode decodebytes encode "
	 "encodebytes standard_b64decode standard_b64encode urlsafe_b64decode "
	 "urlsafe_b64encode",
	 NULL, NULL},
	{"binascii", PLAIN_ONLY,
	 "Error Incomplete a2b_base64 a2b_hex a2b_qp a2b_uu b2a_base64 b2a_hex b2a_qp b2a_uu "
	 "crc32 crc_hqx hexlify unhexlify",
	 NULL, NULL},
	{"bisect", PLAIN_ONLY, "bisect bisect_left bisect_right insort insort_left insort_right",
	 NULL, NULL},
	{"bz2", PLAIN_ONLY, "BZ2Compressor BZ2Decompressor BZ2File compress decompress open", NULL,
	 NULL},
	{"calendar", PLAIN_ONLY,
	 "Calendar FRIDAY HTMLCalendar IllegalMonthError IllegalWeekdayError "
	 "LocaleHTMLCalendar LocaleTextCalendar MONDAY SATURDAY SUNDAY THURSDAY TUESDAY "
	 "TextCalendar WEDNESDAY calendar day_abbr day_name firstweekday isleap leapdays month "
	 "month_abbr month_name monthcalendar monthrange prcal prmonth setfirstweekday timegm "
	 "weekday weekheader",
	 NULL, NULL},
	{"cmath", PLAIN_ONLY,
	 "acos acosh asin asinh atan atanh cos cosh e exp inf infj isclose isfinite isinf "
	 "isnan log log10 nan nanj phase pi polar rect sin sinh sqrt tan tanh tau",
	 NULL, NULL},
	{"codecs", PLAIN_ONLY, "BOM_* decode encode open", NULL, NULL},
	{"collections", PLAIN_ONLY,
	 "ChainMap Counter OrderedDict UserDict UserList UserString abc defaultdict deque "
	 "namedtuple",
	 NULL, NULL},
	{"collections.abc", PLAIN_ONLY,
	 "AsyncGenerator AsyncIterable AsyncIterator Awaitable ByteString Callable Collection "
	 "Container Coroutine Generator Hashable ItemsView Iterable Iterator KeysView Mapping "
	 "MappingView MutableMapping MutableSequence MutableSet Reversible Sequence Set Sized "
	 "ValuesView",
	 NULL, NULL},
	{"colorsys", PLAIN_ONLY,
	 "hls_to_rgb hsv_to_rgb rgb_to_hls rgb_to_hsv rgb_to_yiq yiq_to_rgb", NULL, NULL},
	{"concurrent", PLAIN_ONLY, "futures", NULL, NULL},
	{"concurrent.futures", PLAIN_ONLY,
	 "ALL_COMPLETED CancelledError FIRST_COMPLETED FIRST_EXCEPTION Future "
	 "ThreadPoolExecutor TimeoutError as_completed wait",
	 NULL, NULL},
	{"configparser", PLAIN_ONLY,
	 "BasicInterpolation ConfigParser DEFAULTSECT DuplicateOptionError "
	 "DuplicateSectionError ExtendedInterpolation Interpolation InterpolationDepthError "
	 "InterpolationError InterpolationMissingOptionError InterpolationSyntaxError "
	 "LegacyInterpolation MAX_INTERPOLATION_DEPTH MissingSectionHeaderError NoOptionError "
	 "NoSectionError ParsingError RawConfigParser SafeConfigParser SectionProxy",
	 NULL, NULL},
	{"contextlib", PLAIN_ONLY,
	 "AbstractAsyncContextManager AbstractContextManager AsyncExitStack ContextDecorator "
	 "ExitStack aclosing asynccontextmanager chdir closing contextmanager nullcontext "
	 "redirect_stderr redirect_stdout suppress",
	 NULL, NULL},
	{"copy", PLAIN_ONLY, "Error copy deepcopy", NULL, NULL},
	{"csv", PLAIN_ONLY,
	 "Dialect DictReader DictWriter Error QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE "
	 "QUOTE_NONNUMERIC Sniffer excel excel_tab field_size_limit get_dialect list_dialects "
	 "reader register_dialect unix_dialect unregister_dialect writer",
	 NULL, NULL},
	{"dataclasses", PLAIN_ONLY,
	 "Field FrozenInstanceError InitVar KW_ONLY MISSING asdict astuple dataclass field "
	 "fields is_dataclass replace",
	 NULL, NULL},
	{"datetime", PLAIN_ONLY,
	 "MAXYEAR MINYEAR UTC date datetime datetime_CAPI time timedelta timezone tzinfo", NULL,
	 NULL},
	{"decimal", PLAIN_ONLY,
	 "BasicContext Clamped Context ConversionSyntax Decimal DecimalException DecimalTuple "
	 "DefaultContext DivisionByZero DivisionImpossible DivisionUndefined ExtendedContext "
	 "FloatOperation HAVE_CONTEXTVAR HAVE_THREADS Inexact InvalidContext InvalidOperation "
	 "MAX_EMAX MAX_PREC MIN_EMIN MIN_ETINY Overflow ROUND_05UP ROUND_CEILING ROUND_DOWN "
	 "ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP Rounded Subnormal "
	 "Underflow getcontext localcontext setcontext",
	 NULL, NULL},
	{"difflib", PLAIN_ONLY,
	 "Differ HtmlDiff IS_CHARACTER_JUNK IS_LINE_JUNK Match SequenceMatcher context_diff "
	 "diff_bytes get_close_matches ndiff restore unified_diff",
	 NULL, NULL},
	{"enum", PLAIN_ONLY, "Enum EnumMeta EnumType Flag IntEnum IntFlag StrEnum auto unique",
	 NULL, NULL},
	{"errno", PLAIN_ONLY, "E* errorcode", NULL, NULL},
	{"fnmatch", PLAIN_ONLY, "filter fnmatch fnmatchcase translate", NULL, NULL},
	{"fractions", PLAIN_ONLY, "Fraction", NULL, NULL},
	{"functools", PLAIN_ONLY,
	 "cache cached_property cmp_to_key lru_cache partial partialmethod reduce "
	 "total_ordering wraps",
	 NULL, NULL},
	{"getpass", PLAIN_ONLY, "GetPassWarning getpass getuser", NULL, NULL},
	{"glob", PLAIN_ONLY, "escape glob iglob", NULL, NULL},
	{"gzip", PLAIN_ONLY, "BadGzipFile GzipFile compress decompress open", NULL, NULL},
	{"hashlib", PLAIN_ONLY,
	 "algorithms_available algorithms_guaranteed blake2b blake2s file_digest md5 new "
	 "pbkdf2_hmac sha1 sha224 sha256 sha384 sha3_224 sha3_256 sha3_384 sha3_512 sha512 "
	 "shake_128 shake_256",
	 NULL, NULL},
	{"heapq", PLAIN_ONLY,
	 "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest", NULL, NULL},
	{"hmac", PLAIN_ONLY, "HMAC compare_digest digest digest_size new trans_36 trans_5C", NULL,
	 NULL},
	{"html", PLAIN_ONLY, "entities escape parser unescape", NULL, NULL},
	{"html.entities", PLAIN_ONLY, "codepoint2name html5 name2codepoint", NULL, NULL},
	{"html.parser", PLAIN_ONLY, "HTMLParser", NULL, NULL},
	{"http", PLAIN_ONLY, "HTTPMethod HTTPStatus", NULL, NULL},
	{"io", PLAIN_ONLY,
	 "BlockingIOError BufferedIOBase BufferedRWPair BufferedRandom BufferedReader "
	 "BufferedWriter BytesIO FileIO IOBase RawIOBase SEEK_CUR SEEK_END SEEK_SET StringIO "
	 "TextIOBase TextIOWrapper UnsupportedOperation open open_code",
	 NULL, NULL},
	{"ipaddress", PLAIN_ONLY,
	 "AddressValueError IPV4LENGTH IPV6LENGTH IPv4Address IPv4Interface IPv4Network "
	 "IPv6Address IPv6Interface IPv6Network NetmaskValueError collapse_addresses "
	 "get_mixed_type_key ip_address ip_interface ip_network summarize_address_range "
	 "v4_int_to_packed v6_int_to_packed",
	 NULL, NULL},
	{"itertools", PLAIN_ONLY,
	 "accumulate chain combinations combinations_with_replacement compress count cycle "
	 "dropwhile filterfalse groupby islice pairwise permutations product repeat starmap "
	 "takewhile tee zip_longest",
	 NULL, NULL},
	{"json", PLAIN_ONLY,
	 "JSONDecodeError JSONDecoder JSONEncoder decoder dump dumps load loads", NULL, NULL},
	{"keyword", PLAIN_ONLY, "iskeyword issoftkeyword kwlist softkwlist", NULL, NULL},
	{"locale", PLAIN_ONLY,
	 "Error LC_* atof atoi currency format_string getlocale getpreferredencoding "
	 "localeconv setlocale str strcoll strxfrm",
	 NULL, NULL},
	{"logging", PLAIN_ONLY,
	 "CRITICAL DEBUG ERROR FATAL FileHandler Filter Formatter Handler INFO LogRecord "
	 "Logger LoggerAdapter NOTSET NullHandler StreamHandler WARN WARNING addLevelName "
	 "basicConfig captureWarnings critical debug disable error exception getLevelName "
	 "getLogger info log shutdown warning",
	 NULL, NULL},
	{"lzma", PLAIN_ONLY,
	 "CHECK_CRC32 CHECK_CRC64 CHECK_ID_MAX CHECK_NONE CHECK_SHA256 CHECK_UNKNOWN "
	 "FILTER_ARM FILTER_ARMTHUMB FILTER_DELTA FILTER_IA64 FILTER_LZMA1 FILTER_LZMA2 "
	 "FILTER_POWERPC FILTER_SPARC FILTER_X86 FORMAT_ALONE FORMAT_AUTO FORMAT_RAW FORMAT_XZ "
	 "LZMACompressor LZMADecompressor LZMAError LZMAFile MF_BT2 MF_BT3 MF_BT4 MF_HC3 "
	 "MF_HC4 MODE_FAST MODE_NORMAL PRESET_DEFAULT PRESET_EXTREME compress decompress "
	 "is_check_supported open",
	 NULL, NULL},
	{"math", PLAIN_ONLY,
	 "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist "
	 "e erf erfc exp exp2 expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf "
	 "isclose isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nan "
	 "nextafter perm pi pow prod radians remainder sin sinh sqrt tan tanh tau trunc ulp",
	 NULL, NULL},
	{"mimetypes", PLAIN_ONLY,
	 "MimeTypes add_type common_types encodings_map guess_all_extensions guess_extension "
	 "guess_type init inited knownfiles read_mime_types suffix_map types_map",
	 NULL, NULL},
	{"numbers", PLAIN_ONLY, "Complex Integral Number Rational Real", NULL, NULL},
	{"operator", PLAIN_ONLY,
	 "abs add and_ call concat contains countOf delitem eq floordiv ge getitem gt iadd "
	 "iand iconcat ifloordiv ilshift imatmul imod imul index indexOf inv invert ior ipow "
	 "irshift is_ is_not isub itemgetter itruediv ixor le length_hint lshift lt matmul mod "
	 "mul ne neg not_ or_ pos pow rshift setitem sub truediv truth xor",
	 NULL, "attrgetter methodcaller"},
	{"os.path", PLAIN_ONLY,
	 "abspath altsep basename commonpath commonprefix curdir defpath devnull dirname "
	 "exists expanduser expandvars extsep getatime getctime getmtime getsize isabs isdir "
	 "isfile islink ismount join lexists normcase normpath pardir pathsep realpath relpath "
	 "samefile sameopenfile samestat sep split splitdrive splitext "
	 "supports_unicode_filenames",
	 NULL, NULL},
	{"platform", PLAIN_ONLY,
	 "machine node platform processor python_implementation python_version "
	 "python_version_tuple release system uname version",
	 NULL, NULL},
	{"pprint", PLAIN_ONLY, "PrettyPrinter isreadable isrecursive pformat pp pprint saferepr",
	 NULL, NULL},
	{"queue", PLAIN_ONLY, "Empty Full LifoQueue PriorityQueue Queue SimpleQueue", NULL, NULL},
	{"random", PLAIN_ONLY,
	 "Random SystemRandom betavariate choice choices expovariate gammavariate gauss "
	 "getrandbits getstate lognormvariate normalvariate paretovariate randbytes randint "
	 "random randrange sample seed setstate shuffle triangular uniform vonmisesvariate "
	 "weibullvariate",
	 NULL, NULL},
	{"re", PLAIN_ONLY,
	 "A ASCII DEBUG DOTALL I IGNORECASE L LOCALE M MULTILINE Match NOFLAG Pattern "
	 "RegexFlag S T TEMPLATE U UNICODE VERBOSE X compile error escape findall finditer "
	 "fullmatch match purge search split sub subn",
	 NULL, NULL},
	{"secrets", PLAIN_ONLY,
	 "SystemRandom choice compare_digest randbelow randbits token_bytes token_hex "
	 "token_urlsafe",
	 NULL, NULL},
	{"shlex", PLAIN_ONLY, "join quote shlex split", NULL, NULL},
	{"shutil", PLAIN_ONLY,
	 "Error ExecError SameFileError SpecialFileError chown copy copy2 copyfile copyfileobj "
	 "copymode copystat copytree disk_usage get_archive_formats get_terminal_size "
	 "get_unpack_formats ignore_patterns make_archive move rmtree unpack_archive which",
	 NULL, NULL},
	{"signal", PLAIN_ONLY,
	 "ITIMER_* SIG* Signals alarm default_int_handler getitimer pause setitimer signal", NULL,
	 NULL},
	{"sqlite3", PLAIN_ONLY,
	 "Binary Blob Connection Cursor DataError DatabaseError Date DateFromTicks Error "
	 "IntegrityError InterfaceError InternalError NotSupportedError OperationalError "
	 "PARSE_COLNAMES PARSE_DECLTYPES PrepareProtocol ProgrammingError Row SQLITE_* Time "
	 "TimeFromTicks Timestamp TimestampFromTicks Warning adapt adapters apilevel "
	 "complete_statement connect converters enable_shared_cache paramstyle "
	 "register_adapter register_converter sqlite_version sqlite_version_info threadsafety "
	 "version version_info",
	 NULL, NULL},
	{"stat", PLAIN_ONLY, "FILE_ATTRIBUTE_* SF_* ST_* S_* UF_* filemode", NULL, NULL},
	{"statistics", PLAIN_ONLY,
	 "NormalDist StatisticsError correlation covariance fmean geometric_mean harmonic_mean "
	 "linear_regression mean median median_grouped median_high median_low mode multimode "
	 "pstdev pvariance quantiles stdev variance",
	 NULL, NULL},
	{"string", PLAIN_ONLY,
	 "Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits "
	 "octdigits printable punctuation whitespace",
	 NULL, NULL},
	{"struct", PLAIN_ONLY,
	 "Struct calcsize error iter_unpack pack pack_into unpack unpack_from", NULL, NULL},
	{"tarfile", PLAIN_ONLY,
	 "AREGTYPE BLKTYPE BLOCKSIZE CHRTYPE CONTTYPE CompressionError DEFAULT_FORMAT DIRTYPE "
	 "ENCODING EOFHeaderError EmptyHeaderError ExFileObject ExtractError FIFOTYPE "
	 "GNUTYPE_LONGLINK GNUTYPE_LONGNAME GNUTYPE_SPARSE GNU_FORMAT GNU_MAGIC GNU_TYPES "
	 "HeaderError InvalidHeaderError LENGTH_LINK LENGTH_NAME LENGTH_PREFIX LNKTYPE NUL "
	 "PAX_FIELDS PAX_FORMAT PAX_NAME_FIELDS PAX_NUMBER_FIELDS POSIX_MAGIC RECORDSIZE "
	 "REGTYPE REGULAR_TYPES ReadError SOLARIS_XHDTYPE SUPPORTED_TYPES SYMTYPE StreamError "
	 "SubsequentHeaderError TarError TarFile TarInfo TruncatedHeaderError USTAR_FORMAT "
	 "XGLTYPE XHDTYPE bltn_open calc_chksums copyfileobj is_tarfile itn nti nts open stn "
	 "symlink_exception version",
	 NULL, NULL},
	{"tempfile", PLAIN_ONLY,
	 "NamedTemporaryFile SpooledTemporaryFile TMP_MAX TemporaryDirectory TemporaryFile "
	 "gettempdir gettempdirb gettempprefix gettempprefixb mkdtemp mkstemp mktemp tempdir",
	 NULL, NULL},
	{"textwrap", PLAIN_ONLY, "TextWrapper dedent fill indent shorten wrap", NULL, NULL},
	{"threading", PLAIN_ONLY,
	 "Barrier BoundedSemaphore BrokenBarrierError Condition Event ExceptHookArgs Lock "
	 "RLock Semaphore TIMEOUT_MAX Thread ThreadError Timer active_count current_thread "
	 "enumerate excepthook get_ident get_native_id local main_thread stack_size",
	 NULL, NULL},
	{"time", PLAIN_ONLY,
	 "CLOCK_BOOTTIME CLOCK_MONOTONIC CLOCK_MONOTONIC_RAW CLOCK_PROCESS_CPUTIME_ID "
	 "CLOCK_REALTIME CLOCK_TAI CLOCK_THREAD_CPUTIME_ID altzone asctime clock_getres "
	 "clock_gettime clock_gettime_ns clock_settime clock_settime_ns ctime daylight "
	 "get_clock_info gmtime localtime mktime monotonic monotonic_ns perf_counter "
	 "perf_counter_ns process_time process_time_ns pthread_getcpuclockid sleep strftime "
	 "strptime struct_time thread_time thread_time_ns time time_ns timezone tzname tzset",
	 NULL, NULL},
	{"tomllib", PLAIN_ONLY, "TOMLDecodeError load loads", NULL, NULL},
	{"traceback", PLAIN_ONLY,
	 "TracebackException format_exc format_exception format_exception_only format_stack "
	 "format_tb print_exc print_exception print_stack print_tb",
	 NULL, NULL},
	{"typing typing_extensions", PLAIN_ONLY,
	 "AbstractSet Annotated Any AnyStr AsyncContextManager AsyncGenerator AsyncIterable "
	 "AsyncIterator Awaitable BinaryIO ByteString Callable ChainMap ClassVar Collection "
	 "Concatenate Container ContextManager Coroutine Counter DefaultDict Deque Dict Final "
	 "FrozenSet Generator Generic Hashable IO ItemsView Iterable Iterator KeysView List "
	 "Literal LiteralString Mapping MappingView Match MutableMapping MutableSequence "
	 "MutableSet NamedTuple Never NewType NoReturn NotRequired Optional OrderedDict "
	 "ParamSpec ParamSpecArgs ParamSpecKwargs Pattern Protocol Required Reversible Self "
	 "Sequence Set Sized SupportsAbs SupportsBytes SupportsComplex SupportsFloat "
	 "SupportsIndex SupportsInt SupportsRound TYPE_CHECKING Text TextIO Tuple Type "
	 "TypeAlias TypeGuard TypeVar TypeVarTuple TypedDict Union Unpack ValuesView "
	 "assert_never assert_type cast clear_overloads dataclass_transform final get_args "
	 "get_origin get_overloads is_typeddict no_type_check_decorator overload "
	 "reveal_type runtime_checkable",
	 NULL, NULL},
	{"unicodedata", PLAIN_ONLY,
	 "UCD bidirectional category combining decimal decomposition digit east_asian_width "
	 "is_normalized lookup mirrored name normalize numeric ucd_3_2_0 unidata_version",
	 NULL, NULL},
	{"urllib", PLAIN_ONLY, "error parse request", NULL, NULL},
	{"urllib.error", PLAIN_ONLY, "ContentTooShortError HTTPError URLError", NULL, NULL},
	{"urllib.parse", PLAIN_ONLY,
	 "DefragResult DefragResultBytes ParseResult ParseResultBytes SplitResult "
	 "SplitResultBytes parse_qs parse_qsl quote quote_from_bytes quote_plus unquote "
	 "unquote_plus unquote_to_bytes urldefrag urlencode urljoin urlparse urlsplit "
	 "urlunparse urlunsplit",
	 NULL, NULL},
	{"urllib.request", PLAIN_ONLY,
	 "Request pathname2url quote unquote url2pathname urlopen urlretrieve", NULL, NULL},
	{"uuid", PLAIN_ONLY, "NAMESPACE_* SafeUUID UUID uuid1 uuid3 uuid4 uuid5", NULL, NULL},
	{"warnings", PLAIN_ONLY,
	 "catch_warnings filterwarnings formatwarning resetwarnings showwarning simplefilter "
	 "warn warn_explicit",
	 NULL, NULL},
	{"weakref", PLAIN_ONLY,
	 "WeakKeyDictionary WeakMethod WeakSet WeakValueDictionary finalize proxy ref", NULL, NULL},
	{"xml", PLAIN_ONLY, "etree", NULL, NULL},
	{"xml.etree", PLAIN_ONLY, "ElementTree", NULL, NULL},
	{"xml.etree.ElementTree", PLAIN_ONLY,
	 "C14NWriterTarget Comment Element ElementTree PI ParseError ProcessingInstruction "
	 "QName SubElement TreeBuilder VERSION XML XMLID XMLParser XMLPullParser canonicalize "
	 "dump fromstring fromstringlist indent iselement iterparse parse register_namespace "
	 "tostring tostringlist",
	 NULL, NULL},
	{"zipfile", PLAIN_ONLY,
	 "BadZipFile BadZipfile LargeZipFile Path ZIP_BZIP2 ZIP_DEFLATED ZIP_LZMA ZIP_STORED "
	 "ZipFile ZipInfo error is_zipfile",
	 NULL, NULL},
	{"zlib", PLAIN_ONLY,
	 "DEFLATED DEF_BUF_SIZE DEF_MEM_LEVEL MAX_WBITS ZLIB_RUNTIME_VERSION ZLIB_VERSION "
	 "Z_BEST_COMPRESSION Z_BEST_SPEED Z_BLOCK Z_DEFAULT_COMPRESSION Z_DEFAULT_STRATEGY "
	 "Z_FILTERED Z_FINISH Z_FIXED Z_FULL_FLUSH Z_HUFFMAN_ONLY Z_NO_COMPRESSION Z_NO_FLUSH "
	 "Z_PARTIAL_FLUSH Z_RLE Z_SYNC_FLUSH Z_TREES adler32 compress compressobj crc32 "
	 "decompress decompressobj error",
	 NULL, NULL},
	{"zoneinfo", PLAIN_ONLY, "ZoneInfo ZoneInfoNotFoundError available_timezones", NULL, NULL},
	{"json.decoder", PLAIN_ONLY, "JSONDecodeError JSONDecoder", NULL, NULL},
	{"os", PLAIN_ONLY,
	 "path environ sep altsep extsep pathsep linesep curdir pardir name "
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
	 NULL, "system popen getenv"},
	/* What is set there, what it starts will be told. */
	{"os.environ", PLAIN_OBJECT, "", NULL, "get pop"},
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
	{"gc", PLAIN_ONLY,
	 "collect disable enable freeze unfreeze get_count get_stats get_threshold "
	 "isenabled set_threshold",
	 NULL, NULL},
	{"pathlib", PLAIN_ONLY,
	 "Path PosixPath WindowsPath PurePath PurePosixPath PureWindowsPath "
	 "UnsupportedOperation",
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
	"__name__ __file__ __doc__ __debug__ __package__ "
	"unicode unichr basestring long xrange raw_input";

/* Operators and what everybody may ask; and what named tuples and regular classes have. */
const char plain_special[] =
	"__abs__ __add__ __aenter__ __aexit__ __aiter__ __and__ __anext__ "
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
	"__suppress_context__ __truediv__ __trunc__ __version__ __wrapped__ "
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
	"from_custom_template full_load load_extension load_pickle memfd_create popen posix_spawn "
	"read_gpickle read_hdf read_pickle run_cell run_line_magic runcode runsource "
	"subprocess_exec subprocess_shell system unsafe_eval unsafe_load";

/* Modules that others have. */
const char plain_not_module[] =
	"bdb code codeop ctypes dill gc imp inspect joblib multiprocessing ntpath pdb "
	"pickletools pkgutil posixpath pty shelve site sysconfig timeit types zipimport "
	"cbook matplotlib mpl np numpy pandas pd plt";

/* Of bytes that somebody gives they would make pointers. */
const char plain_type[] = "chararray memmap ndarray recarray";

const char plain_first_attribute[] = "attrgetter from_formula methodcaller query";

const char plain_not_keyword[] = "allow_pickle env eval_str executable preexec_fn pickle_module";

/* matplotlib evaluates what is set as its colours; pandas imports what it plots with. */
const char plain_constant[] = "option_context rc rc_context set_option";

const char plain_function_attribute[] = "agg aggregate apply pipe transform";

const char plain_function_keyword[] = "aggfunc backend engine func";

const char plain_charts_keyword[] = "backend";

const char plain_starters[] =
	"awk chroot command coproc env exec find gawk ionice mawk nice nohup parallel sed setsid "
	"sort split stdbuf strace sudo tar taskset time timeout watch xargs";
