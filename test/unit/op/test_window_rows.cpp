// The bound of a row of the transform on short axes, whose grids have more oversampling than was asked for. Expected
// are the errors by their definition, summed pixel by pixel, and a transform of the worst rows against the exact sum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <tuple>
#include <vector>

#include "op/nufft_design.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

// Means of the window's error e and of |e|^2 over the pixels of an axis, for a sample at one place of a grid cell.
struct Place {
  Complex mean;
  double square;
};

std::vector<Place> places_of(const Window& window, Index extent, Index points) {
  constexpr int steps = 24;  // the ends and the middle of a cell among them, where errors are largest
  std::vector<Place> places(steps + 1, {0, 0});
  for (Index r = -(extent / 2); r < extent - extent / 2; ++r) {
    const double f = static_cast<double>(r) / static_cast<double>(points);
    for (int i = 0; i <= steps; ++i) {
      Complex sum = 0;
      for (int l = 0; l < window.width(); ++l) {
        const double t = static_cast<double>(i) / steps - 0.5 * window.width() + l;
        sum += window.value(t) * std::polar(1.0, -2 * std::numbers::pi * f * t);
      }
      const Complex error = sum / window.transform(f) - 1.0;
      Place& place = places[static_cast<std::size_t>(i)];
      place.mean += error / static_cast<double>(extent);
      place.square += std::norm(error) / static_cast<double>(extent);
    }
  }
  return places;
}

// The mean of |(1 + e_1)(1 + e_2) - 1|^2 over all pixels, in terms that do not cancel.
double row_square(const Place& a, const Place& b) {
  return a.square + b.square + a.square * b.square + 2 * (a.mean * std::conj(b.mean)).real() +
         2 * a.mean.real() * b.square + 2 * b.mean.real() * a.square;
}

// The largest row error of all images of 1 to 64 pixels an axis, in units of the tolerance.
double largest_row(const NufftOptions& options, Index step) {
  const Context ctx({.threads = 1});
  std::map<std::tuple<int, double, Index, Index>, std::vector<Place>> known;
  double largest = 0;
  for (Index rows = 1; rows <= 64; rows += step) {
    for (Index columns = rows; columns <= 64; columns += step) {
      const Shape image{rows, columns};
      const NufftDesign design = design_nufft(ctx, image, 1, options, unit_roundoff<double>);
      const auto of_axis = [&](int axis) -> const std::vector<Place>& {
        const auto key =
            std::tuple(design.window.width(), design.window.oversampling(), image[axis], design.grid[axis]);
        const auto found = known.find(key);
        if (found != known.end()) return found->second;
        return known.emplace(key, places_of(design.window, image[axis], design.grid[axis])).first->second;
      };
      for (const Place& y : of_axis(0)) {
        for (const Place& x : of_axis(1)) largest = std::max(largest, row_square(y, x));
      }
    }
  }
  return std::sqrt(largest) / options.tolerance;
}

TEST(WindowRows, AllPairsOfShortAxes) {
  EXPECT_LE(largest_row({.tolerance = 7e-4, .oversampling = 1.25}, 1), 1);  // 1.21 where all axes had the least
  EXPECT_LE(largest_row({.tolerance = 1.16e-4, .oversampling = 1.25}, 1), 1);
  EXPECT_LE(largest_row({.tolerance = 2.0867e-4, .oversampling = 1.25}, 1), 1);
  EXPECT_LE(largest_row({.tolerance = 7.18e-8, .oversampling = 1.5}, 1), 1);
  EXPECT_LE(largest_row({.tolerance = 6e-4, .oversampling = 1.3, .window = WindowKind::gaussian}, 3), 1);
  EXPECT_LE(largest_row({.tolerance = 7e-4}, 3), 1);
}

// One sample: the adjoint of 1 is its row, of norm 1. In double, rounding does not count.
double error_of_row(const Shape& image, double kx, double ky, const NufftOptions& options) {
  const Context ctx({.threads = 1});
  Array<double> point(ctx, {1, 2});
  point.data()[0] = kx;
  point.data()[1] = ky;
  Array<Complex> one(ctx, {1, 1});
  one.data()[0] = 1;
  const Nufft<double> nufft(ctx, point, image, 1, options);
  const Dft<double> exact(ctx, point, image, 1);
  Array<Complex> row(ctx, nufft.domain());
  Array<Complex> expected(ctx, exact.domain());
  nufft.adjoint(ctx, one, row);
  exact.adjoint(ctx, one, expected);
  double square = 0;
  for (Index i = 0; i < row.size(); ++i) square += std::norm(row.data()[i] - expected.data()[i]);
  return std::sqrt(square);
}

TEST(WindowRows, TransformsOfShortAxes) {
  for (const double oversampling : {0.0, 1.25}) {
    const auto options = [&](double tolerance) {
      return NufftOptions{.tolerance = tolerance, .oversampling = oversampling};
    };
    EXPECT_LE(error_of_row({48, 6}, 0, 0, options(7e-4)), 7e-4);
    EXPECT_LE(error_of_row({48, 6}, -0.5, 0.5, options(7e-4)), 7e-4);
    EXPECT_LE(error_of_row({6, 48}, 0, 0, options(7e-4)), 7e-4);
    EXPECT_LE(error_of_row({24, 6}, 0, 0, options(7e-4)), 7e-4);
    EXPECT_LE(error_of_row({24, 14}, 0.25, 0.25, options(1.16e-4)), 1.16e-4);
    EXPECT_LE(error_of_row({48, 12}, -0.5, 0.5, options(6.69e-4)), 6.69e-4);
    EXPECT_LE(error_of_row({64, 12}, -0.5, 0.5, options(6.69e-4)), 6.69e-4);
  }
}

}  // namespace
}  // namespace whorl
