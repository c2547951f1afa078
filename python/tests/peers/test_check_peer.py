"""scripts/check-peer: sources are unpacked by any Python, and what is missing is said."""

import importlib.machinery
import importlib.util
import io
import os
import pathlib
import subprocess
import sys
import tarfile

import pytest

SOURCE = pathlib.Path(os.environ.get("WHORL_SOURCE", pathlib.Path(__file__).parents[3]))
SCRIPT = SOURCE / "scripts/check-peer"


@pytest.fixture(scope="module")
def script():
    loader = importlib.machinery.SourceFileLoader("check_peer", str(SCRIPT))
    spec = importlib.util.spec_from_loader("check_peer", loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules["check_peer"] = module  # dataclasses look for it
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    loader.exec_module(module)
    sys.dont_write_bytecode = writes
    return module


def archive_of(path, name):
    with tarfile.open(path, "w:gz") as tar:
        member = tarfile.TarInfo(name)
        member.size = 3
        tar.addfile(member, io.BytesIO(b"abc"))
    return path


def test_sources_are_unpacked_without_filters(script, tmp_path, monkeypatch):
    # As Debian 12's Python 3.11.2, whose tarfile has none.
    monkeypatch.delattr(tarfile, "data_filter", raising=False)
    script.extract(archive_of(tmp_path / "good.tar.gz", "peer-1/test.py"), tmp_path)
    assert (tmp_path / "peer-1/test.py").read_text() == "abc"
    with pytest.raises(SystemExit, match="bad.tar.gz has ../test.py"):
        script.extract(archive_of(tmp_path / "bad.tar.gz", "../test.py"), tmp_path)


def test_what_is_missing_is_said(tmp_path):
    def said(**settings):
        environment = os.environ | {"VENV": str(tmp_path / "venv"), **settings}
        run = subprocess.run([sys.executable, SCRIPT, "sigpy"], env=environment, capture_output=True, text=True)
        assert run.returncode == 1 and not (tmp_path / "venv").exists() and "Traceback" not in run.stderr
        return run.stderr

    without_venv = tmp_path / "python"
    without_venv.write_text(f'#!/bin/sh\n[ "$2" = venv ] && echo "ensurepip is not available" && exit 1\nexec {sys.executable} "$@"\n')
    without_venv.chmod(0o755)
    assert f"this failed, as it says above: {without_venv} -m venv" in said(PYTHON=str(without_venv))
    assert "none is missing; scripts/install-dependencies --test" in said(PYTHON=str(tmp_path / "none"))
    assert "finds no package whorl" in said(PYTHON=sys.executable, PYTHONPATH=str(tmp_path))
