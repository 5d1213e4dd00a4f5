"""What to use instead of a module that is not available. Import-light: the server reads it too."""

from __future__ import annotations

from typing import Final

_NETWORK: Final = "this code has no network: fetch it in an HTTP step before this one and pass it in as input"
_FILES: Final = (
    "this code has no files: pass the data in as input, and use io.StringIO or io.BytesIO where a file is expected"
)
_PROCESSES: Final = "this code is one process and one thread: use a loop, or asyncio.gather for several coroutines"
_HOST: Final = "there is no host to look at; pass what you need in as input"
_ARGUMENTS: Final = "there is no command line: the task's input is the variable `inputs`"
_CONSOLE: Final = "there is no console: print(...) writes to the log"
_INSIDE: Final = (
    "the interpreter cannot be looked into: raise exceptions, and use print(...) or logging to follow a program"
)
_CODE: Final = "code is not made from text here: write it out, or use ast.literal_eval for data"
_TESTS: Final = "use assert: what fails ends the task with its line"
_TABLES: Final = "use csv, statistics, collections.Counter and lists of dicts"
_NUMBERS: Final = "use math, statistics, fractions and lists"
_PICTURES: Final = "this code makes no pictures: return the numbers and draw them in a later step"
_MODELS: Final = "call the model in an HTTP step before or after this one"
_CLOUD: Final = "this code has no network and no secrets: call the service in an HTTP step before or after this one"
_DATABASE: Final = (
    "this code has no network: query the database in a step before this one and pass the rows in as input"
)
_RECORDS: Final = "use dataclasses and typing, and check values in __post_init__"
_MARKUP: Final = "use html.parser.HTMLParser, xml.etree.ElementTree, or re for what is simple"
_DATES: Final = "use datetime and zoneinfo: datetime.fromisoformat and strptime read dates"
_JSON: Final = "use json"

_PACKAGES: Final = "nothing can be installed here"

_BY_TEXT: Final[dict[str, str]] = {
    _NETWORK: """
        asynchat asyncore cgi cgitb ftplib http.client http.cookiejar http.server imaplib nntplib
        poplib select selectors smtpd smtplib socket socketserver ssl telnetlib urllib.error urllib.request
        urllib.response urllib.robotparser webbrowser wsgiref xmlrpc requests httpx aiohttp urllib3 websockets
        websocket paramiko pycurl grpc scrapy selenium playwright
    """,
    _FILES: """
        aifc chunk dbm filecmp fileinput glob linecache mailbox netrc pathlib shelve shutil sndhdr imghdr stat
        sunau tempfile wave
    """,
    _PROCESSES: """
        _thread concurrent multiprocessing pipes sched signal subprocess threading
    """,
    _HOST: "crypt errno getpass grp nis nt platform posix pwd resource site spwd sysconfig syslog winreg msvcrt msilib",
    _ARGUMENTS: """
        argparse getopt optparse click typer
    """,
    _CONSOLE: """
        cmd curses idlelib ossaudiodev pty readline termios tkinter tty turtle turtledemo winsound rlcompleter rich
        colorama tabulate tqdm
    """,
    _INSIDE: """
        atexit bdb builtins cProfile faulthandler gc inspect pdb profile pstats pyclbr pydoc pydoc_data symtable
        tabnanny token tokenize trace tracemalloc
    """,
    _CODE: """
        code codeop compileall dis distutils ensurepip imp importlib lib2to3 modulefinder opcode pickletools pkgutil
        py_compile runpy venv zipimport
    """,
    _TESTS: "doctest pytest test unittest",
    _JSON: """
        copyreg marshal pickle plistlib xdrlib demjson orjson rapidjson simplejson ujson msgpack
    """,
    _TABLES: "pandas polars pyarrow openpyxl xlrd xlsxwriter",
    _NUMBERS: "numpy scipy sympy numba networkx",
    _PICTURES: "PIL cv2 matplotlib plotly seaborn skimage",
    _MODELS: "anthropic langchain nltk openai sklearn spacy tensorflow tiktoken torch transformers",
    _CLOUD: "azure boto3 botocore google slack_sdk stripe twilio",
    _DATABASE: "MySQLdb asyncpg psycopg psycopg2 pymongo pymysql redis sqlalchemy",
    _RECORDS: "attr attrs marshmallow pydantic",
    _MARKUP: "bs4 html5lib lxml",
    _DATES: "arrow dateparser dateutil pendulum pytz tzdata tzlocal",
}
_BY_NAME: Final[dict[str, str]] = {
    "os": "there are no files, processes or environment variables; pass what you need in as input",
    "posixpath": "paths mean nothing here; str.rpartition splits names, urllib.parse splits addresses",
    "certifi": _NETWORK,
    "charset_normalizer": "use bytes.decode with errors='replace', and another encoding when it fails",
    "idna": "use text.encode('idna')",
    "markupsafe": "use html.escape",
    "packaging": "compare versions as tuples of int",
    "pip": _PACKAGES,
    "pkg_resources": _PACKAGES,
    "setuptools": _PACKAGES,
    "six": "this is Python 3: leave it out",
    "wheel": _PACKAGES,
    **dict.fromkeys(
        ("tarfile", "zipapp"),
        "such archives are not read here: unpack them in a step before this one; zipfile, gzip and bz2 are here",
    ),
    "sqlite3": "use dicts and lists, collections and statistics; query a database in a step before this one",
    "http.cookies": "split the header by ';', and each part at its first '='",
    "audioop": "use struct and array",
    "binhex": "use binascii",
    "cffi": "there is no native code here",
    "cryptography": "use hashlib, hmac and secrets; encrypt in a step before or after this one",
    "Crypto": "use hashlib, hmac and secrets; encrypt in a step before or after this one",
    "ctypes": "there is no native code here; struct packs and unpacks binary data",
    "django": "this code serves nobody: return the result",
    "dotenv": "there are no environment variables; pass what you need in as input",
    "email": "email.utils reads and writes addresses and dates; build the message in the step that sends it",
    "encodings": "use str.encode and bytes.decode",
    "fastapi": "this code serves nobody: return the result",
    "fcntl": "there are no files to lock here",
    "flask": "this code serves nobody: return the result",
    "gettext": "use a dict of texts",
    "jinja2": "use f-strings or string.Template",
    "jsonschema": "check the data with if and raise ValueError",
    "jwt": "use hmac, hashlib, base64 and json",
    "loguru": "use logging",
    "locale": "use format specifications such as f'{number:,.2f}', and str.casefold to sort",
    "mailcap": "use mimetypes",
    "markdown": "return the text and convert it in a later step",
    "mmap": "use bytes, bytearray and memoryview",
    "more_itertools": "use itertools",
    "pyexpat": "use xml.etree.ElementTree",
    "regex": "use re",
    "reprlib": "use textwrap.shorten(repr(x), 80)",
    "sre_compile": "use re",
    "sre_constants": "use re",
    "sre_parse": "use re",
    "stringprep": "use unicodedata.normalize and str.casefold",
    "structlog": "use logging",
    "timeit": "use time.perf_counter()",
    "toml": "use tomllib.loads",
    "tomli": "use tomllib.loads",
    "typing_extensions": "use typing",
    "uu": "use binascii.a2b_uu and b2a_uu",
    "xml": "use xml.etree.ElementTree",
    "xmltodict": "use xml.etree.ElementTree",
    "yaml": "pass the data in as JSON, or use json or tomllib",
    "ntpath": "paths mean nothing here; str.rpartition splits names, urllib.parse splits addresses",
    "genericpath": "paths mean nothing here; str.rpartition splits names, urllib.parse splits addresses",
    "nturl2path": "paths mean nothing here; urllib.parse splits addresses",
}
INSTEAD: Final[dict[str, str]] = {name: text for text, names in _BY_TEXT.items() for name in names.split()} | _BY_NAME


