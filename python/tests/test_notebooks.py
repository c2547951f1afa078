"""The notebooks, at a small size: each runs as a script, and its own assertions hold."""

import os
import pathlib
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(os.environ.get("WHORL_SOURCE", pathlib.Path(__file__).parents[2]))
NOTEBOOKS = sorted((SOURCE / "examples/notebooks").glob("*.py"))


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 5


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(notebook, tmp_path):
    environment = os.environ | {"WHORL_SMALL": "1", "WHORL_SOURCE": str(SOURCE), "MPLBACKEND": "agg"}
    run = subprocess.run([sys.executable, notebook], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.strip()
    # Its cells are those of jupytext's percent format.
    text = notebook.read_text()
    assert text.startswith("# ---\n# jupyter:") and text.count("# %%") >= 3
