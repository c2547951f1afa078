"""whorl: non-Cartesian MRI reconstruction, from trajectories to images, on CPUs and NVIDIA GPUs.

Functions have the names of the C++ library. Arrays are those of NumPy, PyTorch, CuPy or JAX, and so are the results.
Images are [coil, (z,) y, x], samples [coil, sample], trajectories [sample, dim] with the columns x, y(, z) in cycles per
pixel, |k| <= 0.5.
"""

from . import _core
from ._core import *  # noqa: F403
from ._core import filters, version
from ._gradient import trajectory_gradient

__version__ = version()

# `from whorl import *` leaves Python's own names alone.
__all__ = [name for name in dir(_core) if not name.startswith("_") and name not in ("ValueError", "filter")]
__all__ += ["trajectory_gradient"]
