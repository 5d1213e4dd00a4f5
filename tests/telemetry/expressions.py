"""As much of PromQL as says which figures an expression reads, and whether it reads them as what they are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

OF_THE_SCRAPE = frozenset({"instance", "job"})  # labels that Prometheus adds
_COUNTERS_ONLY = ("rate", "increase")
_WORDS = frozenset({"by", "and", "or", "unless", "without"})
_SELECTOR = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(\{[^}]*\})?\s*(\[[^\]]+\])?")
_MATCHER = re.compile(r'([a-z_]+)\s*(=~|!=|!~|=)\s*"([^"]*)"')
_BY = re.compile(r"\bby\s*\(([^)]*)\)")


@dataclass
class Known:
    """What a scrape showed: the type of each sample's name, and the values of its labels."""

    types: dict[str, str] = field(default_factory=dict)
    labels: dict[str, dict[str, set[str]]] = field(default_factory=dict)

    def learn(self, families: list[Any]) -> None:
        for family in families:
            for sample in family.samples:
                bucket = family.type == "histogram" and sample.name.rpartition("_")[2]
                self.types[sample.name] = f"histogram {bucket}" if bucket else family.type
                values = self.labels.setdefault(sample.name, {})
                for name, value in sample.labels.items():
                    values.setdefault(name, set()).add(value)


def faults(expression: str, known: Known) -> list[str]:
    """What is wrong with an expression; nothing when all is well."""
    found: list[str] = []
    for match in _SELECTOR.finditer(_without_by(expression)):
        name, matchers, window = match[1], match[2] or "", match[3]
        behind = _without_by(expression)[match.end() :].lstrip()
        if name in _WORDS or behind.startswith("(") or name in ("Inf", "up"):
            continue
        if name not in known.types:
            found.append(f"{name}: no such figure")
            continue
        counted = known.types[name] in ("counter", "histogram bucket", "histogram count", "histogram sum")
        within = _function_around(_without_by(expression), match.start())
        if counted and not (window and within in _COUNTERS_ONLY):
            found.append(f"{name}: only ever grows, and is read as if it did not")
        if not counted and within in _COUNTERS_ONLY:
            found.append(f"{name}: goes up and down, and is read as if it only grew")
        for label, _, value in _MATCHER.findall(matchers):
            found += _label(known, name, label, value)
    for match in _BY.finditer(expression):
        labels = {label.strip() for label in match[1].split(",")} - OF_THE_SCRAPE
        for name in _names(expression[match.end() :], known):
            found += [f"{name}: has no label {label}" for label in labels - set(known.labels[name])]
    if "histogram_quantile" in expression:
        if any(known.types[name] != "histogram bucket" for name in _names(expression, known)):
            found.append("a quantile of what is no buckets")
        if not all("le" in match[1] for match in _BY.finditer(expression)):
            found.append("a quantile without `le`")
    return found


def _label(known: Known, name: str, label: str, value: str) -> list[str]:
    if label in OF_THE_SCRAPE:
        return []
    values = known.labels[name].get(label)
    if values is None:
        return [f"{name}: has no label {label}"]
    return [f"{name}: {label} is never {one!r}" for one in value.split("|") if one not in values]


def _names(text: str, known: Known) -> list[str]:
    """The figures in the parentheses that `text` begins with, or in all of it."""
    text = text.strip()
    if text.startswith("("):
        depth = 0
        for place, char in enumerate(text):
            depth += (char == "(") - (char == ")")
            if not depth:
                text = text[:place]
                break
    return [match[1] for match in _SELECTOR.finditer(_without_by(text)) if match[1] in known.types]


def _function_around(text: str, place: int) -> str:
    """The function whose parentheses are the innermost around a place."""
    depth = 0
    for at in range(place - 1, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if depth < 0:
            return (re.findall(r"[a-z_]+$", text[:at].rstrip()) or [""])[0]
    return ""


def _without_by(text: str) -> str:
    """Label lists blanked out, at the same length."""
    return _BY.sub(lambda match: " " * len(match[0]), text)
