"""The code of docs/reference/python.md and python-packages.md, from top to bottom."""

import os
import pathlib
import re

import pytest
import whorl
from conftest import public_things

SOURCE = pathlib.Path(os.environ.get("WHORL_SOURCE", pathlib.Path(__file__).parents[3]))


def test_the_code_of_the_page_runs(tmp_path, monkeypatch, capsys):
    pages = [SOURCE / "docs/reference" / name for name in ("python.md", "python-packages.md")]
    text = "".join(page.read_text() for page in pages)
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 7
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(SOURCE / "data")
    names = {}
    for block in blocks:
        try:
            exec(compile(block, "docs/reference", "exec"), names)
        except Exception as error:
            pytest.fail(f"{error!r} in\n{block}")
    assert (tmp_path / "image.nii.gz").exists()
    # What the page says that it prints.
    assert "<whorl.Scan of 1 frames, 4 coils, image [256, 256]>" in capsys.readouterr().out


def test_pages_that_docstrings_name_are_in_the_package():
    texts = [whorl.__doc__, *(module.__doc__ for module in whorl._GROUPS.values()), *(thing.__doc__ for _, thing in public_things())]
    named = {page for text in texts for page in re.findall(r"docs/([\w/-]+\.md)", text)}
    named |= set(re.findall(r'"([\w/-]+\.md)"', whorl.__doc__))
    assert len(named) > 10
    assert [page for page in named if not (whorl.docs / page).is_file()] == []


def test_the_table_of_names_is_true():
    text = (SOURCE / "docs/records/python_names.md").read_text()
    named = set(re.findall(r"`whorl\.(\w+)\.(\w+)`", text))
    assert all(name in getattr(whorl, group).__all__ for group, name in named if group != "filters")
    assert {group: len(module.__all__) for group, module in whorl._GROUPS.items() if group != "filters"} == {
        group: sum(one == group for one, _ in named) for group in whorl._GROUPS if group != "filters"
    }
