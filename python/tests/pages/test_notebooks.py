"""The notebooks: their cells run from top to bottom, and their own assertions hold."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(os.environ.get("WHORL_SOURCE", pathlib.Path(__file__).parents[3]))
FOLDER = SOURCE / "examples/notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_each_notebook_is_in_the_table():
    assert len(NOTEBOOKS) >= 10
    table = (FOLDER / "README.md").read_text()
    assert [path.name for path in NOTEBOOKS if f"({path.name})" not in table] == []


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(notebook, tmp_path):
    cells = json.loads(notebook.read_text())["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    # Somebody reads it: words come first, and what was printed is not kept.
    assert cells[0]["cell_type"] == "markdown" and cells[0]["source"][0].startswith("# ")
    assert not any(cell["outputs"] or cell["execution_count"] for cell in code)
    # A copy at the same place relative to the data: nothing is written into the sources.
    folder = tmp_path / "examples/notebooks"
    folder.mkdir(parents=True)
    (tmp_path / "data").symlink_to(SOURCE / "data")
    shutil.copy(FOLDER / "show.py", folder)
    (folder / "cells.py").write_text("\n\n".join("".join(cell["source"]) for cell in code))
    run = subprocess.run(
        [sys.executable, "cells.py"], cwd=folder, env=os.environ | {"MPLBACKEND": "agg"}, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.strip()
