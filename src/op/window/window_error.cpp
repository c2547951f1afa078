// The error of a transform's matrix from its window.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "op/window/window_grid.hpp"

namespace whorl {

namespace {

using Complex = std::complex<double>;

using std::numbers::pi;

// An axis of a transform: its pixels, and the points of its grid for each.
struct Axis {
  Index extent;
  double oversampling;

  bool operator==(const Axis& other) const { return extent == other.extent && oversampling == other.oversampling; }
};

// The pixels of an axis at f >= 0, in cycles per grid cell; those at f < 0 have the conjugate errors at the mirrored
// positions. The weights of both sides sum to 1; `alone` is the weight of a pixel without its mirror image.
struct Pixel {
  double f;
  double weight;
  bool alone;
};

// Up to 128 pixels are used individually, more by the trapezoidal rule.
std::vector<Pixel> pixels_of_axis(const Axis& axis) {
  constexpr Index most = 64;
  const Index extent = axis.extent;
  const Index count = std::min(extent / 2, most);
  const double step = extent / 2 <= most ? 1 / (axis.oversampling * static_cast<double>(extent))
                                         : 0.5 / (axis.oversampling * static_cast<double>(most));
  const auto all = static_cast<double>(extent / 2 <= most ? extent : 2 * most);
  const bool edge_alone = extent % 2 == 0 || extent / 2 > most;
  std::vector<Pixel> pixels;
  for (Index i = 0; i <= count; ++i) {
    const bool alone = i == 0 || (i == count && edge_alone);
    pixels.push_back({static_cast<double>(i) * step, (alone ? 1 : 2) / all, alone});
  }
  return pixels;
}

// The errors e at a position: the first grid point under the window lies z in [0, 1] after its edge.
class PlaceErrors {
 public:
  PlaceErrors(const Window& window, double z) : first_(z - 0.5 * window.width()) {
    for (int l = 0; l < window.width(); ++l) values_.push_back(window.value(first_ + l));
  }

  // For a pixel where the window's transform is `exact`. The phase changes by the same angle from one grid point to the
  // next: one multiplication, with a rounding error of at most the width times that of a number.
  Complex at(double f, double exact) const {
    const double turn_re = std::cos(2 * pi * f);
    const double turn_im = -std::sin(2 * pi * f);
    double re = std::cos(2 * pi * f * first_);
    double im = -std::sin(2 * pi * f * first_);
    double sum_re = 0;
    double sum_im = 0;
    for (const double value : values_) {
      sum_re += value * re;
      sum_im += value * im;
      const double next_re = re * turn_re - im * turn_im;
      im = re * turn_im + im * turn_re;
      re = next_re;
    }
    return {sum_re / exact - 1, sum_im / exact};
  }

 private:
  double first_;
  std::vector<double> values_;
};

std::vector<double> transforms_at(const Window& window, const std::vector<Pixel>& pixels) {
  std::vector<double> transforms;
  for (const Pixel& pixel : pixels) transforms.push_back(window.transform(pixel.f));
  return transforms;
}

// The mean of e and of |e|^2 over the pixels, at one position.
struct Mean {
  double error;
  double square;
};

Mean mean_at(const Window& window, double z, const std::vector<Pixel>& pixels, const std::vector<double>& transforms) {
  const PlaceErrors errors(window, z);
  Complex sum = 0;
  double square = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const Complex error = errors.at(pixels[i].f, transforms[i]);
    sum += pixels[i].weight * (pixels[i].alone ? error : Complex(error.real()));
    square += pixels[i].weight * std::norm(error);
  }
  return {std::abs(sum), square};
}

// The largest of both over positions. A mirrored position has the conjugate errors. They turn by a few cycles per cell
// at most, so between the tested positions they are at most half a percent larger.
Mean largest_mean(const Window& window, const Axis& axis) {
  constexpr int places = 16;
  const std::vector<Pixel> pixels = pixels_of_axis(axis);
  const std::vector<double> transforms = transforms_at(window, pixels);
  Mean largest{0, 0};
  for (int i = 0; i <= places; ++i) {
    const Mean mean = mean_at(window, 0.5 * i / places, pixels, transforms);
    largest = {std::max(largest.error, mean.error), std::max(largest.square, mean.square)};
  }
  return largest;
}

// The error of an axis as a sum of products u_n(p) v_n(f). Two waves exp(+-2 pi i z), the nearest aliases, are most of
// it. Chebyshev polynomials in z describe the rest, which is smooth within a cell, but jumps at the window's edge. They
// converge fast.
class AxisTerms {
 public:
  static constexpr int waves = 2;
  static constexpr int degrees = 16;
  using Sizes = std::array<double, waves + degrees>;  // of all v_n at one pixel

