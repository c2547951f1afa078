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
CancelToken.reset
    >>> token = whorl.devices.CancelToken()
    >>> token.request()
    >>> token.reset()  # what begins from now on runs again
    >>> token.requested
    False
Context
    >>> context = whorl.Context(threads=2)
    >>> whorl.trajectory.radial_trajectory(5, 16, context=context)
    <whorl.Trajectory of 80 samples in 2D>
Context.memory
    >>> context = whorl.Context()
    >>> sorted(context.memory())
    ['cached', 'in_use', 'peak']
Context.request_cancel
    >>> context = whorl.Context()
    >>> context.request_cancel()  # as a rule from another thread
    >>> try:
    ...     whorl.Nufft(np.zeros((4, 2)), (8, 8), context=context)
    ... except whorl.Cancelled:
    ...     print("stopped")
    stopped
Context.with_cancel
    >>> token = whorl.devices.CancelToken()
    >>> mine = whorl.Context(threads=2).with_cancel(token)  # one pool of memory, two requests to stop
Context.with_progress
    >>> stages = []
    >>> context = whorl.Context().with_progress(lambda stage, done, total, detail: stages.append(stage))
    >>> scan = whorl.Scan(whorl.trajectory.radial_trajectory(20, 32), (16, 16), np.ones((2, 640), "complex64"))
    >>> image = whorl.recon(scan, method="gridding", context=context)
    >>> stages[0]
    'reconstruction'
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
