"""`langserver check`: parses code and holds it against the policy, in a sealed child; runs nothing."""

from __future__ import annotations

import sys
from argparse import Namespace

from langserver.commands import as_json
from langserver.commands.added import added_jit, added_packages
from langserver.commands.answers import exit_status, refuse
from langserver.commands.one_task import perform, until_signal
from langserver.commands.present import Page
from langserver.commands.sources import read_source
from langserver.commands.walls import default_layers
from langserver.core.verdict import Refusal, Verdict
from langserver.errors import RequestError, StartError
from langserver.limits import VALIDATE_SECONDS, Asked, Ceilings
from langserver.zygote.job import LogLine
from langserver.zygote.request import TaskRequest, make_job


def check(options: Namespace) -> int:
    """Checks the file that `options` names; returns the exit status. Raises UsageError, and Interrupted."""
    try:
        source = read_source(options.file, options.runtime)
        ceilings = Ceilings()
        request = TaskRequest(
            source.runtime, source.code, filename=source.label, asked=Asked(timeout_seconds=VALIDATE_SECONDS)
        )
        job = make_job(request, ceilings, "validate")
        packages, jit = added_packages(job.runtime), added_jit(job.runtime)
        judged = until_signal(perform(job, ceilings, default_layers(), packages, _nothing_runs, jit=jit)).verdict
    except RequestError as error:
        return refuse(options.json, Refusal.INVALID_ARGUMENT, str(error))
    except StartError as error:
        return refuse(options.json, Refusal.UNAVAILABLE, str(error))
    if judged.refusal is not None:
        return refuse(options.json, judged.refusal, judged.message)
    if options.json:
        Page.of(sys.stdout).line(as_json.dumps(as_json.validate_response(judged)))
    else:
        _show(judged, job.header.label)
    return exit_status(judged.failure)


def _show(judged: Verdict, label: str) -> None:
    page = Page.of(sys.stdout)
    for problem in as_json.problems(judged):
        page.failure(problem, label)
    if judged.failure is None and judged.report is not None:
        imports = ", ".join(judged.report.imports)
        page.line(f"{label}: ok" + (f", imports {page.safe(imports)}" if imports else ""))


def _nothing_runs(_: LogLine) -> None:
    """A validation logs nothing."""
