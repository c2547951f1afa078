// The window for a tolerance.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "op/window/window_grid.hpp"
#include "whorl/core/error.hpp"
#include "whorl/op/tolerance_error.hpp"

namespace whorl {

namespace {

// The part of the tolerance for the window itself. The rest is for the polynomials that replace it
// (op/nufft_plan.hpp), and because its error is evaluated at several positions only.
constexpr double share_of_window = 0.97;

constexpr double largest_oversampling = 2;  // of NufftOptions

double own_error(const Window& window, NufftAccuracy accuracy, const ImageGrid& grid) {
  const double error = accuracy == NufftAccuracy::guaranteed ? norm_error(window, grid) : row_error(window, grid);
  return error / share_of_window;
}

double floor_of(const Window& window, const WindowGoal& goal, const Shape& image) {
  return rounding_floor(window, image, goal.epsilon, goal.accuracy);
}

// The smallest error of all widths.
double least_error(const WindowGoal& goal, const ImageGrid& grid) {
  double least = 1;
  for (int width = 2; width <= Window::max_width; ++width) {
    const Window window(goal.kind, width, grid.least_oversampling());
    const double floor = floor_of(window, goal, grid.image);
    if (floor > least) break;  // and grows with the width
    least = std::min(least, own_error(window, goal.accuracy, grid) + floor);
  }
  return least;
}

// Start of the search: about the width whose error is the tolerance. The error of a Kaiser-Bessel window falls by
// exp(-pi sqrt(1 - 1/s)) from width to width (Fourmont, J. Fourier Anal. Appl. 9 (2003) 431); the factor 4 is fitted.
int likely_width(double oversampling, double tolerance) {
  const double decay = std::numbers::pi * std::sqrt(1 - 1 / oversampling);
  return std::clamp(static_cast<int>(std::ceil(std::log(4 / tolerance) / decay)), 2, Window::max_width);
}

// What else would help, beside a larger tolerance: "; ask for ... or more, or use".
std::string other_ways(const WindowGoal& goal, double oversampling, bool single) {
  std::vector<std::string> ways;
  if (single) ways.emplace_back("double precision");
  if (goal.kind == WindowKind::gaussian) ways.emplace_back("the Kaiser-Bessel window");
  if (oversampling < largest_oversampling) ways.emplace_back("a larger oversampling");
  return ways.empty() ? std::string() : fmt::format(", or use {}", fmt::join(ways, " or "));
}

// A slightly larger number, of two digits.
double rounded_up(double value) {
  const double digits = std::pow(10, std::floor(std::log10(value)) - 1);
  return std::ceil(1.05 * value / digits) * digits;
}

}  // namespace

// NOLINTNEXTLINE(modernize-pass-by-value): callers keep their shape
ImageGrid::ImageGrid(const Shape& pixels, const Shape& grid) : image(pixels) {
  for (int axis = 0; axis < image.rank(); ++axis) {
    oversampling.push_back(static_cast<double>(grid[axis]) / static_cast<double>(image[axis]));
  }
}

double ImageGrid::least_oversampling() const {
  return std::min(largest_oversampling, *std::min_element(oversampling.begin(), oversampling.end()));
}

std::optional<Window> find_window(const WindowGoal& goal, const ImageGrid& grid, int at_least) {
  if (!(goal.tolerance > 0 && goal.tolerance < 1)) {
    throw ValueError(fmt::format("nufft: tolerance is {}, expected a number between 0 and 1", goal.tolerance));
  }
  const double oversampling = grid.least_oversampling();
  const auto error_of = [&](int width) { return own_error({goal.kind, width, oversampling}, goal.accuracy, grid); };
  // The narrowest window whose own error is small enough: that error falls with the width.
  int width = at_least > 2 ? at_least : likely_width(oversampling, goal.tolerance);
  double error = error_of(width);
  while (error > goal.tolerance && width < Window::max_width) error = error_of(++width);
  while (width > at_least) {
    const double narrower = error_of(width - 1);
    if (narrower > goal.tolerance) break;
    error = narrower;
    --width;
  }
  // Then its rounding error, which grows with the width.
  for (; width <= Window::max_width; ++width) {
    const Window window(goal.kind, width, oversampling);
    const double floor = floor_of(window, goal, grid.image);
    if (floor > goal.tolerance) break;
    if (error + floor <= goal.tolerance) return window;
    if (width < Window::max_width) error = error_of(width + 1);
  }
  return std::nullopt;
}

std::optional<Window> find_window(const WindowGoal& goal, double oversampling, const Shape& image, int at_least) {
  return find_window(goal, {image, oversampling}, at_least);
}

Window choose_window(const WindowGoal& goal, double oversampling, const Shape& image) {
  return choose_window(goal, {image, oversampling});
}

Window choose_window(const WindowGoal& goal, const ImageGrid& grid) {
  if (const auto window = find_window(goal, grid)) return *window;
  const double oversampling = grid.least_oversampling();
  const double best = least_error(goal, grid);
  const bool single = goal.epsilon > 1e-10;
  throw ToleranceError(fmt::format(
      "nufft: tolerance {:.1e} is below {:.1e}, the floor that rounding sets in {} precision for {}D, the {} window "
      "and "
      "oversampling {:.4g}{}; ask for {:.1e} or more{}",
      goal.tolerance, best, single ? "single" : "double", grid.image.rank(),
      goal.kind == WindowKind::gaussian ? "Gaussian" : "Kaiser-Bessel", oversampling,
      goal.accuracy == NufftAccuracy::guaranteed ? " (guaranteed for all images)" : "", rounded_up(best),
      other_ways(goal, oversampling, single)));
}

}  // namespace whorl
