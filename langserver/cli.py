"""The command line: what can be typed. What it does is in `langserver.commands`."""

from __future__ import annotations

import math
import os
import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter, _SubParsersAction
from collections.abc import Callable, Sequence
from io import TextIOWrapper

from langserver import __version__
from langserver.commands.exits import ExitStatus, Interrupted, UsageError
from langserver.commands.present import OutputError, Page
from langserver.errors import StartError

_RUN = """\
Runs one task through the same sandbox as a server's, without a server. The result is printed as JSON on standard
output, log lines on standard error as they come.

examples:
  langserver run sum.py --input '{"a": 1, "b": 2}'
  langserver run report.js --input @orders.json --timeout 5 --memory-mb 64
  echo 'return 6 * 7' | langserver run - --runtime python
  langserver run escape.py --layers seccomp,rlimits     # a reviewer tries these walls alone

exit status: 0 success, 1 the task failed, 2 bad usage or request, 3 the sandbox could not start
"""
_CHECK = """\
Parses code and holds it against the language policy, in a sealed child process. Nothing of it is run.

example:
  langserver check report.py

exit status: 0 no problem, 1 problems, 2 bad usage or request, 3 the sandbox could not start
"""
_DOCTOR = """\
Shows which layers protect tasks on this host, or why one does not; starts each runtime, has a sealed child of it try
what must be impossible, and runs a small task in it. A server does the same self-test when it starts, and refuses to
when anything got through.

example:
  langserver doctor --json

exit status: 0 all is well, 3 a required layer is missing, the self-test failed, or a runtime does not work
"""
_HEALTH = """\
Asks a server for its health (grpc.health.v1). Meant for probes, such as a container's HEALTHCHECK. Without --addr it
asks the server of its own environment, with TLS where LANG_TLS_CERT is set.

examples:
  langserver health
  langserver health --addr lang.internal:50053 --tls-ca ca.pem --service python

exit status: 0 it is SERVING, 1 it is not or cannot be reached, 2 bad usage
"""
_SERVE = """\
Serves the gRPC service lang.v1.LanguageServer. Prints `langserver listening on ADDR` when it is ready; SIGTERM lets
running tasks end, a second one does not. Settings are environment variables that begin with LANG_.

examples:
  langserver serve
  langserver serve --listen 127.0.0.1:0
  LANG_MEMORY_MB=256 langserver serve --listen unix:/run/langserver.sock

exit status: 0 it was stopped, 2 bad usage, 3 it could not start: the message says what to change
"""
_DEV = """\
Runs a whole installation on this machine: coordinator, streams, worker bridge and language server. Prints where they
listen, and is ready then; Ctrl-C or SIGTERM lets running tasks end. Settings are those of the parts. Without REDIS_ADDR
the streams are in this process, and without COORDINATOR_DATABASE_URL the tasks are forgotten when it ends.

examples:
  langserver dev
  coordinator submit --node-type python --input '{"code": "return 6 * 7"}' --wait 10     # in another terminal

exit status: 0 it was stopped, 2 bad usage, 3 a part could not start or has ended
"""