  explicit AxisTerms(const Window& window) {
    for (int i = 0; i < steps; ++i) even_.emplace_back(window, (i + 0.5) / steps);
    for (int i = 0; i < degrees; ++i) nodes_.emplace_back(window, node(i));
    for (int n = 0; n < degrees; ++n) {
      for (int i = 0; i < degrees; ++i) polynomials_.push_back((n == 0 ? 1.0 : 2.0) / degrees * std::cos(n * angle(i)));
    }
    for (int i = 0; i < steps; ++i) even_turns_.push_back(std::polar(1.0, 2 * pi * (i + 0.5) / steps));
    for (int i = 0; i < degrees; ++i) node_turns_.push_back(std::polar(1.0, 2 * pi * node(i)));
  }

  Sizes at(double f, double exact) const {
    Sizes sizes{};
    std::array<Complex, 2> wave{};
    for (int i = 0; i < steps; ++i) {
      const Complex error = even_[index(i)].at(f, exact) / static_cast<double>(steps);
      const Complex turn = even_turns_[index(i)];
      wave[0] += error * std::conj(turn);
      wave[1] += error * turn;
    }
    std::array<Complex, degrees> rest{};
    for (int i = 0; i < degrees; ++i) {
      const Complex turn = node_turns_[index(i)];
      rest[index(i)] = nodes_[index(i)].at(f, exact) - wave[0] * turn - wave[1] * std::conj(turn);
    }
    // At -f the two are exchanged: the larger one bounds both.
    sizes[0] = sizes[1] = std::max(std::abs(wave[0]), std::abs(wave[1]));
    for (int n = 0; n < degrees; ++n) {
      Complex sum = 0;
      for (int i = 0; i < degrees; ++i) sum += rest[index(i)] * polynomials_[index(n * degrees + i)];
      sizes[index(waves + n)] = std::abs(sum);
    }
    return sizes;
  }

 private:
  static constexpr int steps = 16;
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static double angle(int i) { return pi * (i + 0.5) / degrees; }
  static double node(int i) { return 0.5 * (1 + std::cos(angle(i))); }

  std::vector<PlaceErrors> even_;    // at evenly spaced places, for the waves
  std::vector<PlaceErrors> nodes_;   // at Chebyshev's
  std::vector<Complex> even_turns_;  // the waves at these
  std::vector<Complex> node_turns_;  // and those
  std::vector<double> polynomials_;  // [degree][node], normalized
};

double axis_norm_error(const Window& window, const Axis& axis) {
  const AxisTerms terms(window);
  const std::vector<Pixel> pixels = pixels_of_axis(axis);
  std::vector<AxisTerms::Sizes> sizes;
  AxisTerms::Sizes largest{};
  for (const Pixel& pixel : pixels) {
    sizes.push_back(terms.at(pixel.f, window.transform(pixel.f)));
    for (std::size_t n = 0; n < largest.size(); ++n) largest[n] = std::max(largest[n], sizes.back()[n]);
  }
  double sum = 0;
  for (const double size : largest) sum += size;
  double most = 0;
  for (const auto& of_pixel : sizes) {
    double at_pixel = 0;
    for (std::size_t n = 0; n < largest.size(); ++n) {
      if (largest[n] > 0) at_pixel += of_pixel[n] * of_pixel[n] / largest[n];
    }
    most = std::max(most, at_pixel);
  }
  return std::sqrt(sum * most);
}

// Calls visit(value of the axis) for every axis; equal axes share the value.
template <class Find, class Visit>
void for_each_axis(const ImageGrid& grid, const Find& find, const Visit& visit) {
  Axis of{grid.image[0], grid.oversampling[0]};
  auto value = find(of);
  for (int i = 0; i < grid.image.rank(); ++i) {
    const Axis axis{grid.image[i], grid.oversampling[static_cast<std::size_t>(i)]};
    if (!(axis == of)) value = find(axis);
    of = axis;
    visit(value);
  }
}

}  // namespace

