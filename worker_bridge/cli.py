"""The command line of the worker bridge: what can be typed."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib.metadata import version

from worker_bridge.errors import StartError

_CANNOT = 3

_RUN = """\
Takes tasks from the queues, has each executed under a lease, and reports each outcome to the coordinator. Redis, the
coordinator and the language servers may come and go: it waits for them. SIGTERM lets running tasks end, a second one
does not. Settings are environment variables: COORDINATOR_ADDR, LANG_WORKER_ADDRS, HTTP_ALLOW_NETWORKS and
_HOSTS, and those that begin with REDIS_ and WORKER_; the README has the table.
"""
_RUN_MORE = """\
example:
  LANG_WORKER_ADDRS=python:127.0.0.1:50053,js:127.0.0.1:50053 worker-bridge run

exit status: 0 it was stopped, 2 bad usage, 3 it could not start, or may not go on: the message says what to change
"""
_QUEUES = """\
Shows how deep the queues are that `run` would read here, what is pending, parked, and who listens: those of
WORKER_QUEUES; without it `http` and one for each runtime of LANG_WORKER_ADDRS and type of WORKER_EXECUTORS. Set them as
the bridges have them: Redis is not asked which queues there are.
"""
_QUEUES_MORE = """\
example:
  WORKER_QUEUES=python,python:eu-west worker-bridge queues --json

exit status: 0 shown, 2 bad usage, 3 Redis cannot be asked
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status. Raises SystemExit for --help, --version and bad usage."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "run":
            from worker_bridge.commands.run import run

            return run()
        from worker_bridge.commands.queues import queues

        return queues(as_json=options.json)
    except StartError as error:
        print(f"worker-bridge: {error}", file=sys.stderr)
        return _CANNOT
    except KeyboardInterrupt:  # before the bridge handles signals: it has taken nothing yet
        return 130


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="worker-bridge",
        description="Leases tasks from streams, has them executed, and reports each outcome once.",
        epilog="`worker-bridge COMMAND --help` explains a command and shows examples.",
        allow_abbrev=False,
    )
    said = f"worker-bridge {version('langserver')}"
    parser.add_argument("--version", action="version", version=said)
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", required=True)
    for name, summary, text, more in (
        ("run", "work", _RUN, _RUN_MORE),
        ("queues", "how the queues are", _QUEUES, _QUEUES_MORE),
    ):
        command = commands.add_parser(
            name,
            help=summary,
            description=text,
            epilog=more,
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.add_argument("--version", action="version", version=said)
        if name == "queues":
            command.add_argument("--json", action="store_true", help="print a JSON array instead of a table")
    return parser


if __name__ == "__main__":
    sys.exit(main())
