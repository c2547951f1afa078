"""What is measured: scans, their frames, trajectories and positions."""

from . import _calls
from ._core import (
    FrameIndex,
    GatedScan,
    Geometry,
    Scan,
    ScanFrame,
    Trajectory,
    make_frames,
)

_EXAMPLES = """
FrameIndex
    A SCAN
    >>> scan.frames[0].index.repetition
    0
GatedScan
    A SCAN
    >>> whorl.make_frames(scan, spokes_per_frame=5).scan
    <whorl.Scan of 4 frames, 4 coils, image [16, 16]>
Geometry
    >>> where = whorl.Geometry()
    >>> where.field_of_view_mm = (220, 220, 5)
    >>> whorl.Scan(whorl.trajectory.radial_trajectory(20, 32), (16, 16), geometry=where)
    <whorl.Scan of 1 frames, 0 coils, image [16, 16]>
Scan
    >>> spokes = whorl.trajectory.radial_trajectory(20, 32)
    >>> whorl.Scan(spokes, (16, 16), np.ones((4, 640), "complex64"))
    <whorl.Scan of 1 frames, 4 coils, image [16, 16]>
Scan.replace
    >>> scan = whorl.Scan(whorl.trajectory.radial_trajectory(20, 32), (16, 16), np.ones((4, 640), "complex64"))
    >>> scan.replace(data=scan.frames[0].data * 2, noise=np.ones((4, 100), "complex64"))
    <whorl.Scan of 1 frames, 4 coils, image [16, 16]>
ScanFrame
    A SCAN
    >>> scan.frames[0].data.shape
    (4, 640)
Trajectory
    >>> line = whorl.Trajectory(np.linspace(-0.5, 0.4, 10)[:, None] * [1, 0], readout_length=10)
    >>> line.points.shape
    (10, 2)
Trajectory.fingerprint
    >>> spokes = whorl.trajectory.radial_trajectory(20, 32)
    >>> spokes.fingerprint() == whorl.Trajectory(spokes.points).fingerprint(), len(spokes.fingerprint())
    (True, 64)
make_frames
    A SCAN
    >>> len(whorl.make_frames(scan, spokes_per_frame=5).scan.frames)
    4
"""

__all__ = _calls.explain_module(globals(), _EXAMPLES)
