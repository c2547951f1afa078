"""Trajectories, their density weights and what gradients make of them."""

from . import _calls
from ._core import (
    DesignedTrajectory,
    PlayedTrajectory,
    cartesian_mask,
    cartesian_trajectory,
    cones_trajectory,
    delayed,
    density_adapted_radial,
    density_quality,
    density_weights,
    designed_cones,
    designed_rosette,
    designed_spiral,
    kooshball_trajectory,
    normalize_weights,
    played,
    propeller_trajectory,
    radial_trajectory,
    random_trajectory,
    rosette_trajectory,
    sample_times,
    shifted_readouts,
    spiral_trajectory,
    stack_trajectory,
    twisted_projection,
)

_EXAMPLES = """
DesignedTrajectory
    >>> spiral = whorl.trajectory.designed_spiral(4, 8, pixel=4)
    >>> spiral.gradients_mt_per_m.shape[-1], spiral.raster_us
    (2, 10.0)
DesignedTrajectory.peaks
    >>> spiral = whorl.trajectory.designed_spiral(4, 8, pixel=4, max_gradient=30, max_slew=120)
    >>> amplitude, slew = spiral.peaks()
    >>> amplitude <= 30.001 and slew <= 120.001
    True
DesignedTrajectory.slew_rates
    >>> spiral = whorl.trajectory.designed_spiral(4, 8, pixel=4)
    >>> spiral.slew_rates().shape == spiral.gradients_mt_per_m.shape[:2]
    True
PlayedTrajectory
    >>> nominal = whorl.trajectory.radial_trajectory(4, 16)
    >>> exact = whorl.correct.GradientResponse([0, 1e5, 2e5], np.tile(np.eye(3), (3, 1, 1)))
    >>> played = whorl.trajectory.played(nominal, exact, dwell_us=5)
    >>> bool(abs(played.trajectory.points - nominal.points).max() < 1e-3)
    True
cartesian_mask
    >>> int(whorl.trajectory.cartesian_mask((8, 8), undersampling="regular", acceleration=2).sum())
    4
cartesian_trajectory
    >>> whorl.trajectory.cartesian_trajectory((8, 6)).points.shape
    (48, 2)
cones_trajectory
    >>> whorl.trajectory.cones_trajectory(32, cones=5, matrix=8)
    <whorl.Trajectory of 160 samples in 3D>
delayed
    >>> spokes = whorl.trajectory.radial_trajectory(4, 16)
    >>> late = whorl.trajectory.delayed(spokes, whorl.correct.GradientDelays(x=0.5))
    >>> late.points.shape
    (64, 2)
density_adapted_radial
    >>> designed = whorl.trajectory.density_adapted_radial([[0, 0, 1], [1, 0, 0]], 0.4, pixel=4, max_gradient=4)
    >>> designed.trajectory.dim
    3
density_quality
    >>> spokes = whorl.trajectory.radial_trajectory(40, 32)
    >>> weights = whorl.trajectory.density_weights(spokes, (16, 16))
    >>> sorted(whorl.trajectory.density_quality(spokes.points, weights, (16, 16)))[:3]
    ['least', 'most', 'side_lobe']
density_weights
    >>> weights = whorl.trajectory.density_weights(whorl.trajectory.radial_trajectory(20, 32), (16, 16))
    >>> weights.shape, round(float(weights.mean()), 3)
    ((640,), 1.0)
designed_cones
    >>> whorl.trajectory.designed_cones(cones=3, matrix=16, pixel=4).trajectory.dim
    3
designed_rosette
    >>> whorl.trajectory.designed_rosette(2, 3, 1, pixel=4).trajectory.dim
    2
designed_spiral
    >>> spiral = whorl.trajectory.designed_spiral(4, 8, pixel=4, max_slew=100)
    >>> spiral.trajectory.dim
    2
kooshball_trajectory
    >>> whorl.trajectory.kooshball_trajectory(10, 16)
    <whorl.Trajectory of 160 samples in 3D>
normalize_weights
    >>> whorl.trajectory.normalize_weights(np.array([1.0, 3.0]))
    array([0.5, 1.5])
played
    >>> late = whorl.correct.GradientResponse([0, 1e5, 2e5], np.tile(np.eye(3), (3, 1, 1)))
    >>> whorl.trajectory.played(whorl.trajectory.radial_trajectory(4, 16), late, dwell_us=5).trajectory
    <whorl.Trajectory of 64 samples in 2D>
propeller_trajectory
    >>> whorl.trajectory.propeller_trajectory(blades=3, lines=4, readout=16, matrix=16)
    <whorl.Trajectory of 192 samples in 2D>
radial_trajectory
    >>> spokes = whorl.trajectory.radial_trajectory(13, 32)
    >>> spokes, float(abs(spokes.points).max())
    (<whorl.Trajectory of 416 samples in 2D>, 0.5)
random_trajectory
    >>> whorl.trajectory.random_trajectory(100, 3, region="ball")
    <whorl.Trajectory of 100 samples in 3D>
rosette_trajectory
    >>> whorl.trajectory.rosette_trajectory(2, 64, 3, 1)
    <whorl.Trajectory of 128 samples in 2D>
sample_times
    >>> spokes = whorl.trajectory.radial_trajectory(2, 4)
    >>> whorl.trajectory.sample_times(spokes, 100, 10)[:4]
    array([1.0e-04, 1.1e-04, 1.2e-04, 1.3e-04])
shifted_readouts
    >>> spokes = whorl.trajectory.radial_trajectory(2, 4)
    >>> whorl.trajectory.shifted_readouts(spokes, (4, 4), np.zeros((2, 2))).points.shape
    (8, 2)
spiral_trajectory
    >>> whorl.trajectory.spiral_trajectory(4, 128, 8)
    <whorl.Trajectory of 512 samples in 2D>
stack_trajectory
    >>> whorl.trajectory.stack_trajectory(whorl.trajectory.radial_trajectory(5, 16), partitions=4)
    <whorl.Trajectory of 320 samples in 3D>
twisted_projection
    >>> whorl.trajectory.twisted_projection(cones=3, matrix=16, pixel=4, max_gradient=4).trajectory.dim
    3
"""

__all__ = _calls.explain_module(globals(), _EXAMPLES)
