"""The command line of the coordinator: what can be typed. What it does is in `coordinator.commands`."""

from __future__ import annotations

import os
import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter, _SubParsersAction
from collections.abc import Callable, Sequence
from importlib.metadata import version
from io import TextIOWrapper

from coordinator.commands.exits import ExitStatus, NotWritten, Unreachable, UsageError
from coordinator.commands.output import trouble
from coordinator.errors import StartError

_SERVE = """\
Keeps the task table, gives out leases, retries what failed, and puts tasks into the streams that workers read. Prints
`coordinator listening on HOST:PORT` when it is ready; SIGTERM stops it. Settings are environment variables.

examples:
  coordinator serve
  COORDINATOR_DATABASE_URL=postgresql://coordinator@db/tasks REDIS_ADDR=127.0.0.1:6380 coordinator serve

exit status: 0 it was stopped, 2 bad usage, 3 it could not start: the message says what to change
"""
_SUBMIT = """\
Gives tasks to a coordinator and prints one JSON line a task, in the order of the input: run_id and task_id, and with
--wait also state, attempt, output and error. A task whose run_id and task_id are there already is left as it is.

A file has one JSON object a line: node_type, input, and where wanted max_attempts, queue, run_id, task_id.

examples:
  coordinator submit --node-type python --input '{"code": "return 6 * 7"}' --wait 10
  coordinator submit --node-type js --input @task.json --max-attempts 3
  coordinator submit --file tasks.jsonl --wait 600

exit status: 0 all completed, or submitted without --wait; 1 some failed, 2 bad usage, 3 the wait ran out,
4 the coordinator cannot be reached
"""
_STATUS = """\
Shows how many tasks are in which state, of one run or of all; with --run-id and --json one JSON line a task.

examples:
  coordinator status
  coordinator status --run-id 3f2a --json

exit status: 0 shown, 2 bad usage, 4 the coordinator cannot be reached
"""
_CANCEL = """\
Ends tasks that have not ended, as FAILED. A worker that runs one of them is told so when it next renews its lease.

examples:
  coordinator cancel --run-id 3f2a
  coordinator cancel --run-id 3f2a --task-id t1 --task-id t2

exit status: 0 done, 2 bad usage, 4 the coordinator cannot be reached
"""
_DEAD = """\
Shows, gives another chance to, or removes what workers parked: entries that cannot be read, that are not what their
task is, or that were delivered too often.

example:
  coordinator dead list --queue python

exit status: see `coordinator dead list --help`, `coordinator dead requeue --help` and `coordinator dead drop --help`
"""
_DEAD_LIST = """\
Shows the parked entries of one queue or of all. Anybody who can write to the streams can have written them.

example:
  coordinator dead list --json

exit status: 0 shown, 2 bad usage, 4 the coordinator cannot be reached
"""
_DEAD_REQUEUE = """\
Gives the FAILED tasks that parked entries name one more attempt, made from the task table and never from the entry, and
removes those entries.

examples:
  coordinator dead requeue tasks:python:0:dead/1764504000000-0
  coordinator dead requeue --queue python --all

exit status: 0 all were requeued, 1 some were left, 2 bad usage, 4 the coordinator cannot be reached
"""

_DEAD_DROP = """\
Removes parked entries for good: those that are named, or all that were parked so long ago. Their tasks stay what they
are; what still has an attempt is not stopped by it, and what is FAILED cannot be requeued by it any more.

examples:
  coordinator dead drop tasks:python:0:dead/1764504000000-0
  coordinator dead drop --queue python --older-than 604800

exit status: 0 they are gone, 1 some were not there, 2 bad usage, 4 the coordinator cannot be reached
"""

