"""A command that is interrupted takes everything with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

HANG_GUARD_SECONDS = 30
ENDLESS = {"a.py": "print('running')\nwhile True:\n    pass\n", "a.js": "console.log('running'); for (;;) {}"}


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [one for one in processes if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


def wait_until_gone(processes: list[psutil.Process]) -> None:
    deadline = time.monotonic() + HANG_GUARD_SECONDS
    while alive(processes):
        assert time.monotonic() < deadline, f"left: {alive(processes)}"
        time.sleep(0.02)


def start(task, tmp_path, name: str) -> tuple[subprocess.Popen[str], list[psutil.Process]]:
    """The command, its task running, and all its descendants: at least a zygote and a child."""
    return watch([sys.executable, "-m", "langserver.cli", "run", task(name, ENDLESS[name])], tmp_path)


def watch(command: list[str], folder) -> tuple[subprocess.Popen[str], list[psutil.Process]]:
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr.readline() == "running\n"
    descendants = psutil.Process(process.pid).children(recursive=True)
    assert len(descendants) >= 2
    return process, descendants


@pytest.mark.parametrize("name", list(ENDLESS))
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_task_and_leaves_nothing(task, tmp_path, name, number, status):
    process, descendants = start(task, tmp_path, name)
    process.send_signal(number)
    out, err = process.communicate(timeout=HANG_GUARD_SECONDS)

    assert (process.returncode, out, err) == (status, "", f"langserver: ended by {number.name}\n")
    assert not alive(descendants)


# What a parent leaves behind: nobody is told of a child's end, and no signal arrives.
DEAF = """
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
os.execv(sys.executable, [sys.executable, "-m", "langserver.cli", "run", sys.argv[1]])
"""


def test_what_the_parent_ignored_and_blocked_is_its_own_affair(task, tmp_path):
    process, descendants = watch([sys.executable, "-c", DEAF, task("a.py", ENDLESS["a.py"])], tmp_path)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=HANG_GUARD_SECONDS)

    assert (process.returncode, out, err) == (143, "", "langserver: ended by SIGTERM\n")
    assert not alive(descendants)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can take /proc away")
def test_without_proc_it_says_so(task, tmp_path):
    command = f"umount -l /proc && exec {sys.executable} -m langserver.cli run {task('a.py', 'result = 1')}"
    done = subprocess.run(["unshare", "--mount", "sh", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    if done.stderr.startswith(("umount:", "unshare:")):
        pytest.skip(f"/proc cannot be taken away here: {done.stderr.strip()}")
    assert (done.returncode, done.stdout) == (3, "")
    assert "no /proc is mounted here" in done.stderr
    assert "Traceback" not in done.stderr


def zygotes(pid: int) -> list[psutil.Process]:
    found = []
    for process in psutil.Process(pid).children(recursive=True):
        try:
            if "langserver.zygote.main" in process.cmdline():
                found.append(process)
        except psutil.Error:  # it ends just now
            continue
    return found


def test_a_signal_while_the_zygote_starts(task, tmp_path):
    command = [sys.executable, "-m", "langserver.cli", "run", task("a.py", ENDLESS["a.py"])]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + HANG_GUARD_SECONDS
        while not (descendants := zygotes(process.pid)):  # not those that find out about namespaces, before it
            assert time.monotonic() < deadline
        process.terminate()
        process.wait(HANG_GUARD_SECONDS)
        said = process.stderr.read()

    assert process.returncode == 143
    assert said.endswith("langserver: ended by SIGTERM\n")
    assert not alive(descendants)


def test_nothing_outlives_a_command_that_is_killed(task, tmp_path):
    process, descendants = start(task, tmp_path, "a.py")
    process.kill()
    process.communicate(timeout=HANG_GUARD_SECONDS)

    wait_until_gone(descendants)
