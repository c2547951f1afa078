// A frequency of the receiver that is not that of the object.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "doctor/check.hpp"
#include "whorl/density/density_weights.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl::doctor {

namespace {

using Complex = std::complex<float>;

constexpr Index most_pixels_2d = 96;
constexpr Index most_pixels_3d = 32;
constexpr double most_turns = 6;  // during a readout
constexpr double coarse = 0.5;
constexpr double fine = 0.01;
constexpr double least_turns = 0.25;
constexpr double least_gain = 0.03;  // of the area that the image covers
constexpr double doubt = 0.01;       // gain that other causes may have
constexpr Index most_transformed = 400000;

// The image of the central part of k-space for a frequency.
class Sharpness {
 public:
  Sharpness(const Context& ctx, Examination& examination) : length_(examination.readout_length()) {
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
      if (inside) samples_.push_back(j);
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

  bool is_known() const { return transform_ != nullptr; }

  // (sum |x|)^2 / sum |x|^2 over the voxels: the area that the image covers, least where it is sharpest. Phases leave
  // the weighted energy as it is.
  double area(const Context& ctx, double turns) const {
    Array<Complex> turned(ctx.host(), weighted_.shape());
    const Index count = weighted_.extent(1);
    for (Index i = 0; i < count; ++i) {
      const double time =
          static_cast<double>(samples_[static_cast<std::size_t>(i)] % length_) / static_cast<double>(length_);
      const Complex factor(std::polar(1.0, 2 * std::numbers::pi * turns * time));
      for (Index v = 0; v < weighted_.extent(0); ++v) {
        turned.data()[v * count + i] = factor * weighted_.data()[v * count + i];
      }
    }
    Array<Complex> images(ctx.host(), transform_->domain());
    transform_->adjoint(ctx.host(), turned, images);
    const Index voxels = images.size() / images.extent(0);
    double sum = 0;
    double energy = 0;
    for (Index r = 0; r < voxels; ++r) {
      double square = 0;
      for (Index v = 0; v < images.extent(0); ++v)
        square += std::norm(std::complex<double>(images.data()[v * voxels + r]));
      sum += std::sqrt(square);
      energy += square;
    }
    return energy > 0 ? sum * sum / energy : 0;
  }

 private:
  Index length_;
  std::vector<Index> samples_;
  Array<Complex> weighted_;  // [virtual coil, sample]
  std::unique_ptr<const Nufft<float>> transform_;
};

void demodulate(Scan& scan, double turns) {
  for (ScanFrame& frame : scan.frames) {
    const Index length = frame.trajectory->readout_length;
    const auto data = frame.data.view<2>();
    for (Index j = 0; j < data.extent(1); ++j) {
      const double time = static_cast<double>(j % length) / static_cast<double>(length);
      const Complex factor(std::polar(1.0, 2 * std::numbers::pi * turns * time));
      for (Index c = 0; c < data.extent(0); ++c) data(c, j) *= factor;
    }
  }
}

}  // namespace

// The frequency at which the image covers the least area. What a field does that varies over the object is not seen so.
Findings find_off_resonance(const Context& ctx, Examination& examination) {
  const Scan& scan = examination.scan();
  if (examination.readout_length() < 2) return {};
  const Sharpness sharpness(ctx, examination);
  if (!sharpness.is_known()) return {};
  const double before = sharpness.area(ctx, 0);
  if (before == 0) return {};
  double turns = 0;
  double least = before;
  for (double t = -most_turns; t <= most_turns; t += coarse) {
    ctx.check_cancel("off-resonance");
    const double area = sharpness.area(ctx, t);
    if (area < least) {
      least = area;
      turns = t;
    }
  }
  for (double step = coarse / 2; step > fine; step /= 2) {
    for (const double t : {turns - step, turns + step}) {
      const double area = sharpness.area(ctx, t);
      if (area < least) {
        least = area;
        turns = t;
      }
    }
  }
  const double gain = before / least - 1;
  if (std::abs(turns) < least_turns || gain < least_gain) return {};
  const double hertz =
      scan.dwell_us > 0 ? turns * 1e6 / (scan.dwell_us * static_cast<double>(examination.readout_length())) : 0;
  const std::string size = scan.dwell_us > 0 ? fmt::format("{:.1f} Hz, ", hertz) : std::string();
  return {{.check = "off-resonance",
           .what = fmt::format(
               "the object is off resonance by {}{:.2f} turns during a readout: without them the image covers "
               "{:.1f} % less",
               size, turns, 100 * (1 - least / before)),
           .value = scan.dwell_us > 0 ? hertz : turns,
           .unit = scan.dwell_us > 0 ? "Hz" : "turns",
           .confidence = gain / (gain + doubt),
           .remedy = "whorl recon --field-map, with a map of this frequency or, better, a measured one",
           .mend_text = fmt::format("data demodulated by {:.2f} turns during a readout", turns),
           .mend = [turns](const Context&, Scan& of) { demodulate(of, turns); }}};
}

}  // namespace whorl::doctor