_MOST_SECONDS = 7 * 86_400
_MOST_AGE = 100 * 366 * 86_400


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status. Raises SystemExit for --help, --version and bad usage."""
    # A stream that was closed (`>&-`) is None: what is written to it goes nowhere, as the caller wished.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process
    signal.pthread_sigmask(signal.SIG_SETMASK, ())  # whatever the parent blocked: SIGTERM ends this process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a locale that lacks a character is no reason to fail
            stream.reconfigure(errors="backslashreplace")
    options = _parser().parse_args(arguments)
    command: Callable[[Namespace], int] = options.command
    if command is not _serve:  # which says itself what gRPC may say
        os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # before it is imported: its log lines say less than ours
    try:
        return int(command(options))
    except UsageError as error:
        trouble(str(error))
        return ExitStatus.USAGE
    except StartError as error:
        trouble(str(error))
        return ExitStatus.NOT_STARTED
    except Unreachable as error:
        trouble(str(error))
        return ExitStatus.UNREACHABLE
    except NotWritten as error:
        trouble(str(error))
        return ExitStatus.NOT_WRITTEN
    except UnicodeEncodeError as error:  # gRPC takes no other text
        trouble(f"{error.object!a} is not UTF-8 text")
        return ExitStatus.USAGE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="coordinator",
        description="The reference coordinator: a task table, leases on it, retries, and an outbox to streams.",
        epilog="`coordinator COMMAND --help` explains a command and shows examples.",
        allow_abbrev=False,
    )
    _add_version(parser)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    serve = _command(commands, "serve", "run the coordinator", _SERVE, _serve)
    serve.add_argument(
        "--listen", metavar="ADDR", help="HOST:PORT; default COORDINATOR_LISTEN_ADDR, else 127.0.0.1:50051"
    )
    _add_submit(_command(commands, "submit", "give it tasks", _SUBMIT, _submit))
    _add_status(_command(commands, "status", "what became of tasks", _STATUS, _status))
    _add_cancel(_command(commands, "cancel", "end tasks", _CANCEL, _cancel))
    dead = _described(commands, "dead", "what workers parked", _DEAD)
    letters = dead.add_subparsers(metavar="COMMAND", required=True)
    listed = _command(letters, "list", "show it", _DEAD_LIST, _dead_list)
    _add_queue(listed)
    _add_json(listed, "print one JSON line an entry")
    _add_requeue(_command(letters, "requeue", "give its tasks another chance", _DEAD_REQUEUE, _dead_requeue))
    _add_drop(_command(letters, "drop", "remove it", _DEAD_DROP, _dead_drop))
    return parser


def _described(commands: _SubParsersAction[ArgumentParser], name: str, summary: str, text: str) -> ArgumentParser:
    description, _, examples = text.rpartition("\n\nexample")
    parser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=f"example{examples}",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_version(parser)
    return parser


def _command(
    commands: _SubParsersAction[ArgumentParser], name: str, summary: str, text: str, run: Callable[[Namespace], int]
) -> ArgumentParser:
    parser = _described(commands, name, summary, text)
    parser.set_defaults(command=run)
    if name != "serve":
        parser.add_argument("--addr", metavar="A", help="HOST:PORT; default COORDINATOR_ADDR, else localhost:50051")
    return parser


def _add_version(parser: ArgumentParser) -> None:
    parser.add_argument("--version", action="version", version=f"coordinator {version('langserver')}")


def _add_json(parser: ArgumentParser, text: str) -> None:
    parser.add_argument("--json", action="store_true", help=text)


def _add_queue(parser: ArgumentParser) -> None:
    parser.add_argument("--queue", metavar="Q", default="", help="this queue only")


def _add_submit(parser: ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--node-type", metavar="T", help="python, js, http, or what the bridges know besides")
    what.add_argument("--file", metavar="TASKS", help="JSON lines; - reads standard input")
    parser.add_argument("--input", metavar="JSON", default="{}", help="the input, or @FILE to read it from; default {}")
    parser.add_argument(
        "--max-attempts", metavar="N", type=_attempts, default=0, help="also of lines that name none; default 3"
    )
    parser.add_argument("--queue", metavar="Q", default="", help="default the node type's; lines name their own")
    parser.add_argument("--run-id", metavar="R", default="", help="also of lines that name none; default a new one")
    parser.add_argument("--task-id", metavar="I", default="", help="default a new one; lines name their own")
    parser.add_argument("--wait", metavar="S", type=_seconds, help="wait so many seconds for the tasks to end")


def _add_status(parser: ArgumentParser) -> None:
    parser.add_argument("--run-id", metavar="R", default="", help="this run only")
    _add_json(parser, "print JSON")


def _add_cancel(parser: ArgumentParser) -> None:
    parser.add_argument("--run-id", metavar="R", required=True, help="the run")
    parser.add_argument("--task-id", metavar="I", action="append", default=[], help="this task only; may be repeated")


def _add_letters(parser: ArgumentParser) -> None:
    parser.add_argument("letter", metavar="STREAM/ENTRY", nargs="*", help="as `coordinator dead list` shows them")


def _add_drop(parser: ArgumentParser) -> None:
    _add_letters(parser)
    parser.add_argument(
        "--older-than", metavar="S", type=_age, help="all that were parked at least so many seconds ago; 0 means all"
    )
    _add_queue(parser)


def _add_requeue(parser: ArgumentParser) -> None:
    _add_letters(parser)
    parser.add_argument("--all", action="store_true", help="all of them")
    _add_queue(parser)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= _MOST_SECONDS:
        raise ArgumentTypeError(f"{text!r} is no number of seconds from 0 to {_MOST_SECONDS}")
    return value


def _age(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text[:12]) <= _MOST_AGE and len(text) < 12):
        raise ArgumentTypeError(f"{text!r} is no whole number of seconds from 0 to {_MOST_AGE}")
    return int(text)


def _attempts(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= 1_000 and len(text) < 5):
        raise ArgumentTypeError(f"{text!r} is no whole number from 1 to 1000")
    return int(text)


# Each command loads what it needs when it is called: clients no database and no Redis.


def _serve(options: Namespace) -> int:
    from coordinator.commands.serve import serve

    return serve(options)


def _submit(options: Namespace) -> int:
    from coordinator.commands.submit import submit

    return submit(options)


def _status(options: Namespace) -> int:
    from coordinator.commands.status import status

    return status(options)


def _cancel(options: Namespace) -> int:
    from coordinator.commands.cancel import cancel

    return cancel(options)


def _dead_list(options: Namespace) -> int:
    from coordinator.commands.dead import list_letters

    return list_letters(options)


def _dead_requeue(options: Namespace) -> int:
    from coordinator.commands.dead import requeue

    return requeue(options)


def _dead_drop(options: Namespace) -> int:
    from coordinator.commands.dead import drop

    return drop(options)


if __name__ == "__main__":
    sys.exit(main())
