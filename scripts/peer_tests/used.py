"""How many tests of another project passed with an operator of whorl. Those that made none are counted apart: they did not test whorl.
A run without any fails."""

import functools
import sys
from collections import Counter

import pytest

_made = 0
_made_in = {}  # test: operators
_passed = set()
_shared = False


def counts(kind, shared=False):
    """Counts the objects of a class. shared: tests use operators that others made, so each need not make one."""
    global _shared
    _shared = shared
    init = kind.__init__

    @functools.wraps(init)
    def counted(self, *arguments, **options):
        global _made
        _made += 1
        init(self, *arguments, **options)

    kind.__init__ = counted


def replace(theirs, ours, package):
    """Puts ours where the modules of a package have theirs."""
    found = 0
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == package and vars(module).get(theirs.__name__) is theirs:
            setattr(module, theirs.__name__, ours)
            found += 1
    assert found, f"{theirs} is in no module of {package}"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    before = _made
    yield
    _made_in[item.nodeid] = _made - before


def pytest_runtest_logreport(report):
    if report.when == "call" and report.passed:
        _passed.add(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    if exitstatus == 0 and not _counted():
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter):
    counted = _counted()
    terminalreporter.write_line(
        f"whorl: {len(counted)} tests passed with an operator of whorl, {len(_passed) - len(counted)} made none"
    )
    for name, count in Counter(name.partition("[")[0] for name in sorted(_passed - counted)).items():
        terminalreporter.write_line(f"    {name}: {count} made none")


def _counted():
    if _shared:
        return _passed if _made else set()
    return {name for name in _passed if _made_in[name]}