_MOST_SECONDS = 86_400
_MOST_MEGABYTES = 1 << 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status. Raises SystemExit for --help, --version and bad usage."""
    # A stream that was closed (`>&-`) is None: what is written to it goes nowhere, as the caller wished.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process
    # Whatever the parent ignored or blocked: children are waited for, and SIGTERM ends this process.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a locale that lacks a character is no reason to fail
            stream.reconfigure(errors="backslashreplace")
    options = _parser().parse_args(arguments)
    command: Callable[[Namespace], int] = options.command
    try:
        return int(command(options))
    except UsageError as error:
        Page.of(sys.stderr).trouble(str(error))
        return ExitStatus.USAGE
    except StartError as error:
        Page.of(sys.stderr).trouble(str(error))
        return ExitStatus.NO_SANDBOX
    except OutputError as error:
        Page.of(sys.stderr).trouble(str(error))
        return ExitStatus.NO_SANDBOX
    except KeyboardInterrupt:  # before a command handles signals itself: it has started nothing yet
        return _ended_by(Interrupted(signal.SIGINT))
    except Interrupted as error:
        return _ended_by(error)


def _ended_by(interruption: Interrupted) -> int:
    Page.of(sys.stderr).trouble(f"ended by {interruption}")
    return interruption.exit_status


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="langserver",
        description="Runs untrusted Python and JavaScript, each task in its own sealed child process.",
        epilog="`langserver COMMAND --help` explains a command and shows examples.",
        allow_abbrev=False,
    )
    _add_version(parser)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_serve(_command(commands, "serve", "serve tasks over gRPC", _SERVE, _serve))
    _add_run(_command(commands, "run", "run one task without a server", _RUN, _run))
    _add_check(_command(commands, "check", "find what is wrong with code, running nothing", _CHECK, _check))
    _add_json(_command(commands, "doctor", "what protects tasks on this host", _DOCTOR, _doctor))
    _add_health(_command(commands, "health", "ask a server for its health", _HEALTH, _health))
    _add_dev(_command(commands, "dev", "serve tasks from a queue, all on this machine", _DEV, _dev))
    return parser


def _command(
    commands: _SubParsersAction[ArgumentParser], name: str, summary: str, text: str, run: Callable[[Namespace], int]
) -> ArgumentParser:
    description, _, examples = text.partition("\n\n")
    parser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=examples,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_version(parser)
    parser.set_defaults(command=run)
    return parser


def _add_version(parser: ArgumentParser) -> None:
    parser.add_argument("--version", action="version", version=f"langserver {__version__}")


def _add_json(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def _add_source(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the code; - reads standard input")
    parser.add_argument(
        "--runtime", metavar="R", help="python or js; by default the file's suffix (.py, .js, .mjs, .cjs) says"
    )


def _add_run(parser: ArgumentParser) -> None:
    _add_source(parser)
    parser.add_argument("--input", metavar="JSON", default="", help="the input, or @FILE to read it from; default {}")
    parser.add_argument("--timeout", metavar="S", type=_seconds, default=0.0, help="seconds of wall clock; default 30")
    parser.add_argument(
        "--memory-mb", metavar="N", type=_megabytes, default=0, help="MiB over an idle child; default 128"
    )
    parser.add_argument("--timezone", metavar="Z", default="", help="IANA name of the local time; default UTC")
    parser.add_argument("--seed", metavar="N", type=_seed, help="makes random and Math.random repeatable")
    parser.add_argument("--layers", metavar="A,B", help="run with only these layers, or none: for reviewers")
    _add_json(parser)


def _add_check(parser: ArgumentParser) -> None:
    _add_source(parser)
    _add_json(parser)


def _add_health(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--addr", metavar="A", help="HOST:PORT or unix:PATH; default LANG_LISTEN_ADDR, else 127.0.0.1:50053"
    )
    parser.add_argument("--service", metavar="S", default="", help="python or js; default the whole server")
    parser.add_argument("--timeout", metavar="S", type=_seconds, default=5.0, help="seconds to wait; default 5")
    parser.add_argument("--tls-ca", metavar="FILE", help="speak TLS; certificates that sign the server's (PEM)")
    parser.add_argument("--tls-cert", metavar="FILE", help="speak TLS; the client's certificate (PEM), with --tls-key")
    parser.add_argument("--tls-key", metavar="FILE", help="the key of --tls-cert (PEM)")
    parser.add_argument("--tls-name", metavar="NAME", help="the server's name in its certificate; default A's host")


def _add_serve(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--listen", metavar="ADDR", help="HOST:PORT or unix:PATH; default LANG_LISTEN_ADDR, else 127.0.0.1:50053"
    )
    parser.add_argument(
        "--reflection", action="store_true", help="offer gRPC reflection (needs the extra `reflection`)"
    )


def _add_dev(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--listen",
        metavar="ADDR",
        help="the coordinator's HOST:PORT; default COORDINATOR_LISTEN_ADDR, else 127.0.0.1:50051",
    )


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not value <= _MOST_SECONDS:
        raise ArgumentTypeError(f"{text!r} is no number of seconds up to {_MOST_SECONDS}")
    return value


def _megabytes(text: str) -> int:
    return _whole(text, -_MOST_MEGABYTES, _MOST_MEGABYTES, "MiB")  # a negative one is for the request to refuse


def _seed(text: str) -> int:
    return _whole(text, -(1 << 63), (1 << 63) - 1, "a seed has 64 bits")


def _whole(text: str, low: int, high: int, what: str) -> int:
    try:
        value = int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no whole number") from None
    if not low <= value <= high:
        raise ArgumentTypeError(f"{text} is not from {low} to {high} ({what})")
    return value


# Each command loads what it needs when it is called: `run` no gRPC, `health` no sandbox.


def _run(options: Namespace) -> int:
    from langserver.commands.run import run

    return run(options)


def _check(options: Namespace) -> int:
    from langserver.commands.check import check

    return check(options)


def _doctor(options: Namespace) -> int:
    from langserver.commands.doctor import doctor

    return doctor(options)


def _health(options: Namespace) -> int:
    from langserver.commands.health import health

    return health(options)


def _serve(options: Namespace) -> int:
    from langserver.commands.serve import serve

    return serve(options)


def _dev(options: Namespace) -> int:
    from langserver.commands.dev import dev

    return dev(options)


if __name__ == "__main__":
    sys.exit(main())
