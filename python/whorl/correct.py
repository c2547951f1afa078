"""What makes data agree with the model: delays, shifts, motion, gradient responses, gating."""

from . import _calls
from ._core import (
    DelayEstimate,
    Diagnosis,
    Finding,
    GatingSignal,
    GradientDelays,
    GradientResponse,
    MotionEstimate,
    ObjectPose,
    ReadoutShifts,
    estimate_delays,
    estimate_motion,
    estimate_readout_shifts,
    examine,
    gating_signal,
    gating_weights,
    k_space_center,
    play_gradients,
    shift_field_of_view,
    shift_k_space,
    shift_readouts,
    shift_to_header,
    undo_delays,
    undo_motion,
)

_EXAMPLES = """
DelayEstimate
    A SCAN
    >>> frame = scan.frames[0]
    >>> found = whorl.correct.estimate_delays(frame.trajectory, frame.data, (16, 16))
    >>> abs(found.delays.x) < 0.1
    True
Diagnosis
    A SCAN
    >>> whorl.examine(scan).has_fault
    False
Finding
    A SCAN
    >>> [finding.what for finding in whorl.examine(scan).findings]
    []
GatingSignal
    >>> where = whorl.Geometry()
    >>> where.field_of_view_mm = (160, 160, 5)
    >>> plan = whorl.Scan(whorl.trajectory.radial_trajectory(300, 32), (16, 16), geometry=where)
    >>> plan.readout_interval_ms = 20
    >>> scan = whorl.phantom.dynamic_phantom_scan(whorl.phantom.beating_phantom, plan, coils=2, noise=0.001)
    >>> round(whorl.correct.gating_signal(scan).frequency_hz, 1)
    1.2
GradientDelays
    >>> whorl.correct.GradientDelays(x=0.4, y=-0.3)
    <whorl.GradientDelays: x=0.4, xy=0, xz=0, y=-0.3, yz=0, z=0>
GradientResponse
    >>> exact = whorl.correct.GradientResponse([0, 1e5, 2e5], np.tile(np.eye(3), (3, 1, 1)))
    >>> exact.gradient.shape
    (3, 3, 3)
MotionEstimate
    A PLACED SCAN
    >>> [len(pose.shift_mm) for pose in whorl.correct.estimate_motion(scan, 10).poses]
    [3, 3]
ObjectPose
    >>> whorl.correct.ObjectPose(shift_mm=(5, -2, 0), rotation_degrees=(0, 0, 20))
    <whorl.ObjectPose: rotation_degrees=[0.0, 0.0, 20.0], shift_mm=[5.0, -2.0, 0.0]>
ReadoutShifts
    A SCAN
    >>> frame = scan.frames[0]
    >>> whorl.correct.estimate_readout_shifts(frame.trajectory, frame.data, (16, 16)).is_significant
    False
estimate_delays
    A SCAN
    >>> frame = scan.frames[0]
    >>> found = whorl.correct.estimate_delays(frame.trajectory, frame.data, (16, 16))
    >>> abs(found.delays.x) < 0.1
    True
estimate_motion
    A PLACED SCAN
    >>> len(whorl.correct.estimate_motion(scan, 10).poses)
    2
estimate_readout_shifts
    A SCAN
    >>> frame = scan.frames[0]
    >>> whorl.correct.estimate_readout_shifts(frame.trajectory, frame.data, (16, 16)).shifts.shape
    (20, 2)
examine
    A SCAN
    >>> whorl.examine(scan).has_fault
    False
gating_signal
    >>> where = whorl.Geometry()
    >>> where.field_of_view_mm = (160, 160, 5)
    >>> plan = whorl.Scan(whorl.trajectory.radial_trajectory(300, 32), (16, 16), geometry=where)
    >>> plan.readout_interval_ms = 20
    >>> scan = whorl.phantom.dynamic_phantom_scan(whorl.phantom.beating_phantom, plan, coils=2, noise=0.001)
    >>> round(whorl.correct.gating_signal(scan).frequency_hz, 1)
    1.2
gating_weights
    >>> whorl.correct.gating_weights(np.array([0.0, 0.5, 1.0]), 0.5).round(3)
    array([1.   , 1.   , 0.135])
k_space_center
    A SCAN
    >>> [abs(shift) < 0.1 for shift in whorl.correct.k_space_center(scan)]
    [True, True, True]
play_gradients
    >>> where = whorl.Geometry()
    >>> where.field_of_view_mm = (160, 160, 5)
    >>> plan = whorl.Scan(whorl.trajectory.radial_trajectory(20, 32), (16, 16), geometry=where, dwell_us=5)
    >>> scan = whorl.phantom.phantom_scan(whorl.phantom.shepp_logan(), plan, coils=4, noise=0.001, noise_samples=500)
    >>> whorl.correct.play_gradients(scan, whorl.correct.GradientResponse([0, 1e5, 2e5], np.tile(np.eye(3), (3, 1, 1))))
    <whorl.Scan of 1 frames, 4 coils, image [16, 16]>
shift_field_of_view
    A SCAN
    >>> whorl.correct.shift_field_of_view(scan, (1.5, -2, 0))
    <whorl.Scan of 1 frames, 4 coils, image [16, 16]>
shift_k_space
    A SCAN
    >>> whorl.correct.shift_k_space(scan, (0.5, 0, 0))
    <whorl.Scan of 1 frames, 4 coils, image [16, 16]>
shift_readouts
    A SCAN
    >>> whorl.correct.shift_readouts(scan, np.zeros((20, 2)))
    <whorl.Scan of 1 frames, 4 coils, image [16, 16]>
shift_to_header
    A PLACED SCAN
    >>> whorl.correct.shift_to_header(scan)
    <whorl.Scan of 1 frames, 4 coils, image [16, 16]>
undo_delays
    A SCAN
    >>> whorl.correct.undo_delays(scan, whorl.correct.GradientDelays(x=0.4))
    <whorl.Scan of 1 frames, 4 coils, image [16, 16]>
undo_motion
    A PLACED SCAN
    >>> whorl.correct.undo_motion(scan, [[5, -2, 20], [0, 4, 0]])
    <whorl.Scan of 1 frames, 4 coils, image [16, 16]>
"""

__all__ = _calls.explain_module(globals(), _EXAMPLES)
