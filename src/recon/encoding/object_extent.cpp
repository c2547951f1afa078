#include "recon/encoding/object_extent.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <vector>

#include "calib/channels.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/central_samples.hpp"
#include "whorl/math/fft.hpp"
#include "whorl/math/value_range.hpp"

namespace whorl::recon {

namespace {

using Complex = std::complex<float>;
using Factors = std::array<double, 3>;  // x, y, z

constexpr double widest = 2;  // what the field of view is multiplied by to look outside
constexpr Index cycles =
    8;  // per field of view: what is resolved. With fewer an object within is blurred beyond the edge
constexpr double far_away = 1.75;  // the noise is told by what lies beyond
// Parts of the amplitude in the field of view. Least squares puts an error of about their size into the image.
constexpr double worth_it = 0.0035;
constexpr double left_out = 0.012;   // beyond the wider field of view, where the edge of the image is far
constexpr double above_noise = 0.5;  // of the energy of the noise there

Shape widened(const Shape& image, const Factors& factors) {
  std::vector<Index> extents(image.begin(), image.end());
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    extents[extents.size() - 1 - axis] *= std::lround(factors[axis]);
  }
  return Shape(extents);
}

// The samples that the calibration region of a wider image takes, at a scale near 1.
ScanFrame central_frame(const Context& ctx, const ScanFrame& frame, const Shape& wide, Index extent) {
  const std::vector<Index> inside = calibration_samples(ctx, frame, wide, extent);
  auto trajectory = std::make_shared<Trajectory>();
  trajectory->points = Array<double>(ctx, {std::ssize(inside), wide.rank()});
  zoom_points(*frame.trajectory, inside, std::vector<double>(static_cast<std::size_t>(wide.rank()), 1.0),
              trajectory->points.data());
  ScanFrame center{frame.index, std::move(trajectory), nullptr, {}, frame.geometry};
  center.data = detail::take_samples<float>(ctx, frame.data, inside);
  const double largest = largest_part<float>(ctx, center.data);
  const int exponent = largest > 0 && std::isfinite(largest) ? std::ilogb(largest) : 0;
  multiply_by_power_of_two<float>(ctx, -exponent, center.data);
  return center;
}

// Energy of images of coils at the places of their grid, in parts.
struct Energies {
  static constexpr std::array<double, 3> steps{1, 1.25, 1.5};
  double inside = 0;
  std::array<std::array<double, 3>, 3> beyond{};  // [axis][step]
  double far_off = 0;
};

Energies energies_of(ArrayRef<const Complex> images, const Factors& factors) {
  Energies found;
  const Shape grid = images.shape().tail();
  const auto rank = static_cast<std::size_t>(grid.rank());
  for (Index i = 0; i < images.size(); ++i) {
    Index rest = i;
    std::array<double, 3> away{};  // from the center, 1: the edge of the image
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const Index n = grid[grid.rank() - 1 - static_cast<int>(axis)];
      const Index from_center = rest % n - n / 2;
      rest /= n;
      if (factors[axis] > 1)
        away[axis] = 2 * widest * static_cast<double>(std::abs(from_center)) / static_cast<double>(n);
    }
    const double energy = std::norm(std::complex<double>(images.data()[i]));
    const double farthest = *std::ranges::max_element(away);
    if (farthest <= 1) found.inside += energy;
    if (farthest > far_away) found.far_off += energy;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      for (std::size_t step = 0; step < Energies::steps.size(); ++step) {
        if (away[axis] > Energies::steps[step]) found.beyond[axis][step] += energy;
      }
    }
  }
  return found;
}

Factors factors_for(const Energies& found, const Factors& looked_at) {
  const auto axes = static_cast<double>(std::ranges::count(looked_at, widest));
  const double all = std::pow(widest, axes);  // in fields of view
  const double noise = found.far_off / (all - std::pow(far_away, axes));
  Factors factors{1, 1, 1};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (looked_at[axis] == 1) continue;
    factors[axis] = widest;
    for (std::size_t step = 0; step < Energies::steps.size(); ++step) {
      const double noise_there = noise * all * (1 - Energies::steps[step] / widest);
      const double bearable = step == 0 ? worth_it : left_out;
      const double limit = std::max(bearable * bearable * found.inside, above_noise * noise_there);
      if (found.beyond[axis][step] - noise_there > limit) continue;
      factors[axis] = Energies::steps[step];
      break;
    }
  }
  if (factors == Factors{1, 1, 1}) return factors;
  // Along the other axes less than is worth it may reach beyond.
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (looked_at[axis] > 1) factors[axis] = std::max(factors[axis], Energies::steps[1]);
  }
  return factors;
}

// The center's images of the coils on the wide field of view, tapered.
Array<Complex> low_images(const Context& ctx, const ScanFrame& frame, const Shape& wide, const Factors& factors) {
  const Index extent = 2 * cycles * std::lround(widest);
  Array<Complex> images = calibration_region(ctx, central_frame(ctx, frame, wide, extent), wide, extent);
  const Shape grid = images.shape().tail();
  for (Index i = 0; i < images.size(); ++i) {
    Index rest = i;
    double squared = 0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(grid.rank()); ++axis) {
      const Index n = grid[grid.rank() - 1 - static_cast<int>(axis)];
      const Index from_center = rest % n - n / 2;
      squared += std::pow(static_cast<double>(from_center) / factors[axis], 2);
      rest /= n;
    }
    const double part = std::min(std::sqrt(squared) / static_cast<double>(cycles), 1.0);
    images.data()[i] *= static_cast<float>(std::pow(std::cos(0.5 * std::numbers::pi * part), 2));  // Hann's window
  }
  centered_fft<float>(ctx, FftDirection::inverse, images, grid.rank());
  return images;
}

}  // namespace

std::array<double, 3> object_extent(const Context& ctx, const ScanFrame& frame, const Shape& image) {
  const Factors none{1, 1, 1};
  if (frame.trajectory == nullptr || frame.data.size() == 0) return none;
  const Factors in_plane{widest, widest, 1};
  std::vector<Factors> tries{in_plane};
  if (image.rank() == 3) tries.insert(tries.begin(), {widest, widest, widest});
  for (const Factors& factors : tries) {
    const Shape wide = widened(image, factors);
    const double gap =
        radius_without_gaps(ctx, *frame.trajectory, wide, {1 / factors[0], 1 / factors[1], 1 / factors[2]}, cycles * 2);
    if (gap < static_cast<double>(cycles)) continue;
    return factors_for(energies_of(low_images(ctx, frame, wide, factors), factors), factors);
  }
  return none;
}

}  // namespace whorl::recon
