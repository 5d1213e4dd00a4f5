"""What the library's modules have and a program does not: each with its reason, so that new ones are noticed."""

from __future__ import annotations

import pkgutil
import sys
import types

import pytest

from langserver.python_runtime import catalog, modules
from tests.runtimes.python.conftest import loaded

FILES = "opens files, or looks at them"
HOST = "tells of the host, or changes it"
INSIDE = "leads into the interpreter, or changes how it works"
NETWORK = "sockets, pipes, processes, threads, and what works with them"
LOCALE = "changes the locale, which needs files"
CLASSES = "makes or changes classes, or calls functions, by names that are data"
TABLE = "a table that the library consults later"
OURS = "replaces a part of ours: lines go to the log"
NOT_DOCUMENTED = "no part of the documented module"
RARE = "nobody was seen to miss it, and it would have to be written anew"

LEFT_OUT: dict[str, dict[str, str]] = {
    "abc": {CLASSES: "update_abstractmethods"},
    "asyncio": {
        NETWORK: """
            AbstractChildWatcher AbstractServer BaseProtocol BaseTransport BufferedProtocol DatagramProtocol
            DatagramTransport FastChildWatcher MultiLoopChildWatcher PidfdChildWatcher Protocol ReadTransport
            SafeChildWatcher SendfileNotAvailableError Server StreamReader StreamReaderProtocol StreamWriter
            SubprocessProtocol SubprocessTransport ThreadedChildWatcher Transport WriteTransport create_subprocess_exec
            create_subprocess_shell get_child_watcher open_connection open_unix_connection run_coroutine_threadsafe
            set_child_watcher start_server start_unix_server wrap_future
        """,
        INSIDE: """
            AbstractEventLoopPolicy BaseEventLoop DefaultEventLoopPolicy EventLoop SelectorEventLoop _enter_task
            _get_running_loop _leave_task _register_task _set_running_loop _unregister_task create_eager_task_factory
            eager_task_factory get_event_loop_policy set_event_loop_policy
        """,
    },
    "asyncio.exceptions": {NETWORK: "SendfileNotAvailableError"},
    "calendar": {LOCALE: "LocaleHTMLCalendar LocaleTextCalendar"},
    "codecs": {
        FILES: "EncodedFile open",
        TABLE: "lookup lookup_error register register_error",
        INSIDE: """
            Codec CodecInfo IncrementalDecoder IncrementalEncoder StreamReader StreamReaderWriter StreamRecoder
            StreamWriter getdecoder getencoder getincrementaldecoder getincrementalencoder getreader getwriter
        """,
        RARE: """
            BOM32_BE BOM32_LE BOM64_BE BOM64_LE backslashreplace_errors ignore_errors iterdecode iterencode
            namereplace_errors replace_errors strict_errors xmlcharrefreplace_errors
        """,
    },
    "configparser": {RARE: "ConverterMapping"},
    "contextlib": {HOST: "chdir"},
    "email": {RARE: "message_from_binary_file message_from_bytes message_from_file message_from_string"},
    "email.utils": {HOST: "make_msgid"},
    "enum": {
        CLASSES: """
            EnumDict global_enum global_enum_repr global_flag_repr global_str pickle_by_enum_name pickle_by_global_name
        """
    },
    "hmac": {NOT_DOCUMENTED: "digest_size trans_36 trans_5C"},
    "io": {
        FILES: "FileIO open_code",
        INSIDE: "BufferedRWPair BufferedRandom BufferedReader BufferedWriter IncrementalNewlineDecoder text_encoding",
    },
    "json.encoder": {
        NOT_DOCUMENTED: """
            ESCAPE ESCAPE_ASCII ESCAPE_DCT HAS_UTF8 INFINITY c_encode_basestring c_encode_basestring_ascii
            c_make_encoder encode_basestring encode_basestring_ascii py_encode_basestring py_encode_basestring_ascii
        """,
    },
    "logging": {
        FILES: "FileHandler",
        CLASSES: "makeLogRecord",
        OURS: "getLogRecordFactory lastResort raiseExceptions setLogRecordFactory setLoggerClass",
        RARE: "BufferingFormatter getHandlerByName getHandlerNames",
    },
    "mimetypes": {FILES: "MimeTypes init inited knownfiles read_mime_types"},
    "quopri": {RARE: "decode encode"},
    "re": {NOT_DOCUMENTED: "template"},
    "shlex": {FILES: "shlex"},
    "sys": {
        HOST: """
            abiflags argv base_exec_prefix base_prefix builtin_module_names exec_prefix executable flags
            getfilesystemencodeerrors getfilesystemencoding orig_argv path path_hooks path_importer_cache platlibdir
            prefix pycache_prefix stdin stdlib_module_names warnoptions
        """,
        INSIDE: """
            _clear_internal_caches _clear_type_descriptors _is_gil_enabled _is_immortal _is_interned
            activate_stack_trampoline addaudithook api_version audit breakpointhook call_tracing copyright
            deactivate_stack_trampoline displayhook dont_write_bytecode excepthook get_asyncgen_hooks
            get_coroutine_origin_tracking_depth getallocatedblocks getdlopenflags getprofile getrefcount
            getswitchinterval gettrace getunicodeinternedsize implementation is_finalizing is_stack_trampoline_active
            meta_path modules
            set_asyncgen_hooks set_coroutine_origin_tracking_depth setdlopenflags setprofile setswitchinterval settrace
            thread_info unraisablehook
        """,
    },
    "time": {
        HOST: "CLOCK_BOOTTIME CLOCK_MONOTONIC_RAW CLOCK_TAI clock_settime clock_settime_ns pthread_getcpuclockid tzset"
    },
    "traceback": {INSIDE: "walk_stack walk_tb", RARE: "print_last print_stack"},
    "types": {
        CLASSES: "new_class prepare_class resolve_bases",
        INSIDE: "coroutine",
        RARE: "DynamicClassAttribute get_original_bases",
    },
    "typing": {RARE: "evaluate_forward_ref no_type_check_decorator"},
    "unicodedata": {RARE: "UCD ucd_3_2_0"},
    "uuid": {NOT_DOCUMENTED: "Enum bytes_ int_ main"},
    "warnings": {OURS: "showwarning warn_explicit"},
    "weakref": {
        INSIDE: "getweakrefcount getweakrefs",
        RARE: "CallableProxyType ProxyType ProxyTypes WeakMethod finalize proxy",
    },
    "zipfile": {FILES: "Path PyZipFile"},
    "zoneinfo": {FILES: "reset_tzpath"},
}


def public(name: str) -> set[str]:
    """What the library says is the module's; modules that it only happens to hold, or that are a package's, apart."""
    module = sys.modules[name]
    said = getattr(module, "__all__", None) or [key for key in dir(module) if not key.startswith("_")]
    inside = {each.name for each in pkgutil.iter_modules(getattr(module, "__path__", ()))}
    held = {key for key in said if isinstance(getattr(module, key, None), types.ModuleType)}
    return {*said} - inside - held - {"__doc__", "__version__"}


@pytest.fixture(scope="module", autouse=True)
def policy() -> None:
    loaded(policy=True)


# Of this one all but one function is left out: code is not made into trees here.
@pytest.mark.parametrize("name", [each for each in catalog.MODULES if each != "ast"])
def test_every_public_name_is_there_or_left_out_for_a_reason(name: str) -> None:
    reasons = LEFT_OUT.get(name, {})
    known = [word for words in reasons.values() for word in words.split()]
    assert len(known) == len(set(known))
    missing = public(name) - set(modules.public_names(name))
    assert missing <= set(known), f"new, or forgotten, in {name}: {sorted(missing - set(known))}"
    assert not set(known) & set(modules.public_names(name)), "it is there, and needs no reason"
