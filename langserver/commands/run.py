"""`langserver run`: one task through the same sandbox as a server's, its output on stdout, its logs on stderr."""

from __future__ import annotations

import math
import sys
from argparse import Namespace
from collections.abc import Callable

from langserver.commands import as_json
from langserver.commands.added import added_jit, added_packages
from langserver.commands.answers import exit_status, refuse
from langserver.commands.one_task import perform, until_signal
from langserver.commands.present import Page
from langserver.commands.sources import read_input, read_source
from langserver.commands.walls import chosen_layers, default_layers
from langserver.core.verdict import Refusal
from langserver.errors import RequestError, StartError
from langserver.limits import Asked, Ceilings
from langserver.sandbox.layers import LAYERS, format_layers
from langserver.zygote.job import Job, LogLine, Outcome
from langserver.zygote.request import TaskRequest, make_job


def run(options: Namespace) -> int:
    """Runs the file that `options` names; returns the exit status. Raises UsageError, and Interrupted."""
    errors = Page.of(sys.stderr)
    logs: list[LogLine] = []  # with --json they stand in the object
    try:
        job, ceilings = _job(options)
        layers = default_layers() if options.layers is None else chosen_layers(options.layers, job.runtime)
        if options.layers is not None:
            errors.warning(_warning(layers))
        on_log = logs.append if options.json else _shower(errors)
        packages, jit = added_packages(job.runtime), added_jit(job.runtime)
        outcome = until_signal(perform(job, ceilings, layers, packages, on_log, jit=jit))
    except RequestError as error:
        return refuse(options.json, Refusal.INVALID_ARGUMENT, str(error))
    except StartError as error:
        return refuse(options.json, Refusal.UNAVAILABLE, str(error))
    judged = outcome.verdict
    if judged.refusal is not None:
        return refuse(options.json, judged.refusal, judged.message)
    if options.json:
        Page.of(sys.stdout).line(as_json.dumps(as_json.execute_response(outcome, logs)))
    else:
        _show(outcome, job.header.label, errors)
    return exit_status(judged.failure)


def _job(options: Namespace) -> tuple[Job, Ceilings]:
    source = read_source(options.file, options.runtime)
    usual = Ceilings()
    # Whoever runs this owns the machine: what is asked for is granted.
    ceilings = Ceilings(
        max_timeout_seconds=max(usual.max_timeout_seconds, math.ceil(options.timeout)),
        memory_mb=max(usual.memory_mb, options.memory_mb),
    )
    request = TaskRequest(
        runtime=source.runtime,
        code=source.code,
        input_json=read_input(options.input),
        filename=source.label,
        timezone=options.timezone,
        seed=options.seed,
        asked=Asked(timeout_seconds=options.timeout, memory_mb=options.memory_mb),
    )
    return make_job(request, ceilings, "run"), ceilings


def _warning(layers: frozenset[str]) -> str:
    off = ", ".join(name for name in LAYERS if name not in layers)
    return f"only these layers protect this machine: {format_layers(layers)}; off: {off or 'none'}"


def _shower(errors: Page) -> Callable[[LogLine], None]:
    return lambda line: errors.log_line(line.stream, line.text)


def _show(outcome: Outcome, label: str, errors: Page) -> None:
    if outcome.logs_truncated:
        errors.warning("the log was cut: its limit is reached")
    judged = outcome.verdict
    for event in outcome.events:
        if judged.failure is None or event.detail != judged.failure.message:  # that one is said below
            errors.warning(f"{event.layer} {event.action}: {event.detail}")
    if judged.failure is not None:
        errors.failure(judged.failure, label)
    elif judged.report is not None:
        output = Page.of(sys.stdout)
        output.line(output.safe(judged.report.output.decode("utf-8", "replace")))
