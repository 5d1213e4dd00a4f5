"""What a child does before it has a task: nothing of it is there for the task, and a child without it is no other."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.runtimes.js.driver import ROOT
from tests.runtimes.js.forked import FORKED

# Two children, one of them warm, run the same programs; each says what it answers.
SIBLINGS = (
    FORKED
    + """
import json, sys
from langserver.wire.channel import Channel
from langserver.wire.header import TaskHeader
class Told(Channel):
    def __init__(self):
        super().__init__(-1)
        self.reports = []
        self.set_log_budget(1 << 16)
    def report(self, report):
        self.reports.append(report)
    def send_prepared(self, data):
        pass
def answer(times):
    runtime.wake()
    for _ in range(times):
        runtime.warm_up()
    header = TaskHeader("run", "Asia/Kolkata", 7, "mine.js", 1 << 16, 1 << 16)
    program = runtime.compile(header, sys.argv[1])
    runtime.parse_input(b'{"a": 1}')
    runtime.reseed(header)
    channel = Told()
    runtime.run(program, None, header, channel)
    (report,) = channel.reports
    return json.dumps([report.output.decode(), [failure.traceback for failure in report.failures]]).encode()
runtime.learn(child(rehearsed))
print(json.dumps([json.loads(child(lambda: answer(times))) for times in (0, 1, 5)]), flush=True)
os._exit(0)
"""
)
# All that can be reached from the global object and the modules, as text.
LOOK_AROUND = r"""
const seen = new Set(), found = [];
function look(value, path) {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
  seen.add(value);
  found.push([path, Object.isExtensible(value)]);
  for (const key of Reflect.ownKeys(value)) {
    const it = Object.getOwnPropertyDescriptor(value, key), name = `${path}.${String(key)}`;
    const shown = typeof it.value === 'function' ? Function.prototype.toString.call(it.value) : String(it.value === Object(it.value));
    found.push([name, it.writable, it.enumerable, it.configurable, typeof it.value, shown, it.value === Object(it.value) ? '' : String(it.value)]);
    if (/timeOrigin$/.test(name)) found.pop(); // when it began is its own
    look(it.value, name); look(it.get, name); look(it.set, name);
  }
  look(Object.getPrototypeOf(value), path + '.__proto__');
}
look(globalThis, 'globalThis');
for (const name of ['assert', 'buffer', 'crypto', 'events', 'path', 'querystring', 'string_decoder', 'url', 'util']) look(require(name), name);
if (found.length < 3000) throw new Error('it has not looked around: ' + found.length);
const digest = require('crypto').createHash('sha256').update(JSON.stringify(found)).digest('hex');
return [digest, inputs, new Error('x').stack, console.count() + '', setTimeout(() => {}, 0) + '', RegExp.$1];
"""  # noqa: E501 - JavaScript
PROGRAMS = {
    "all there is": (LOOK_AROUND, None),
    "inputs": ("return [inputs, Object.getOwnPropertyNames(globalThis).length]", None),
    "zone": (
        "return [new Date(0).getHours(), Intl.DateTimeFormat().resolvedOptions().timeZone]",
        '[5,"Asia/Calcutta"]',
    ),
    "seed": ("return [Math.random(), Math.random()]", None),
    "label": ("function main() { null.x }", ""),
    "formatter": ("const has = Object.hasOwn(Error, 'prepareStackTrace'); function main() { return has }", "false"),
    "main that there is not": ("typeof main + typeof result", '"undefinedundefined"'),
    "script names": ("let inputs_ = 1; const result = 2; result", "2"),
    "timers": ("return setTimeout(() => 1, 1)", "1"),
    "age": ("return performance.now() < 60000", "true"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_warm_child_answers_as_one_that_is_not(name: str) -> None:
    source, wanted = PROGRAMS[name]
    done = subprocess.run(
        [sys.executable, "-c", SIBLINGS, source], capture_output=True, text=True, check=True, timeout=60, cwd=ROOT
    )
    cold, *warm = json.loads(done.stdout)
    assert warm == [cold, cold]
    assert bool(cold[0]) is (wanted != ""), "it ran"
    assert wanted is None or cold[0] == wanted
