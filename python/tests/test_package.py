"""The package as it is installed: its libraries inside, found from there, no CUDA before a GPU is asked for, and nothing of X."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

BUILD = os.environ.get("WHORL_BUILD")
SOURCE = pathlib.Path(os.environ.get("WHORL_SOURCE", pathlib.Path(__file__).parents[2]))

USE = """
import numpy, whorl
points = whorl.trajectory.radial_trajectory(10, 16)
assert (whorl.Nufft(points, (8, 8)).H @ numpy.ones((1, 160), "complex64")).shape == (1, 8, 8)
paths = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
for path in sorted(paths):
    print(path)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    if BUILD is None:
        pytest.skip("WHORL_BUILD, the folder of a build, is not set")
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(["cmake", "--install", BUILD, "--component", "python", "--prefix", folder], check=True, capture_output=True)
    for source in (SOURCE / "python/whorl").glob("*.py"):
        shutil.copy(source, folder / "whorl")
    # The libraries of the build are somewhere else now.
    moved = folder.with_name("moved")
    folder.rename(moved)
    return moved


def test_libraries_are_inside_and_cuda_is_not_loaded(installed):
    environment = {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "PYTHONPATH")}
    run = subprocess.run(
        [sys.executable, "-c", USE],
        env=environment | {"PYTHONPATH": str(installed)},
        cwd=installed,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    mapped = run.stdout.splitlines()
    whorls = [path for path in mapped if "libwhorl" in path]
    assert whorls and all(path.startswith(str(installed / "whorl")) for path in whorls), whorls
    assert not [path for path in mapped if re.search("libcu(da|fft|blas)", path)]
    # Cairo, and the libraries of X that it needs, are for figures.
    assert not [path for path in mapped if re.search("lib(X|xcb|cairo)", path)]


def test_all_libraries_of_the_package_are_found(installed):
    for library in (installed / "whorl").glob("*.so*"):
        found = subprocess.run(["ldd", library], capture_output=True, text=True).stdout
        lines = [line for line in found.splitlines() if "libwhorl" in line or "not found" in line]
        assert all(str(installed) in line for line in lines), (library, lines)
        assert not re.search("lib(X|xcb|cairo)", found), found


def test_the_pages_are_inside(installed):
    pages = {str(path.relative_to(installed / "whorl/docs")) for path in (installed / "whorl/docs").rglob("*") if path.is_file()}
    assert {"reference/python.md", "start/first-image.md", "trouble.md", "howto/doctor.md"} <= pages
    assert all(page.endswith(".md") for page in pages)
