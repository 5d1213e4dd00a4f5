"""`logging` and `warnings` as programs use them."""

from __future__ import annotations

import pytest

from langserver.core.outcome import ErrorKind

SET_UP = """
import logging
logger = logging.getLogger("app.part")
handler = logging.StreamHandler()
handler.setLevel(logging.DEBUG)
handler.setFormatter(logging.Formatter("%(levelname)s|%(name)s|%(funcName)s:%(lineno)d|%(message)s"))
logger.addHandler(handler)
logger.setLevel("INFO")
"""


def _said(ran):
    assert not ran.report.failures, ran.report.failures
    return [text for stream, text in ran.logs if stream == "stderr"]


def test_handler_with_a_format(run):
    ran = run(SET_UP + "def f():\n    logger.debug('no')\n    logger.info('n=%d', 5)\nf()")
    assert _said(ran) == ["INFO|app.part|f:11|n=5"]


def test_records_go_up_unless_told_not_to(run):
    source = SET_UP + "logging.basicConfig(format='root %(message)s')\nlogger.info('a')\nlogger.propagate = False\n"
    assert _said(run(source + "logger.info('b')")) == [
        "INFO|app.part|<module>:10|a",
        "root a",
        "INFO|app.part|<module>:12|b",
    ]


def test_levels_of_parents_count(run):
    source = """
import logging
logging.getLogger("a").setLevel(logging.ERROR)
child = logging.getLogger("a").getChild("b")
child.warning("dropped")
child.error("shown")
result = [child.name, child.getEffectiveLevel(), logging.getLogger("a.b") is child, logging.getLevelName(30)]
"""
    ran = run(source)
    assert ran.value == ["a.b", 40, True, "WARNING"]
    assert _said(ran) == ["ERROR:a.b:shown"]


def test_handlers_formatters_and_filters_of_the_program(run):
    source = """
import json, io, logging
class Json(logging.Formatter):
    def format(self, record):
        return json.dumps({"level": record.levelname, "text": record.getMessage(), "user": record.user})
class Keep(logging.Handler):
    def __init__(self):
        super().__init__()
        self.kept = []
    def emit(self, record):
        self.kept.append(self.format(record))
class Context(logging.Filter):
    def filter(self, record):
        record.request = "r1"
        return "secret" not in record.getMessage()
keep, stream = Keep(), io.StringIO()
keep.setFormatter(Json())
log = logging.getLogger("x")
log.addHandler(keep)
plain = logging.StreamHandler(stream)
plain.setFormatter(logging.Formatter("%(request)s %(message)s"))
log.addHandler(plain)
log.addFilter(Context())
log.error("a %s", "b", extra={"user": 7})
log.error("secret", extra={"user": 8})
result = [keep.kept, stream.getvalue()]
"""
    assert run(source).value == [['{"level": "ERROR", "text": "a b", "user": 7}'], "r1 a b\n"]


def test_exceptions_have_the_programs_frames(run):
    source = SET_UP + "try:\n    1 / 0\nexcept ZeroDivisionError:\n    logger.exception('failed')"
    said = _said(run(source))
    assert said[0].endswith("|failed")
    assert said[1:] == [
        "Traceback (most recent call last):",
        '  File "node.py", line 10, in <module>',
        "    1 / 0",
        "    ~~^~~",
        "ZeroDivisionError: division by zero",
    ]


def test_broken_formats_do_not_end_the_program(run):
    said = _said(run(SET_UP + "logger.info('%d', 'x')\nlogger.info('%s %s', 1)\nlogger.info('fine')"))
    assert [line for line in said if line.startswith("---")] == ["--- Logging error ---"] * 2
    assert said[-1].endswith("fine")


