#include "doctor/field_images.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "whorl/density/density_weights.hpp"

namespace whorl::doctor {

namespace {

using Complex = std::complex<float>;

constexpr Index most_pixels_2d = 96;
constexpr Index most_pixels_3d = 32;
constexpr Index most_transformed = 400000;
constexpr double smooth_radius = 10;  // cycles per field of view
constexpr double following = 0.9;     // correlation
constexpr double returning_part = 0.25;

}  // namespace

FieldImages::FieldImages(const Context& ctx, Examination& examination) : length_(examination.readout_length()) {
  const Scan& scan = examination.scan();
  const ScanFrame& frame = examination.frame();
  const int dim = scan.dim();
  std::array<Index, 3> grid{1, 1, 1};
  std::vector<Index> extents;
  for (int axis = dim - 1; axis >= 0; --axis) {
    const auto a = static_cast<std::size_t>(axis);
    grid[a] = std::min(scan.matrix[a], dim == 2 ? most_pixels_2d : most_pixels_3d);
    extents.push_back(grid[a]);
  }
  const Shape image(extents);
  for (Index j = 0; j < frame.trajectory->samples(); ++j) {
    const std::array<double, 3> k = examination.nominal(j);
    bool inside = true;
    for (int axis = 0; axis < dim; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      inside &= std::abs(k[a]) <= static_cast<double>(grid[a]) / 2;
    }
    if (!inside) continue;
    samples_.push_back(j);
    radii_.push_back(std::hypot(k[0], k[1], k[2]));
  }
  const auto count = static_cast<Index>(samples_.size());
  if (count == 0 || count > most_transformed) return;
  Array<double> points(ctx.host(), {count, dim});
  for (Index i = 0; i < count; ++i) {
    const std::array<double, 3> k = examination.nominal(samples_[static_cast<std::size_t>(i)]);
    for (Index axis = 0; axis < dim; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      points.view<2>()(i, axis) = k[a] / static_cast<double>(grid[a]);
    }
  }
  const Array<float>* given = frame.weights.get();
  const auto weights =
      density_weights<float>(ctx.host(), *frame.trajectory, scan.image_shape(), given, DensityMethod::automatic);
  const detail::Matrix<double>& coils = examination.virtual_coils(ctx);
  weighted_ = Array<Complex>(ctx.host(), {coils.cols(), count});
  const auto data = frame.data.view<2>();
  for (Index i = 0; i < count; ++i) {
    const Index j = samples_[static_cast<std::size_t>(i)];
    for (Index v = 0; v < coils.cols(); ++v) {
      std::complex<double> sum;
      for (Index c = 0; c < scan.coils; ++c) sum += std::conj(coils(c, v)) * std::complex<double>(data(c, j));
      weighted_.view<2>()(v, i) = static_cast<Complex>(sum * static_cast<double>(weights.weights.data()[j]));
    }
  }
  transform_ =
      std::make_unique<const Nufft<float>>(ctx.host(), points, image, coils.cols(), NufftOptions{.tolerance = 1e-3});
}

Array<Complex> FieldImages::images(const Context& ctx, double turns, Part part) const {
  Array<Complex> changed(ctx.host(), weighted_.shape());
  const Index count = weighted_.extent(1);
  for (Index i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double time = static_cast<double>(samples_[at] % length_) / static_cast<double>(length_);
    const double part_of_radius = std::min(radii_[at] / smooth_radius, 1.0);
    const double window = part == Part::all ? 1 : 0.5 + 0.5 * std::cos(std::numbers::pi * part_of_radius);
    const Complex factor(std::polar(window, 2 * std::numbers::pi * turns * time));
    for (Index v = 0; v < weighted_.extent(0); ++v) {
      changed.data()[v * count + i] = factor * weighted_.data()[v * count + i];
    }
  }
  Array<Complex> images(ctx.host(), transform_->domain());
  transform_->adjoint(ctx.host(), changed, images);
  return images;
}

bool FieldImages::time_follows_radius() const {
  double products = 0;
  double times = 0;
  double radii = 0;
  const double mean = std::accumulate(radii_.begin(), radii_.end(), 0.0) / static_cast<double>(radii_.size());
  for (std::size_t i = 0; i < radii_.size(); ++i) {
    const double time = static_cast<double>(samples_[i] % length_) / static_cast<double>(length_) - 0.5;
    products += time * (radii_[i] - mean);
    times += time * time;
    radii += (radii_[i] - mean) * (radii_[i] - mean);
  }
  return std::abs(products) >= following * std::sqrt(times * radii);
}

bool FieldImages::returns_to_center() const {
  const double near = returning_part * *std::max_element(radii_.begin(), radii_.end());
  for (std::size_t i = 0; i < radii_.size();) {
    const Index readout = samples_[i] / length_;
    Index visits = 0;
    for (bool was_near = false; i < radii_.size() && samples_[i] / length_ == readout; ++i) {
      const bool is_near = radii_[i] < near;
      if (is_near && !was_near) ++visits;
      was_near = is_near;
    }
    if (visits > 1) return true;
  }
  return false;
}

}  // namespace whorl::doctor
