#include "correct/motion/motion_samples.hpp"

#include <algorithm>
#include <cmath>

#include "correct/motion/object_pose.hpp"
#include "whorl/core/error.hpp"
#include "whorl/scan/regroup.hpp"

namespace whorl::detail {

namespace {

using Complex = std::complex<float>;
using Triple = std::array<double, 3>;

constexpr double most_pixels = 32;  // along the longest axis of the low-resolution images

// Pixels of about the same size along all axes.
void choose_image(const Scan& scan, MotionSamples& center) {
  const Triple& field = scan.frames.front().geometry.field_of_view_mm;
  const Triple pixel = pixel_size(scan, scan.frames.front());
  double size = 0;
  for (std::size_t axis = 0; axis < center.dim; ++axis) {
    size = std::max({size, field[axis] / most_pixels, pixel[axis]});
  }
  for (std::size_t axis = 0; axis < center.dim; ++axis) {
    const auto pixels = std::max<Index>(4, 2 * std::lround(field[axis] / size / 2));
    center.image = center.image.with_front(pixels);
    center.pixel_mm[axis] = field[axis] / static_cast<double>(pixels);
  }
}

}  // namespace

MotionSamples motion_samples(const Context& ctx, const Scan& scan, Index readouts) {
  MotionSamples center;
  center.dim = static_cast<std::size_t>(scan.dim());
  choose_image(scan, center);
  const double widest = *std::max_element(center.pixel_mm.begin(), center.pixel_mm.begin() + scan.dim());
  std::vector<std::pair<const ScanFrame*, Index>> from;
  Index first = 0;
  for (const ScanFrame& frame : scan.frames) {
    const auto points = frame.trajectory->points.view<2>();
    for (Index sample = 0; sample < points.extent(0); ++sample) {
      Triple k{};
      double square = 0;
      for (std::size_t axis = 0; axis < center.dim; ++axis) {
        const auto pixels = static_cast<double>(center.image[-1 - static_cast<int>(axis)]);
        k[axis] = points(sample, static_cast<Index>(axis)) * static_cast<double>(scan.matrix[axis]) / pixels;
        square += std::pow(k[axis] * widest / center.pixel_mm[axis], 2);
      }
      if (square > 0.25) continue;  // stays inside |k| = 1/2 whatever the angle
      center.k.push_back(k);
      center.group.push_back(static_cast<std::size_t>((first + sample / frame.trajectory->readout_length) / readouts));
      from.emplace_back(&frame, sample);
    }
    first += readouts_of(frame, "motion");
  }
  const auto count = static_cast<Index>(from.size());
  center.data = Array<Complex>(ctx.host(), {scan.coils, count});
  float largest = 0;
  for (Index coil = 0; coil < scan.coils; ++coil) {
    for (Index j = 0; j < count; ++j) {
      const auto& [frame, sample] = from[static_cast<std::size_t>(j)];
      const Complex value = frame->data.view<2>()(coil, sample);
      center.data.view<2>()(coil, j) = value;
      largest = std::max(largest, std::abs(value));
    }
  }
  if (!(largest > 0)) throw ValueError("motion: all data near the center of k-space are zero");
  for (Complex& value : center.data.span()) value /= largest;
  return center;
}

}  // namespace whorl::detail
