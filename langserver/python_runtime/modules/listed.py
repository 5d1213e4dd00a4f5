"""Names that library modules hand out as they are. Each was asked: does it take attribute names, write to an argument's
dictionary, evaluate text, open files, import, keep a table, or hand out frames? One yes means it is in `own` instead.
"""

from __future__ import annotations

import importlib
from typing import Any

# By module, the names as words.
_LISTED: dict[str, str] = {
    "abc": "abstractmethod",
    "ast": "literal_eval",
    "base64": """
        b64encode b64decode standard_b64encode standard_b64decode urlsafe_b64encode urlsafe_b64decode b32encode
        b32decode b32hexencode b32hexdecode b16encode b16decode b85encode b85decode a85encode a85decode encodebytes
        decodebytes
    """,
    "binascii": """
        a2b_base64 b2a_base64 a2b_hex b2a_hex hexlify unhexlify crc32 crc_hqx a2b_qp b2a_qp a2b_uu b2a_uu Error
        Incomplete
    """,
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "calendar": """
        Calendar TextCalendar HTMLCalendar FRIDAY MONDAY SATURDAY SUNDAY THURSDAY TUESDAY WEDNESDAY calendar day_abbr
        day_name firstweekday isleap leapdays month month_abbr month_name monthcalendar monthrange setfirstweekday
        timegm weekday weekheader IllegalMonthError IllegalWeekdayError
    """,
    "collections": "ChainMap Counter OrderedDict UserDict UserList UserString defaultdict deque",
    "collections.abc": """
        Awaitable Coroutine AsyncIterable AsyncIterator AsyncGenerator Hashable Iterable Iterator Generator Reversible
        Sized Container Callable Collection Set MutableSet Mapping MutableMapping MappingView KeysView ItemsView
        ValuesView Sequence MutableSequence
    """,
    "colorsys": "rgb_to_yiq yiq_to_rgb rgb_to_hls hls_to_rgb rgb_to_hsv hsv_to_rgb",
    "contextlib": """
        AbstractAsyncContextManager AbstractContextManager AsyncExitStack ContextDecorator ExitStack aclosing
        asynccontextmanager closing contextmanager nullcontext suppress
    """,
    "csv": """
        DictReader DictWriter Dialect Error QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC Sniffer excel
        excel_tab field_size_limit get_dialect list_dialects reader register_dialect unix_dialect unregister_dialect
        writer
    """,
    "datetime": "MAXYEAR MINYEAR UTC date datetime time timedelta timezone tzinfo",
    "decimal": """
        BasicContext Clamped Context ConversionSyntax Decimal DecimalException DecimalTuple DefaultContext
        DivisionByZero DivisionImpossible DivisionUndefined ExtendedContext FloatOperation Inexact InvalidContext
        InvalidOperation MAX_EMAX MAX_PREC MIN_EMIN MIN_ETINY Overflow ROUND_05UP ROUND_CEILING ROUND_DOWN ROUND_FLOOR
        ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP Rounded Subnormal Underflow getcontext localcontext
        setcontext
    """,
    "difflib": """
        Differ HtmlDiff IS_CHARACTER_JUNK IS_LINE_JUNK SequenceMatcher context_diff diff_bytes get_close_matches ndiff
        restore unified_diff
    """,
    "enum": """
        CONFORM CONTINUOUS EJECT Enum EnumCheck Flag FlagBoundary IntEnum IntFlag KEEP NAMED_FLAGS ReprEnum STRICT
        StrEnum UNIQUE auto member nonmember property unique verify
    """,
    "fnmatch": "filter fnmatch fnmatchcase translate",
    "fractions": "Fraction",
    "functools": "cache cmp_to_key lru_cache partial reduce",
    "graphlib": "CycleError TopologicalSorter",
    "gzip": "compress decompress BadGzipFile",
    "hashlib": """
        algorithms_available algorithms_guaranteed blake2b blake2s md5 new pbkdf2_hmac scrypt sha1 sha224 sha256
        sha384 sha3_224 sha3_256 sha3_384 sha3_512 sha512 shake_128 shake_256
    """,
    "heapq": "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest",
    "hmac": "HMAC compare_digest digest new",
    "html": "escape unescape",
    "html.parser": "HTMLParser",
    "io": "BytesIO StringIO SEEK_CUR SEEK_END SEEK_SET",
    "ipaddress": """
        AddressValueError IPv4Address IPv4Interface IPv4Network IPv6Address IPv6Interface IPv6Network
        NetmaskValueError collapse_addresses get_mixed_type_key ip_address ip_interface ip_network
        summarize_address_range v4_int_to_packed v6_int_to_packed
    """,
    "json": "JSONDecodeError JSONDecoder JSONEncoder dump dumps load loads",
    "keyword": "iskeyword issoftkeyword kwlist softkwlist",
    "numbers": "Complex Integral Number Rational Real",
    "random": """
        Random SystemRandom betavariate binomialvariate choice choices expovariate gammavariate gauss getrandbits
        getstate lognormvariate normalvariate paretovariate randbytes randint random randrange sample seed setstate
        shuffle triangular uniform vonmisesvariate weibullvariate
    """,
    "re": """
        A ASCII DOTALL I IGNORECASE L LOCALE M MULTILINE Match NOFLAG Pattern PatternError RegexFlag S U UNICODE
        VERBOSE X compile error escape findall finditer fullmatch match purge search split sub subn
    """,
    "secrets": "SystemRandom choice compare_digest randbelow randbits token_bytes token_hex token_urlsafe",
    "shlex": "join quote split",
    "statistics": """
        NormalDist StatisticsError correlation covariance fmean geometric_mean harmonic_mean linear_regression mean
        median median_grouped median_high median_low mode multimode pstdev pvariance quantiles stdev variance kde
        kde_random
    """,
    "string": """
        Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits printable
        punctuation whitespace
    """,
    "struct": "Struct calcsize error iter_unpack pack pack_into unpack unpack_from",
    "textwrap": "TextWrapper dedent fill indent shorten wrap",
    "time": """
        altzone asctime ctime daylight gmtime localtime mktime monotonic monotonic_ns perf_counter perf_counter_ns
        process_time process_time_ns sleep strftime strptime struct_time thread_time time time_ns timezone tzname
    """,
    "types": "MappingProxyType NoneType NotImplementedType EllipsisType SimpleNamespace GenericAlias UnionType",
    "typing": """
        AbstractSet Annotated Any AnyStr AsyncContextManager AsyncGenerator AsyncIterable AsyncIterator Awaitable
        ByteString Callable ChainMap ClassVar Collection Concatenate Container ContextManager Coroutine Counter
        DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable ItemsView Iterable Iterator KeysView List
        Literal LiteralString Mapping MappingView Match MutableMapping MutableSequence MutableSet NamedTuple Never
        NewType NoReturn NotRequired Optional OrderedDict ParamSpec Pattern Protocol ReadOnly Required Reversible Self
        Sequence Set Sized SupportsAbs SupportsBytes SupportsComplex SupportsFloat SupportsIndex SupportsInt
        SupportsRound TYPE_CHECKING Text Tuple Type TypeAlias TypeAliasType TypeGuard TypeIs TypeVar TypeVarTuple
        TypedDict Union Unpack ValuesView assert_never assert_type cast overload runtime_checkable
    """,
    "unicodedata": """
        bidirectional category combining decimal decomposition digit east_asian_width is_normalized lookup mirrored
        name normalize numeric unidata_version
    """,
    "urllib.parse": """
        DefragResult ParseResult SplitResult parse_qs parse_qsl quote quote_from_bytes quote_plus unquote unquote_plus
        unquote_to_bytes urldefrag urlencode urljoin urlparse urlsplit urlunparse urlunsplit
    """,
    "uuid": """
        NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL NAMESPACE_X500 RESERVED_FUTURE RESERVED_MICROSOFT RESERVED_NCS
        RFC_4122 SafeUUID UUID uuid3 uuid4 uuid5
    """,
    "zlib": """
        DEFLATED MAX_WBITS Z_BEST_COMPRESSION Z_BEST_SPEED Z_DEFAULT_COMPRESSION Z_DEFAULT_STRATEGY Z_FINISH
        Z_FULL_FLUSH Z_NO_FLUSH Z_SYNC_FLUSH adler32 compress compressobj crc32 decompress decompressobj error
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