@pytest.mark.parametrize(
    "act",
    [
        "handler.setFormatter('{0.getMessage.__func__.__globals__}')\nlogger.error('x')",
        "handler.formatter = '{0.getMessage.__globals__}'\nlogger.error('x')",
        "handler.setFormatter(logging.Formatter('%(message)s', style='{'))",
        "logging.basicConfig(format='{message.__class__}', style='{')",
        "logging.Handler.setLevel(logging.Formatter, 5)",
        "logging.Logger.setLevel(dict, 5)",
        "logging.Handler.setFormatter(print, logger)",
        "logging.FileHandler('/tmp/x')",
        "logging.basicConfig(filename='/tmp/x')",
        "handler.stream._channel",
        "logging.root.manager",
    ],
)
def test_logging_leads_nowhere(run, act):
    ran = run(SET_UP + act)
    texts = [text for _, text in ran.logs] + [each.message for each in ran.report.failures]
    said = ("not available", "cannot be set", "has no attribute", "is for instances of")
    assert any(each in text for text in texts for each in said), texts
    assert not any("langserver" in text or "0x" in text for text in texts)


@pytest.mark.parametrize(
    "act",
    [
        "logging.StreamHandler.emit(S('{0.__globals__}'), main)",
        "logging.Handler.format(S('{0.__globals__}'), main)",
        "logging.Handler.handle(S('{0.__globals__}'), main)",
        "logging.Logger.handle(S('{0.__globals__}'), main)",
        "logging.Formatter.format(S('{0.__globals__}'), main)",
    ],
)
def test_methods_for_others_reach_no_attribute(run, act):
    source = f"""
import io, logging
kept = io.StringIO()
class S(str):
    stream, terminator, fmt, level, formatter, filters, disabled = kept, "", "%s", 0, "{{0.__globals__}}", [], False
    filter = lambda self, record: True
    emit = logging.StreamHandler.emit
def main(): pass
main.levelno = 50
try:
    {act}
except Exception as error:
    print(error)
result = kept.getvalue()
main = None
"""
    ran = run(source)
    assert ran.value == ""
    assert "__builtins__" not in str(ran.logs)


def test_managers_for_others_write_nowhere(run):
    source = "import warnings\ndef f(): pass\nwarnings.catch_warnings.__enter__(f)"
    assert run(source).failure.type == "TypeError"


def test_stream_of_the_log_can_only_be_written(run):
    source = SET_UP + "names = [n for n in dir(handler.stream) if not n.startswith('_')]\nresult = names"
    assert run(source).value == ["flush", "write"]


FILTERED = [
    ("", ["UserWarning: a", "DeprecationWarning: b"]),
    ("warnings.simplefilter('ignore')", []),
    ("warnings.filterwarnings('ignore')", []),
    ("warnings.filterwarnings('ignore', category=DeprecationWarning)", ["UserWarning: a"]),
    ("warnings.filterwarnings('ignore', message='A')", ["DeprecationWarning: b"]),
    ("warnings.simplefilter('always')", ["UserWarning: a", "DeprecationWarning: b", "UserWarning: a"]),
    ("warnings.simplefilter('ignore'); warnings.resetwarnings()", ["UserWarning: a", "DeprecationWarning: b"]),
    ("warnings.simplefilter('ignore'); warnings.filterwarnings('always', 'b')", ["DeprecationWarning: b"]),
]


@pytest.mark.parametrize(("filters", "expected"), FILTERED)
def test_warning_filters(run, filters, expected):
    source = f"""
import warnings
{filters}
def f():
    warnings.warn("a")
f()
warnings.warn("b", DeprecationWarning)
f()
"""
    assert _said(run(source)) == expected


def test_warnings_as_errors_and_recorded(run):
    source = """
import warnings
class Mine(UserWarning): pass
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        warnings.warn("no", Mine)
    except Mine as error:
        first = str(error)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("kept", Mine)
    warnings.warn(Mine("too"))
warnings.warn("printed")
result = [first] + [[str(w.message), w.category.__name__, w.lineno, w.filename] for w in caught]
"""
    ran = run(source)
    assert ran.value == ["no", ["kept", "Mine", 12, "node.py"], ["too", "Mine", 13, "node.py"]]
    assert _said(ran) == ["UserWarning: printed"]


def test_wrong_warnings_are_the_users_errors(run):
    for call in ("warn('x', int)", "simplefilter('never')", "warn('x', 5)"):
        assert run(f"import warnings\nwarnings.{call}").kind is ErrorKind.USER_ERROR