def instead_of(module: str) -> str:
    """What to do without `module`, a dotted name; empty when nothing is known of it or of its package."""
    while module:
        if module in INSTEAD:
            return INSTEAD[module]
        module = module.rpartition(".")[0]
    return ""


# Packages that are known to work when the operator of a server adds them, or that are plain Python.
_ADDABLE: Final = frozenset(
    """
    attr attrs bs4 dateutil html5lib jinja2 jsonschema markdown markupsafe more_itertools networkx numpy pandas pytz
    regex scipy six sympy tabulate typing_extensions xmltodict yaml
    """.split()
)


def can_be_added(module: str) -> bool:
    """Whether the package of `module` is worth asking the operator of the server for."""
    return module.partition(".")[0] in _ADDABLE


# Attributes of modules that are available, which are not there.
_ATTRIBUTES: Final[dict[str, dict[str, str]]] = {
    "sys": {
        **dict.fromkeys(("argv", "orig_argv"), _ARGUMENTS),
        **dict.fromkeys(("stdin", "__stdin__"), "there is no console: the task's input is the variable `inputs`"),
        **dict.fromkeys(
            ("path", "executable", "prefix", "base_prefix", "meta_path", "path_hooks", "path_importer_cache"),
            "there are no files: the task's input is the variable `inputs`",
        ),
        **dict.fromkeys(("__stdout__", "__stderr__"), "use sys.stdout or sys.stderr: they write to the log"),
        **dict.fromkeys(("modules", "settrace", "setprofile", "gettrace", "getrefcount", "excepthook"), _INSIDE),
    },
    "asyncio": dict.fromkeys(("create_subprocess_exec", "create_subprocess_shell", "subprocess"), _PROCESSES)
    | dict.fromkeys(("open_connection", "start_server", "StreamReader", "StreamWriter"), _NETWORK),
}


def instead_of_attribute(module: str, name: str) -> str:
    """What to do without the attribute `name` of `module`; empty when nothing is known of it."""
    return _ATTRIBUTES.get(module, {}).get(name, "")
