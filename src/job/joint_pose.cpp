#include "job/joint_pose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <utility>

#include "whorl/correct/align_scan.hpp"
#include "whorl/correct/object_motion.hpp"
#include "whorl/prior/align_reference.hpp"
#include "whorl/recon/joint_scan.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl::job {

namespace {

Array<float> first_magnitude(const Context& ctx, const Scan& scan) {
  Scan one = clone_without_frames(ctx.host(), scan);
  const ScanFrame& from = scan.frames.front();
  one.frames.push_back({.index = from.index,
                        .trajectory = from.trajectory,
                        .weights = from.weights,
                        .data = clone(ctx.host(), from.data.ref()),
                        .geometry = from.geometry});
  ReconOptions options;
  options.cg_sense.iterations = 10;
  options.cg_sense.lambda = 1e-3;
  const Reconstruction made = reconstruct(ctx, std::move(one), options);
  Array<float> magnitude(ctx.host(), scan.image_shape());
  std::ranges::transform(made.images.span(), magnitude.span().begin(),
                         [](const std::complex<float>& value) { return std::abs(value); });
  return magnitude;
}

}  // namespace

ReferenceImage first_image(const Context& ctx, const Scan& scan) {
  ReferenceImage image;
  image.source = name_of_joined(scan);
  image.values = first_magnitude(ctx, scan);
  image.affine = voxel_affine(scan.frames.front().geometry, scan.matrix);
  return image;
}

void undo_joint_pose(const Context& ctx, const ReferenceImage& first, Scan& scan) {
  const AlignedReference found =
      align_reference(ctx, first, scan.frames.front().geometry, scan.matrix, first_magnitude(ctx, scan));
  const ObjectPose pose{found.shift_mm, found.rotation_degrees};
  const auto& [x, y, z] = found.shift_mm;
  const auto& [about_x, about_y, about_z] = found.rotation_degrees;
  scan.notes.emplace_back(
      fmt::format("Motion since '{}': {:.2f}, {:.2f}, {:.2f} mm and {:.2f}, {:.2f}, {:.2f} degrees, by images of both "
                  "(mutual information {:.4f} before, {:.4f} now).",
                  first.source, x, y, z, about_x, about_y, about_z, found.before, found.after));
  undo_motion(ctx, scan, std::array{pose});
}

}  // namespace whorl::job
