#include "whorl/filter/denoise/gibbs.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <numbers>
#include <numeric>

#include "support/device.hpp"
#include "support/diffusion.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

Image run_gibbs(const Context& ctx, const GibbsOptions& options, const Image& image) {
  return to_host(ctx, make_gibbs(options)->apply(ctx, clone(ctx, image)));
}

Index centered(Index k, Index n) { return 2 * k > n ? k - n : k; }

// The line at x + shift, by direct sums.
std::vector<Complex> shifted(const std::vector<Complex>& line, double shift) {
  const auto n = static_cast<Index>(line.size());
  std::vector<Complex> result(line.size());
  for (Index k = 0; k < n; ++k) {
    if (2 * k == n && shift != 0) continue;
    const double step = 2 * pi * static_cast<double>(centered(k, n)) / static_cast<double>(n);
    Complex coefficient;
    for (Index x = 0; x < n; ++x)
      coefficient += line[static_cast<std::size_t>(x)] * std::polar(1.0, -step * static_cast<double>(x));
    for (Index x = 0; x < n; ++x) {
      result[static_cast<std::size_t>(x)] +=
          coefficient / static_cast<double>(n) * std::polar(1.0, step * (static_cast<double>(x) + shift));
    }
  }
  return result;
}

std::vector<Complex> corrected(const std::vector<Complex>& line, const GibbsOptions& options) {
  const auto n = static_cast<Index>(line.size());
  if (n == 1) return line;
  std::vector<Complex> result = line;
  std::vector<double> least(line.size(), std::numeric_limits<double>::infinity());
  for (Index m = -options.shifts; m <= options.shifts; ++m) {
    const double shift = 0.5 * static_cast<double>(m) / static_cast<double>(options.shifts);
    const std::vector<Complex> moved = shifted(line, shift);
    const auto at = [&](Index x) { return moved[static_cast<std::size_t>(((x % n) + n) % n)]; };
    const auto difference = [&](Index a, Index b) {
      return std::abs(at(a).real() - at(b).real()) + std::abs(at(a).imag() - at(b).imag());
    };
    for (Index x = 0; x < n; ++x) {
      double left = 0;
      double right = 0;
      for (Index j = options.near; j <= options.far; ++j) {
        left += difference(x - j, x - j - 1);
        right += difference(x + j, x + j + 1);
      }
      const double variation = std::min(left, right);
      if (variation >= least[static_cast<std::size_t>(x)]) continue;
      least[static_cast<std::size_t>(x)] = variation;
      const Complex beside = shift > 0 ? at(x - 1) : at(x + 1);
      result[static_cast<std::size_t>(x)] = at(x) * (1 - std::abs(shift)) + beside * std::abs(shift);
    }
  }
  return result;
}

// By direct sums: the two weighted images, each corrected along its axis.
std::vector<Complex> expected_image(const std::vector<Complex>& image, Index h, Index w, const GibbsOptions& options) {
  std::vector<Complex> x_part(image.size());
  std::vector<Complex> y_part(image.size());
  for (Index ky = 0; ky < h; ++ky) {
    for (Index kx = 0; kx < w; ++kx) {
      const double at_x = 2 * pi * static_cast<double>(kx) / static_cast<double>(w);
      const double at_y = 2 * pi * static_cast<double>(ky) / static_cast<double>(h);
      Complex coefficient;
      for (Index y = 0; y < h; ++y) {
        for (Index x = 0; x < w; ++x) {
          coefficient += image[static_cast<std::size_t>(y * w + x)] *
                         std::polar(1.0, -at_x * static_cast<double>(x) - at_y * static_cast<double>(y));
        }
      }
      const double below = 2 + std::cos(at_x) + std::cos(at_y);
      double weight = below > 1e-12 ? (1 + std::cos(at_y)) / below : 0.5;
      if (w == 1) weight = 0;
      if (h == 1) weight = 1;
      for (Index y = 0; y < h; ++y) {
        for (Index x = 0; x < w; ++x) {
          const auto at = static_cast<std::size_t>(y * w + x);
          const Complex wave = coefficient / static_cast<double>(h * w) *
                               std::polar(1.0, at_x * static_cast<double>(x) + at_y * static_cast<double>(y));
          x_part[at] += weight * wave;
          y_part[at] += (1 - weight) * wave;
        }
      }
    }
  }
  std::vector<Complex> result(image.size());
  for (Index y = 0; y < h; ++y) {
    const auto row = x_part.begin() + y * w;
    const std::vector<Complex> line = corrected({row, row + w}, options);
    for (Index x = 0; x < w; ++x) result[static_cast<std::size_t>(y * w + x)] += line[static_cast<std::size_t>(x)];
  }
  for (Index x = 0; x < w; ++x) {
    std::vector<Complex> line;
    for (Index y = 0; y < h; ++y) line.push_back(y_part[static_cast<std::size_t>(y * w + x)]);
    line = corrected(line, options);
    for (Index y = 0; y < h; ++y) result[static_cast<std::size_t>(y * w + x)] += line[static_cast<std::size_t>(y)];
  }
  return result;
}

