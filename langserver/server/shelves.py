"""Whose compiled form it is: the place of a call's program in the cache."""

from __future__ import annotations

import hashlib

from langserver.core.fairness import Whose
from langserver.core.forms import FormCache, Shelf
from langserver.zygote.job import Job


def shelf_of(cache: FormCache, whose: Whose, job: Job) -> Shelf | None:
    """The shelf of a principal's program; None where nothing is kept: JavaScript, and validations, which make no code.

    A tenant has keys of his own but no share of his own: a principal can name as many as he likes. What else a form
    depends on, layers, policy, interpreter and packages, is the zygote's, and no form leaves the children of one.
    """
    if job.runtime != "python" or job.header.mode != "run":
        return None
    digest = hashlib.sha256()
    for part in (whose.tenant.encode(), job.header.label.encode(), job.source):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return Shelf(cache, whose.principal, digest.digest(), len(job.source))
