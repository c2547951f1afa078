"""The code of pages runs, from top to bottom."""

import os
import pathlib
import re

import pytest
import whorl
from conftest import public_things

SOURCE = pathlib.Path(os.environ.get("WHORL_SOURCE", pathlib.Path(__file__).parents[3]))


# Pages whose code is one program, and how many blocks it has at least. docs/compare/calls.md has a test of its own.
PAGES = [
    (["docs/reference/python.md", "docs/reference/python-packages.md"], 7),
    (["README.md"], 1),
    (["docs/start/first-image.md"], 1),
    (["docs/start/own-data.md"], 1),
]


def blocks_of(page):
    return re.findall(r"^```python\n(.*?)^```", (SOURCE / page).read_text(), re.DOTALL | re.MULTILINE)


def run_code(pages, folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "data").symlink_to(SOURCE / "data")
    names = {}
    for block in [block for page in pages for block in blocks_of(page)]:
        try:
            exec(compile(block, pages[0], "exec"), names)
        except Exception as error:
            pytest.fail(f"{error!r} in\n{block}")


@pytest.mark.parametrize(("pages", "least_blocks"), PAGES)
def test_the_code_of_the_page_runs(pages, least_blocks, tmp_path, monkeypatch, capsys):
    assert sum(len(blocks_of(page)) for page in pages) >= least_blocks
    run_code(pages, tmp_path, monkeypatch)
    if "docs/reference/python.md" in pages:  # what it says that it writes and prints
        assert (tmp_path / "image.nii.gz").exists()
        assert "<whorl.Scan of 1 frames, 4 coils, image [256, 256]>" in capsys.readouterr().out


def test_every_page_with_code_is_among_them():
    tested = {page for pages, _ in PAGES for page in pages} | {"docs/compare/calls.md"}
    pages = [SOURCE / "README.md", *(SOURCE / "docs").glob("**/*.md")]
    names = [str(page.relative_to(SOURCE)) for page in pages]
    assert {name for name in names if blocks_of(name)} <= tested


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
