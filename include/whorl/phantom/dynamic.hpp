// Phantoms that change during the measurement, with exact k-space at each time.
#pragma once

#include <functional>
#include <span>

#include "whorl/correct/object_motion.hpp"
#include "whorl/phantom/phantom_scan.hpp"

namespace WHORL_PUBLIC whorl {

/// A beating ellipse and a contrast agent that comes and goes.
struct BeatingOptions {
  double rate_hz = 1.2;      ///< beats
  double stroke = 0.25;      ///< part by which the half-axes of the beating ellipse shrink
  double arrival_s = 1;      ///< of the contrast agent
  double peak_s = 2;         ///< from its arrival to its most
  double enhancement = 0.8;  ///< intensity that it adds then
};

/// The object at a time: an ellipse as the body with two still parts; a "ventricle" whose half-axes are scaled by
/// 1 - stroke (1 - cos(2 pi rate t)) / 2; and a "vessel" whose intensity rises by contrast_curve.
///
/// Units   seconds
/// Throws  ValueError (a stroke outside [0, 1), a rate or peak that is not positive, a time that is not finite)
Phantom beating_phantom(double time_s, const BeatingOptions& options = {});

/// The added intensity of the contrast agent, a gamma variate: for u = (t - arrival) / peak > 0 it is
/// enhancement u exp(1 - u), else 0.
double contrast_curve(double time_s, const BeatingOptions& options = {});

/// Disks of T2 30, 50, 80, 120 and 200 ms in a body of 60 ms, all of proton density 1 (the body 0.8), an echo time after
/// the excitation: each has exp(-t/T2) of its density.
///
/// Throws  ValueError (a time below 0 or not finite)
Phantom t2_phantom(double echo_time_s);

/// The T2 of a pixel's center in that phantom in seconds, 0 where there is nothing. Shape [y, x].
Array<float> t2_phantom_map(const Context& ctx, const std::array<Index, 3>& matrix);

/// Like phantom_scan, for an object that changes: readout n of a slice, over all its frames in their order, measures
/// phantom(n * scan.readout_interval_ms / 1000), which stands still during it. A frame whose readout length is unknown is
/// one readout.
///
/// Throws  as phantom_scan; ValueError (an unknown readout interval)
Scan dynamic_phantom_scan(const Context& ctx, const std::function<Phantom(double time_s)>& phantom, Scan scan,
                          const PhantomScanOptions& options);

/// Like phantom_scan, for a rigid object that moves while the coils rest. Each pose is that of equally many consecutive readouts,
/// in the order of the frames; undo_motion with the same poses makes it rest again.
///
/// Accuracy  k-space is exact, as phantom_scan's
/// Throws    as phantom_scan; ValueError (a number of poses that does not divide the number of readouts, readouts of unknown
///           length, a signal that evolves)
Scan moving_phantom_scan(const Context& ctx, const Phantom& phantom, std::span<const ObjectPose> poses, Scan scan,
                         const PhantomScanOptions& options);

/// Poses of an object that moves evenly from rest at the first readout to `last` at the last one: one for each readout.
std::vector<ObjectPose> drifting_poses(const ObjectPose& last, Index readouts);

/// Like phantom_scan, with a frame for each echo of each frame of the scan: contrast n is measured echo_times_ms[n] after the
/// excitation. `phantom` gives the object at that time, in seconds; where options.evolving_points is above 0 its R2* and field
/// act besides. Echoes of a contrast of the scan become that many contrasts each.
///
/// Throws  as phantom_scan; ValueError (no echo time, one below 0 or not finite)
Scan multi_echo_phantom_scan(const Context& ctx, const std::function<Phantom(double echo_time_s)>& phantom, Scan scan,
                             std::span<const double> echo_times_ms, PhantomScanOptions options);

}  // namespace whorl