TEST(Gibbs, IsItsDefinition) {
  const Context ctx = test::device_context();
  GibbsOptions options;
  options.shifts = 5;
  options.far = 2;
  using enum PixelType;
  for (const ImageFormat& format :
       {ImageFormat{float32, Channels::complex, 1, 2, 9, 12}, ImageFormat{float32, Channels::gray, 1, 1, 14, 11},
        ImageFormat{uint16, Channels::gray, 1, 1, 7, 10}, ImageFormat{float32, Channels::gray, 1, 1, 1, 13},
        ImageFormat{float32, Channels::complex, 1, 1, 8, 1}}) {
    const Image image = test::random_image(format, 3);
    const test::Numbers numbers = test::numbers_of(image);
    const bool complex = format.channels == Channels::complex;
    const Index pixels = format.height * format.width;
    test::Numbers expected;
    for (Index slice = 0; slice < format.slices(); ++slice) {
      std::vector<Complex> plane;
      for (Index i = slice * pixels; i < (slice + 1) * pixels; ++i) {
        const auto at = static_cast<std::size_t>(i);
        plane.push_back(complex ? Complex(numbers[2 * at], numbers[2 * at + 1]) : Complex(numbers[at], 0));
      }
      for (const Complex& value : expected_image(plane, format.height, format.width, options)) {
        expected.push_back(value.real());
        if (complex) expected.push_back(value.imag());
      }
    }
    if (format.type != float32) {
      for (double& value : expected) value = std::clamp(value, 0.0, full_scale(format.type));
    }
    // The result in double is rounded to float, at values up to 2: eps. Integers are rounded.
    EXPECT_LE(test::largest_difference_from(run_gibbs(ctx, options, image), expected),
              format.type == float32 ? 2e-7 : 0.5 + 1e-2)
        << to_string(format);
  }
}

// A box from `first` to `last` on a ring of n pixels, of which the frequencies below n / 2 are left: its exact Fourier
// coefficients.
double cut_box(double first, double last, Index n, Index x) {
  const double length = static_cast<double>(n);
  double sum = (last - first) / length;
  for (Index k = 1; 2 * k < n; ++k) {
    const double step = 2 * pi * static_cast<double>(k) / length;
    sum += (std::sin(step * (static_cast<double>(x) - first)) - std::sin(step * (static_cast<double>(x) - last))) /
           (pi * static_cast<double>(k));
  }
  return sum;
}

TEST(Gibbs, RemovesTheRingingOfABox) {
  const Context ctx = test::device_context();
  constexpr Index h = 72;
  constexpr Index w = 90;
  const ImageFormat format{PixelType::float32, Channels::gray, 1, 1, h, w};
  const Image image = test::make_image(
      format, [](Index, Index y, Index x, Index) { return cut_box(20.3, 65.8, w, x) * cut_box(15.6, 50.1, h, y); });
  const Image result = run_gibbs(ctx, {}, image);
  const auto ringing = [&](const Image& of) {
    double square = 0;
    for (Index y = 0; y < h; ++y) {
      for (Index x = 0; x < w; ++x) {
        const auto edge = [](Index at, double a, double b) {
          return std::min(std::abs(static_cast<double>(at) - a), std::abs(static_cast<double>(at) - b)) < 2;
        };
        if (edge(x, 20.3, 65.8) || edge(y, 15.6, 50.1)) continue;
        const double truth = x > 20 && x < 66 && y > 15 && y < 51 ? 1 : 0;
        square += std::pow(test::value_at(of, 0, y, x) - truth, 2);
      }
    }
    return std::sqrt(square);
  };
  // Samples where the ringing crosses zero differ from the truth in second order only; Kellner et al. show about a
  // tenth.
  EXPECT_LE(ringing(result), ringing(image) / 4);
  const auto mean = [](const Image& of) {
    const test::Numbers numbers = test::numbers_of(of);
    return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
  };
  // Each line's values are its own mean over a pixel, to the order of the ringing that is taken away.
  EXPECT_NEAR(mean(result) / mean(image), 1, 5e-3);
}

TEST(Gibbs, LeavesWhatIsSmooth) {
  const Context ctx = test::device_context();
  const double kx = 2 * pi / 80;
  const double ky = 2 * pi * 2 / 96;
  const Image image =
      test::make_image({PixelType::float32, Channels::gray, 1, 1, 96, 80}, [&](Index, Index y, Index x, Index) {
        return std::cos(kx * static_cast<double>(x)) + std::cos(ky * static_cast<double>(y));
      });
  // Linear interpolation between exact values: at most k^2 / 8 for each cosine, of which both parts have a share.
  EXPECT_LE(test::largest_difference(run_gibbs(ctx, {}, image), image), (kx * kx + ky * ky) / 8);
}

TEST(Gibbs, RefusesWhatItCanNotTake) {
  GibbsOptions options;
  EXPECT_THROW(make_gibbs(options)->output({PixelType::uint8, Channels::rgb, 1, 1, 8, 8}), Unsupported);
  options.near = 4;
  EXPECT_THROW(make_gibbs(options), ValueError);
  options.far = 65;
  EXPECT_THROW(make_gibbs(options), ValueError);
  options = {};
  options.shifts = 0;
  EXPECT_THROW(make_gibbs(options), ValueError);
}

}  // namespace
}  // namespace whorl
