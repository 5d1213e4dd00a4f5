"""What an operator's package may do while it is loaded, and with what words a zygote refuses to start."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import pytest

from langserver.sandbox.layers import POLICY
from langserver.sandbox.probe import probe
from langserver.zygote.failures import ZygoteError
from langserver.zygote.request import TaskRequest
from tests.integration.holds.direct import one_zygote, output

ROOT = Path(__file__).resolve().parents[2]
LAYERS = frozenset(layer.name for layer in probe() if layer.available)

# Path of each file below the folder of packages, and its text.
FILES = {
    "good/__init__.py": "raised = 0\nclass Base:\n    pass\n",
    "good/late/__init__.py": "",
    "good/late/part.py": "value = 5\n",
    "good/optional.py": "import a_package_that_nobody_has\n",
    "good/ends.py": "raise SystemExit(3)\n",
    "good/tests/__init__.py": "raise AssertionError\n",
    "good/__main__.py": "import os\nos._exit(1)\n",
    "good/_private.py": "value = 6\n",
    "needs.py": "import good\nfrom good import Base\nclass Derived(Base):\n    pass\n",
    "talks.py": "import sys\nfor file in (sys.stdout, sys.stderr): file.write('x' * (1 << 20))\n",
    "holds.py": "file = open('/etc/passwd')\n",
    "forgets.py": "class A: pass\na = A()\na.a = a\na.file = open('/etc/passwd')\ndel a\n",
    "broken.py": "raise ImportError('libfoo.so.3 is missing:\\n  install it')\n",
    "ends.py": "import sys\nsys.exit('no licence')\n",
    "dies.py": "import ctypes\nctypes.string_at(0)\n",
    "starts.py": "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n",
    "below/__init__.py": "",
    "below/part.py": "import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n",
    "shares.py": "import mmap\nmemory = mmap.mmap(-1, 4096)\n",
    "private.py": "import mmap\nmemory = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n",
    "executes.py": "import mmap\nmemory = mmap.mmap(-1, 4096, flags=34, prot=7)\n",
    "numpy/__init__.py": "__version__ = '9'\n",
}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter that has these packages, and what this one has."""
    folder = tmp_path_factory.mktemp("packages")
    for name, text in FILES.items():
        file = folder / "more" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    paths = (ROOT, folder / "more", sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))
    (site / "paths.pth").write_text("".join(f"{path}\n" for path in dict.fromkeys(paths)))
    for each in (folder, *folder.parents):  # a zygote started by root becomes another user
        if each.stat().st_uid == os.getuid() and each != Path("/"):
            each.chmod(each.stat().st_mode | 0o055)
    return str(folder / "venv" / "bin" / "python")


@pytest.fixture(autouse=True)
def _their_interpreter(python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", python)


async def run(packages: tuple[str, ...], code: str, layers: frozenset[str] = LAYERS) -> object:
    async with one_zygote("python", layers, packages) as supply:
        return output(await supply.run(TaskRequest("python", textwrap.dedent(code))))


@pytest.mark.parametrize("layers", [LAYERS, LAYERS - {POLICY}])
async def test_all_of_a_package_is_loaded_and_what_fails_is_left_out(layers: frozenset[str]) -> None:
    code = """
    import good.late.part, needs
    from good import late
    def there(name):
        try:
            if name == "optional": import good.optional
            if name == "ends": import good.ends
            if name == "tests": import good.tests
            return True
        except ImportError:
            return False
    class Mine(needs.Derived):
        pass
    held = needs.Derived()
    held.value = 7
    result = [good.late.part.value, late.part.value, there("optional"), there("ends"), there("tests"), held.value,
              isinstance(Mine(), good.Base), type(held) is needs.Derived]
    """
    assert await run(("good", "needs"), code, layers) == [5, 5, False, False, False, 7, True, True]


async def test_what_a_package_needs_is_loaded_whole_but_not_offered() -> None:
    code = """
    import needs
    try:
        import good
    except ImportError as error:
        result = [needs.good.late.part.value, str(error)]
    """
    value, message = await run(("needs",), code)
    assert value == 5
    assert "'good' is not available" in message


async def test_a_module_of_a_package() -> None:
    code = """
    import good.late.part
    from good.late import part
    try:
        from good import nothing
    except ImportError:
        result = [good.late.part.value, part.value]
    """
    assert await run(("good.late.part",), code) == [5, 5]


async def test_the_one_module_that_is_never_there_unless_it_is_named() -> None:
    assert await run(("signal",), "import signal\nresult = signal.SIGKILL == 9") is True


async def test_what_it_prints_goes_nowhere_and_holds_nobody_up() -> None:
    assert await run(("talks",), "import talks\nresult = talks.__name__") == "talks"


async def test_a_file_that_nobody_refers_to_is_no_fault_nor_is_memory_of_its_own() -> None:
    code = "import forgets, private\nresult = [forgets.__name__, private.memory[0]]"
    assert await run(("forgets", "private"), code) == ["forgets", 0]


@pytest.mark.parametrize(
    ("packages", "reason"),
    [
        (("nothing_of_the_kind",), "nothing_of_the_kind cannot be imported: ModuleNotFoundError: No module named "),
        (("good.nothing",), "good.nothing cannot be imported: ModuleNotFoundError: No module named 'good.nothing'"),
        (("good", "broken"), "broken cannot be imported: ImportError: libfoo.so.3 is missing: install it"),
        (("ends",), "ends cannot be imported: SystemExit: no licence"),
        (("dies",), "loading dies did not come to an end"),
        (("good", "starts"), "starts starts threads (1), and children can only be forked from a process with one"),
        (("below",), "below.part starts threads (1), and children can only be forked from a process with one"),
        (("holds",), "holds leaves a descriptor open (/etc/passwd), and a child has none but its own"),
        (("shares",), "shares maps memory that all children would share"),
        (("executes",), "executes maps memory that can be written to and executed"),
        (("numpy",), "numpy cannot be exercised: ModuleNotFoundError: No module named 'numpy."),
    ],
    ids=str,
)
async def test_a_start_is_refused_with_variable_package_and_reason(packages: tuple[str, ...], reason: str) -> None:
    with pytest.raises(ZygoteError) as caught:
        async with one_zygote("python", LAYERS, packages):
            pass
    assert str(caught.value).startswith(f"the python zygote could not start: LANG_PYTHON_MODULES: {reason}")