double Window::error(Index extent) const {
  constexpr int places = 12;
  const std::vector<Pixel> pixels = pixels_of_axis({extent, oversampling_});
  const std::vector<double> transforms = transforms_at(*this, pixels);
  double sum = 0;
  for (int i = 0; i < places; ++i) sum += mean_at(*this, (i + 0.5) / places, pixels, transforms).square;
  return std::sqrt(sum / places);
}

// All axes together have the error e = (1 + e_1)(1 + e_2) ... - 1. Its mean square over all pixels follows from the
// means of the axes; magnitudes in place of complex means make it an upper bound.
double row_error(const Window& window, const ImageGrid& grid) {
  Mean all{0, 0};
  for_each_axis(
      grid, [&](const Axis& axis) { return largest_mean(window, axis); },
      [&](const Mean& axis) {
        const double square = all.square + axis.square + all.square * axis.square +
                              2 * (all.error * axis.error + all.square * axis.error + all.error * axis.square);
        all = {all.error + axis.error + all.error * axis.error, square};
      });
  return std::sqrt(all.square);
}

double norm_error(const Window& window, const ImageGrid& grid) {
  double sum = 0;
  for_each_axis(
      grid, [&](const Axis& axis) { return axis_norm_error(window, axis); },
      [&](double axis) { sum += std::log1p(axis); });
  return std::expm1(sum);
}

double Window::row_error(const Shape& image) const { return whorl::row_error(*this, {image, oversampling_}); }

double Window::norm_error(const Shape& image) const { return whorl::norm_error(*this, {image, oversampling_}); }

double Window::amplification(Index extent, NufftAccuracy accuracy) const {
  double mean_square = 0;
  double largest = 0;
  for (const Pixel& pixel : pixels_of_axis({extent, oversampling_})) {
    const double inverse = 1 / transform(pixel.f);
    mean_square += pixel.weight * inverse * inverse;
    largest = std::max(largest, inverse);
  }
  // Norm of the window's values on the grid. On a grid smaller than the window they wrap around, so the rounding error
  // of a point enters several times and adds up in full.
  constexpr int places = 8;
  const Index points = std::max<Index>(2, std::lround(oversampling_ * static_cast<double>(extent)));
  double energy = 0;
  for (int place = 0; place < places; ++place) {
    for (Index point = 0; point < std::min<Index>(points, width_); ++point) {
      double sum = 0;
      for (Index l = point; l < width_; l += points) {
        sum += value(-0.5 * width_ + static_cast<double>(l) + (place + 0.5) / places);
      }
      energy += sum * sum / places;
    }
  }
  energy *= std::max(1.0, static_cast<double>(width_) / static_cast<double>(points));
  return std::sqrt(energy) * (accuracy == NufftAccuracy::guaranteed ? largest : std::sqrt(mean_square));
}

double rounding_floor(const Window& window, const Shape& image, double epsilon, NufftAccuracy accuracy) {
  // Two parts, each a bound on what test/reference/test_nufft_accuracy.cpp measures: values on the grid are rounded
  // several times (4 epsilon), and rounding near the edge of the field of view is amplified.
  double all = 1;
  for_each_axis(
      {image, window.oversampling()}, [&](const Axis& axis) { return window.amplification(axis.extent, accuracy); },
      [&](double axis) { all *= axis; });
  return epsilon * (4 + 1.75 * all);
}

}  // namespace whorl
