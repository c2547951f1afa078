#include "recon/field_of_view.hpp"

#include <cmath>

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

bool has_round_field_of_view(const Trajectory& trajectory) {
  const auto k = trajectory.points.view<2>();
  for (Index j = 0; j < k.extent(0); ++j) {
    double square = 0;
    for (Index axis = 0; axis < k.extent(1); ++axis) square += k(j, axis) * k(j, axis);
    if (2 * std::sqrt(square) > 1.02) return false;
  }
  return true;
}

bool masks_field_of_view(const Scan& scan, const ReconOptions& options) {
  if (options.mask != ImageMask::automatic) return options.mask == ImageMask::field_of_view;
  return options.method == ReconMethod::gridding && !scan.frames.empty() &&
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
  const auto apply = [&](const auto& values) {
    for (Index i = 0; i < values.size(); ++i) values.data()[i] *= mask.data()[i % mask.size()];
  };
  apply(error_bars.standard_deviation.ref());
  apply(error_bars.g_factor.ref());
  apply(error_bars.bias.ref());
}

}  // namespace whorl::recon
