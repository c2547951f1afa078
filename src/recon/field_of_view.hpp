// Region where images may differ from 0: the support, and the part of the field of view that a trajectory of spokes resolves.
#pragma once

#include <complex>
#include <memory>

#include "core/internal.hpp"
#include "recon/run.hpp"
#include "recon/stage_memory.hpp"
#include "whorl/recon/error_bars.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// 1 within the ellipse or ellipsoid inscribed to the field of view, 0 in its corners. Shapes image [(z,) y, x].
WHORL_INTERNAL Array<float> field_of_view_mask(const Context& ctx, const Shape& image);

/// The largest |2 k|: at most 1 where no sample lies beyond the ellipse or ellipsoid inscribed to k-space.
double reach_of(const Trajectory& trajectory);

/// Whether a scan's field of view is taken for the ellipse or ellipsoid inscribed to the image: no sample lies outside
/// of that of k-space, |2 k| <= 1 to 2 %. Trajectories that leave out the corners of k-space, spokes, spirals, cones,
/// are planned for objects within it, and copies of these alias into the corners first.
bool has_round_field_of_view(const Trajectory& trajectory);

/// Throws ValueError where a support has no image, or an image no use.
void check_support(const ReconOptions& options);

/// The support [(z,) y, x] of an image at the frame's place, on the context's device: 1 inside, else 0; null without one.
/// Throws  ValueError (a support that holds no voxel, and as resample)
std::shared_ptr<const Array<float>> support_at(const Context& ctx, const Scan& scan, const ScanFrame& frame,
                                               const ReconOptions& options);

/// Says what a support is; null: nothing.
void note_support(Run& run, const ReconOptions& options, const Array<float>* support);

StageMemory support_memory(const Context& ctx, const Scan& scan, const ReconOptions& options);

/// Whether the options set the corners of a scan's images to 0 in the end.
bool masks_field_of_view(const Scan& scan, const ReconOptions& options);

/// Sets the corners of images [coil, (z,) y, x] to 0; `mask`: as field_of_view_mask makes it.
WHORL_INTERNAL void mask_field_of_view(const Context& ctx, ArrayRef<std::complex<float>> images);
void mask_field_of_view(const Context& ctx, const Array<float>& mask, ArrayRef<std::complex<float>> images);

/// Sets the corners of error bars to 0, which lie on the host: standard deviation, g-factor and bias.
void mask_field_of_view(const Shape& image, ErrorBars& error_bars);

}  // namespace whorl::recon
