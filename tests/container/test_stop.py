"""How a container is stopped: what runs may end, and the exit status is 0."""

from __future__ import annotations

import subprocess

from tests.container.engine import Engine, call
from tests.container.server import serving

THREE_SECONDS = {
    "python": "import time\nprint('started')\ntime.sleep(3)\nreturn 'done'\n",
    "js": "console.log('started'); await new Promise((done) => setTimeout(done, 3000)); return 'done'",
}
PATIENT = ("podman", "stop", "--time=60")  # then it kills


def test_stopping_lets_running_tasks_end(engine: Engine, image: str) -> None:
    with serving(engine, image) as server, server.connect() as client:
        calls = [client.stream(code, runtime=runtime) for runtime, code in THREE_SECONDS.items()]
        assert [next(call).log.text for call in calls] == ["started", "started"]
        with subprocess.Popen([*PATIENT, server.name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            answers = [event.response.output_json for call in calls for event in call]
        assert answers == ['"done"', '"done"']
        status, errors = server.wait()
    assert status == 0, errors
    assert "draining" in errors
    assert "Traceback" not in errors


def test_stopping_an_idle_one(engine: Engine, image: str) -> None:
    with serving(engine, image) as server:
        call(*PATIENT, server.name)
        status, errors = server.wait()
    assert (status, "Traceback" in errors) == (0, False)
