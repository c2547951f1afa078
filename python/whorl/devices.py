"""Where work is done, by how many threads, who hears of it and who stops it."""

from . import _calls
from ._core import (
    CancelToken,
    Context,
    build_facts,
    default_context,
    describe_device,
)

_EXAMPLES = """
CancelToken
    >>> token = whorl.devices.CancelToken()
    >>> context = whorl.Context(cancel=token)  # token.request() stops what runs there
    >>> token.requested
    False
Context
    >>> context = whorl.Context(threads=2)
    >>> whorl.trajectory.radial_trajectory(5, 16, context=context)
    <whorl.Trajectory of 80 samples in 2D>
build_facts
    >>> len(whorl.devices.build_facts()) > 0
    True
default_context
    >>> whorl.devices.default_context().threads > 0
    True
describe_device
    >>> isinstance(whorl.devices.describe_device("cpu"), str)
    True
"""

__all__ = _calls.explain_module(globals(), _EXAMPLES)
