#include "recon/field_of_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "recon/encoding/reference_at.hpp"
#include "recon/methods/entry.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/trajectory/spokes.hpp"

namespace whorl::recon {

Array<float> field_of_view_mask(const Context& ctx, const Shape& image) {
  const bool volume = image.rank() == 3;
  const std::array<Index, 3> extents{volume ? image[0] : 1, image[-2], image[-1]};
  // (r_d / (N_d / 2))^2 with r_d from the center, floor(N_d / 2).
  const auto square = [&](std::size_t axis, Index i) {
    const Index n = extents[axis];
    const Index from_center = i - n / 2;
    return n == 1 ? 0.0 : std::pow(2.0 * static_cast<double>(from_center) / static_cast<double>(n), 2);
  };
  Array<float> mask(ctx.host(), image);
  const auto at = mask.ref().reshape({extents[0], extents[1], extents[2]}).view<3>();
  for (Index z = 0; z < extents[0]; ++z) {
    for (Index y = 0; y < extents[1]; ++y) {
      for (Index x = 0; x < extents[2]; ++x) {
        at(z, y, x) = square(0, z) + square(1, y) + square(2, x) <= 1 ? 1 : 0;
      }
    }
  }
  return clone<float>(ctx, mask);
}

double reach_of(const Trajectory& trajectory) {
  const auto k = trajectory.points.view<2>();
  double farthest = 0;
  for (Index j = 0; j < k.extent(0); ++j) {
    double square = 0;
    for (Index axis = 0; axis < k.extent(1); ++axis) square += k(j, axis) * k(j, axis);
    farthest = std::max(farthest, square);
  }
  return 2 * std::sqrt(farthest);
}

bool has_round_field_of_view(const Trajectory& trajectory) { return reach_of(trajectory) <= 1.02; }

void check_support(const ReconOptions& options) {
  if ((options.support == ImageSupport::image) == (options.support_image != nullptr)) return;
  throw ValueError(options.support_image == nullptr
                       ? "reconstruction: a support by an image, and no image; give one, or use ball or none"
                       : "reconstruction: an image of the support, which another support was chosen beside; give one "
                         "of both");
}

std::shared_ptr<const Array<float>> support_at(const Context& ctx, const Scan& scan, const ScanFrame& frame,
                                               const ReconOptions& options) {
  if (!has_support(options)) return nullptr;
  if (options.support == ImageSupport::ball) {
    return std::make_shared<const Array<float>>(field_of_view_mask(ctx, scan.image_shape()));
  }
  Array<float> values = reference_at(ctx.host(), scan, frame.geometry, *options.support_image).values;
  bool empty = true;
  for (float& value : values.span()) {
    value = value > 0.5F ? 1 : 0;
    empty = empty && value == 0;
  }
  if (empty) {
    throw ValueError(fmt::format(
        "support: '{}' is nowhere above 1/2 in the image of slice {}, expected 1 where the object may be, 0 elsewhere",
        options.support_image->source, frame.index.slice));
  }
  return std::make_shared<const Array<float>>(clone<float>(ctx, values));
}

void note_support(Run& run, const ReconOptions& options, const Array<float>* support) {
  if (support == nullptr) return;
  const Array<float> here = to_host<const float>(run.ctx, *support);
  const auto inside = std::count(here.span().begin(), here.span().end(), 1.0F);
  run.notes.emplace_back(fmt::format("Support: {}, {:.1f} % of the voxels; the image is held at 0 outside.",
                                     options.support == ImageSupport::ball
                                         ? "the ellipsoid inscribed in the field of view"
                                         : "'" + options.support_image->source + "'",
                                     100 * static_cast<double>(inside) / static_cast<double>(here.size())));
}

StageMemory support_memory(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  if (!has_support(options)) return {};
  const Index image = scan.image_shape().size() * static_cast<Index>(sizeof(float));
  // On a CPU the image that decides it and what that is on the scan's grid lie there too.
  if (ctx.device().kind != DeviceKind::cpu) return {image, image};
  if (options.support == ImageSupport::ball) return {image, 2 * image};
  const Index given = options.support_image->values.size() * static_cast<Index>(sizeof(float));
  return {image + given, 2 * image + given};
}

bool masks_field_of_view(const Scan& scan, const ReconOptions& options) {
  if (options.mask != ImageMask::automatic) return options.mask == ImageMask::field_of_view;
  return options.support == ImageSupport::automatic && method_of(options).grids && !scan.frames.empty() &&
         corners_alias(*scan.frames.front().trajectory, scan.image_shape());
}

void mask_field_of_view(const Context& ctx, ArrayRef<std::complex<float>> images) {
  mask_field_of_view(ctx, field_of_view_mask(ctx, images.shape().tail()), images);
}

void mask_field_of_view(const Context& ctx, const Array<float>& mask, ArrayRef<std::complex<float>> images) {
  const auto flat = images.reshape({images.extent(0), mask.size()});
  multiply_weights<float>(ctx, mask.ref().reshape({mask.size()}), flat, flat);
}

void mask_field_of_view(const Shape& image, ErrorBars& error_bars) {
  const Context host;
  const Array<float> mask = field_of_view_mask(host, image);
  for_each_error_bar([&](auto member) {
    const auto values = (error_bars.*member).ref();
    for (Index i = 0; i < values.size(); ++i) values.data()[i] *= mask.data()[i % mask.size()];
  });
}

}  // namespace whorl::recon
