"""Names that library modules hand out as they are. Each was asked: does it take attribute names, write to an argument's
dictionary, evaluate text, open files, import, keep a table, or hand out frames? One yes means it is in `own` instead.
"""

from __future__ import annotations

import importlib
from typing import Any

# By module, the names as words.
_LISTED: dict[str, str] = {
    "abc": "abstractclassmethod abstractstaticmethod get_cache_token",
    "array": "ArrayType array typecodes",
    "ast": "literal_eval",
    "base64": """
        a85decode a85encode b16decode b16encode b32decode b32encode b32hexdecode b32hexencode b64decode b64encode
        b85decode b85encode decode decodebytes encode encodebytes standard_b64decode standard_b64encode
        urlsafe_b64decode urlsafe_b64encode z85decode z85encode
    """,
    "binascii": """
        Error Incomplete a2b_base64 a2b_hex a2b_qp a2b_uu b2a_base64 b2a_hex b2a_qp b2a_uu crc32 crc_hqx hexlify
        unhexlify
    """,
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "bz2": "BZ2Compressor BZ2Decompressor compress decompress",
    "calendar": """
        APRIL AUGUST Calendar DECEMBER Day FEBRUARY FRIDAY HTMLCalendar IllegalMonthError IllegalWeekdayError JANUARY
        JULY JUNE MARCH MAY MONDAY Month NOVEMBER OCTOBER SATURDAY SEPTEMBER SUNDAY THURSDAY TUESDAY TextCalendar
        WEDNESDAY calendar day_abbr day_name firstweekday isleap leapdays month month_abbr month_name monthcalendar
        monthrange prcal prmonth setfirstweekday timegm weekday weekheader
    """,
    "codecs": """
        BOM BOM_BE BOM_LE BOM_UTF16 BOM_UTF16_BE BOM_UTF16_LE BOM_UTF32 BOM_UTF32_BE BOM_UTF32_LE BOM_UTF8 decode encode
    """,
    "collections": "ChainMap Counter OrderedDict UserDict UserList UserString defaultdict deque",
    "collections.abc": """
        AsyncGenerator AsyncIterable AsyncIterator Awaitable Buffer ByteString Callable Collection Container Coroutine
        Generator Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping MutableSequence
        MutableSet Reversible Sequence Set Sized ValuesView
    """,
    "colorsys": "rgb_to_yiq yiq_to_rgb rgb_to_hls hls_to_rgb rgb_to_hsv hsv_to_rgb",
    "configparser": """
        BasicInterpolation ConfigParser DEFAULTSECT DuplicateOptionError DuplicateSectionError Error
        ExtendedInterpolation Interpolation InterpolationDepthError InterpolationError InterpolationMissingOptionError
        InterpolationSyntaxError InvalidWriteError LegacyInterpolation MAX_INTERPOLATION_DEPTH MissingSectionHeaderError
        MultilineContinuationError NoOptionError NoSectionError ParsingError RawConfigParser SafeConfigParser
        UNNAMED_SECTION UnnamedSectionDisabledError
    """,
    "contextlib": """
        AbstractAsyncContextManager AbstractContextManager AsyncExitStack ContextDecorator ExitStack aclosing
        asynccontextmanager closing contextmanager nullcontext suppress
    """,
    "contextvars": "Context ContextVar Token copy_context",
    "csv": """
        Dialect DictReader DictWriter Error QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC QUOTE_NOTNULL
        QUOTE_STRINGS Sniffer excel excel_tab field_size_limit get_dialect list_dialects reader register_dialect
        unix_dialect unregister_dialect writer
    """,
    "datetime": "MAXYEAR MINYEAR UTC date datetime time timedelta timezone tzinfo",
    "decimal": """
        BasicContext Clamped Context ConversionSyntax Decimal DecimalException DecimalTuple DefaultContext
        DivisionByZero DivisionImpossible DivisionUndefined ExtendedContext FloatOperation HAVE_CONTEXTVAR HAVE_THREADS
        Inexact InvalidContext InvalidOperation MAX_EMAX MAX_PREC MIN_EMIN MIN_ETINY Overflow ROUND_05UP ROUND_CEILING
        ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP Rounded Subnormal Underflow
        getcontext localcontext setcontext
    """,
    "difflib": """
        Differ HtmlDiff IS_CHARACTER_JUNK IS_LINE_JUNK Match SequenceMatcher context_diff diff_bytes get_close_matches
        ndiff restore unified_diff
    """,
    "email.utils": """
        collapse_rfc2231_value decode_params decode_rfc2231 encode_rfc2231 format_datetime formataddr formatdate
        getaddresses localtime mktime_tz parseaddr parsedate parsedate_to_datetime parsedate_tz quote unquote
    """,
    "enum": """
        CONFORM CONTINUOUS EJECT Enum EnumCheck Flag FlagBoundary IntEnum IntFlag KEEP NAMED_FLAGS ReprEnum STRICT
        StrEnum UNIQUE auto member nonmember property unique verify
    """,
    "fnmatch": "filter fnmatch fnmatchcase translate",
    "fractions": "Fraction",
    "functools": "cache cmp_to_key partial reduce",
    "graphlib": "CycleError TopologicalSorter",
    "gzip": "compress decompress BadGzipFile",
    "hashlib": """
        algorithms_available algorithms_guaranteed blake2b blake2s file_digest md5 new pbkdf2_hmac scrypt sha1 sha224
        sha256 sha384 sha3_224 sha3_256 sha3_384 sha3_512 sha512 shake_128 shake_256
    """,
    "heapq": "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest",
    "hmac": "HMAC compare_digest digest new",
    "html": "escape unescape",
    "html.parser": "HTMLParser",
    "http": "HTTPMethod HTTPStatus",
    "io": """
        BlockingIOError BufferedIOBase BytesIO DEFAULT_BUFFER_SIZE IOBase RawIOBase SEEK_CUR SEEK_END SEEK_SET StringIO
        TextIOBase UnsupportedOperation
    """,
    "ipaddress": """
        AddressValueError IPV4LENGTH IPV6LENGTH IPv4Address IPv4Interface IPv4Network IPv6Address IPv6Interface
        IPv6Network NetmaskValueError collapse_addresses get_mixed_type_key ip_address ip_interface ip_network
        summarize_address_range v4_int_to_packed v6_int_to_packed
    """,
    "json": "JSONDecodeError JSONDecoder JSONEncoder dump dumps load loads",
    "json.decoder": "JSONDecodeError JSONDecoder",
    "json.encoder": "JSONEncoder",
    "keyword": "iskeyword issoftkeyword kwlist softkwlist",
    "lzma": """
        CHECK_CRC32 CHECK_CRC64 CHECK_ID_MAX CHECK_NONE CHECK_SHA256 CHECK_UNKNOWN FILTER_ARM FILTER_ARMTHUMB
        FILTER_DELTA FILTER_IA64 FILTER_LZMA1 FILTER_LZMA2 FILTER_POWERPC FILTER_SPARC FILTER_X86 FORMAT_ALONE
        FORMAT_AUTO FORMAT_RAW FORMAT_XZ LZMACompressor LZMADecompressor LZMAError MF_BT2 MF_BT3 MF_BT4 MF_HC3 MF_HC4
        MODE_FAST MODE_NORMAL PRESET_DEFAULT PRESET_EXTREME compress decompress is_check_supported
    """,
    "mimetypes": "add_type guess_all_extensions guess_extension guess_file_type guess_type",
    "numbers": "Complex Integral Number Rational Real",
    "queue": "Empty Full ShutDown",
    "quopri": "decodestring encodestring",
    "random": """
        Random SystemRandom betavariate binomialvariate choice choices expovariate gammavariate gauss getrandbits
        getstate lognormvariate normalvariate paretovariate randbytes randint random randrange sample seed setstate
        shuffle triangular uniform vonmisesvariate weibullvariate
    """,
    "re": """
        A ASCII DOTALL I IGNORECASE L LOCALE M MULTILINE Match NOFLAG Pattern PatternError RegexFlag S U UNICODE VERBOSE
        X compile error escape findall finditer fullmatch match purge search split sub subn
    """,
    "secrets": "SystemRandom choice compare_digest randbelow randbits token_bytes token_hex token_urlsafe",
    "shlex": "join quote split",
    "statistics": """
        NormalDist StatisticsError correlation covariance fmean geometric_mean harmonic_mean kde kde_random
        linear_regression mean median median_grouped median_high median_low mode multimode pstdev pvariance quantiles
        stdev variance
    """,
    "string": """
        Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits printable punctuation
        whitespace
    """,
    "struct": "Struct error",
    "textwrap": "TextWrapper dedent fill indent shorten wrap",
    "time": """
        CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID CLOCK_REALTIME CLOCK_THREAD_CPUTIME_ID altzone asctime ctime daylight
        gmtime localtime mktime monotonic monotonic_ns perf_counter perf_counter_ns process_time process_time_ns sleep
        strftime strptime struct_time thread_time thread_time_ns time time_ns timezone tzname
    """,
    "tomllib": "TOMLDecodeError load loads",
    "types": "EllipsisType GenericAlias MappingProxyType NoneType NotImplementedType SimpleNamespace UnionType",
    "typing": """
        AbstractSet Annotated Any AnyStr AsyncContextManager AsyncGenerator AsyncIterable AsyncIterator Awaitable
        BinaryIO ByteString Callable ChainMap ClassVar Collection Concatenate Container ContextManager Coroutine Counter
        DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable IO ItemsView Iterable Iterator KeysView List
        Literal LiteralString Mapping MappingView Match MutableMapping MutableSequence MutableSet NamedTuple Never
        NewType NoDefault NoReturn NotRequired Optional OrderedDict ParamSpec Pattern Protocol ReadOnly Required
        Reversible Self Sequence Set Sized SupportsAbs SupportsBytes SupportsComplex SupportsFloat SupportsIndex
        SupportsInt SupportsRound TYPE_CHECKING Text TextIO Tuple Type TypeAlias TypeAliasType TypeGuard TypeIs TypeVar
        TypeVarTuple TypedDict Union Unpack ValuesView assert_never assert_type cast get_protocol_members is_protocol
        is_typeddict runtime_checkable
    """,
    "unicodedata": """
        bidirectional category combining decimal decomposition digit east_asian_width is_normalized lookup mirrored name
        normalize numeric unidata_version
    """,
    "urllib.parse": """
        DefragResult DefragResultBytes ParseResult ParseResultBytes SplitResult SplitResultBytes parse_qs parse_qsl
        quote quote_from_bytes quote_plus unquote unquote_plus unquote_to_bytes urldefrag urlencode urljoin urlparse
        urlsplit urlunparse urlunsplit
    """,
    "uuid": """
        MAX NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL NAMESPACE_X500 NIL RESERVED_FUTURE RESERVED_MICROSOFT RESERVED_NCS
        RFC_4122 SafeUUID UUID uuid3 uuid4 uuid5 uuid7 uuid8
    """,
    "weakref": """
        ReferenceType WeakKeyDictionary WeakSet WeakValueDictionary ref
    """,
    "zipfile": """
        BadZipFile BadZipfile LargeZipFile ZIP_BZIP2 ZIP_DEFLATED ZIP_LZMA ZIP_STORED ZipInfo error
    """,
    "zlib": """
        DEFLATED DEF_BUF_SIZE DEF_MEM_LEVEL MAX_WBITS ZLIB_RUNTIME_VERSION ZLIB_VERSION Z_BEST_COMPRESSION Z_BEST_SPEED
        Z_BLOCK Z_DEFAULT_COMPRESSION Z_DEFAULT_STRATEGY Z_FILTERED Z_FINISH Z_FIXED Z_FULL_FLUSH Z_HUFFMAN_ONLY
        Z_NO_COMPRESSION Z_NO_FLUSH Z_PARTIAL_FLUSH Z_RLE Z_SYNC_FLUSH Z_TREES adler32 compress compressobj crc32
        decompress decompressobj error
    """,
}
# Modules of C functions and their numbers only: every public name is as harmless as the next.
_WHOLE = ("cmath", "itertools", "math", "operator")
_NOT_THERE = {"operator": {"attrgetter", "methodcaller"}}


def listed(name: str) -> dict[str, Any]:
    """The listed names of one module, as far as this version of the interpreter has them."""
    wanted = _LISTED.get(name, "").split()
    if not wanted and name not in _WHOLE:
        return {}
    module = importlib.import_module(name)
    if name in _WHOLE:
        wanted = [key for key in dir(module) if not key.startswith("_") and key not in _NOT_THERE.get(name, ())]
    return {key: getattr(module, key) for key in wanted if hasattr(module, key)}
