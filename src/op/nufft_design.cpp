#include "op/nufft_design.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernels/nufft_cost.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/shape.hpp"
#include "whorl/math/fft.hpp"

namespace whorl {

namespace {

constexpr double least_oversampling = 1.25;

Shape oversampled_grid(const Shape& image, double oversampling) {
  std::vector<Index> extents;
  for (const Index n : image) {
    // Slightly below the product: 1.25 * 96 must not become 122 by rounding.
    extents.push_back(next_fast_even(static_cast<Index>(std::ceil(oversampling * static_cast<double>(n) - 1e-9))));
  }
  return Shape(extents);
}

// The oversampling of the grid. Its extents are rounded up, and a window that uses all of it has less error.
double oversampling_of(const Shape& image, const Shape& grid) {
  double least = 2;
  for (int axis = 0; axis < image.rank(); ++axis) {
    least = std::min(least, static_cast<double>(grid[axis]) / static_cast<double>(image[axis]));
  }
  return least;
}

// The axes on which the window's error is evaluated: it depends on places in units of the axis, of which the first
// thousands tell all.
Shape evaluated(const Shape& image) {
  constexpr Index most = 4096;
  std::vector<Index> extents;
  for (const Index n : image) extents.push_back(std::min(n, most));
  return Shape(extents);
}

double cost_of(const Context& ctx, const NufftDesign& design, Index samples) {
  return kernels::nufft_cost(ctx, {design.grid.rank(), design.window.width(), design.grid.size(), samples});
}

NufftDesign make_design(const Context& ctx, const Shape& image, Index samples, const NufftOptions& options,
                        double epsilon) {
  const WindowGoal goal{options.window, options.tolerance, options.accuracy, epsilon};
  constexpr double largest = 2;
  const Shape first = oversampled_grid(image, options.oversampling != 0 ? options.oversampling : largest);
  // The largest oversampling has the smallest error, so its error message is the most useful one.
  NufftDesign best{choose_window(goal, oversampling_of(image, first), evaluated(image)), first};
  if (options.oversampling != 0) return best;
  double best_cost = cost_of(ctx, best, samples);
  constexpr int steps = 12;
  Shape previous = first;
  int width = best.window.width();
  for (int step = 1; step <= steps; ++step) {
    const Shape grid = oversampled_grid(image, largest - (largest - least_oversampling) * step / steps);
    if (grid == previous) continue;
    const auto window = find_window(goal, oversampling_of(image, grid), evaluated(image), width);
    if (!window) break;  // a smaller oversampling does no better
    width = window->width();
    NufftDesign candidate{*window, grid};
    const double cost = cost_of(ctx, candidate, samples);
    if (cost < best_cost) {
      best_cost = cost;
      best = std::move(candidate);
    }
    previous = grid;
  }
  return best;
}

// The designs that were made last. Frames with trajectories of their own have one design, whose search takes
// milliseconds.
class Designs {
 public:
  NufftDesign get(const Context& ctx, const Shape& image, Index samples, const NufftOptions& options, double epsilon) {
    const Key key{ctx.device(), image, samples, options, epsilon};
    {
      const std::scoped_lock lock(mutex_);
      const auto found =
          std::find_if(made_.begin(), made_.end(), [&](const auto& entry) { return entry.first == key; });
      if (found != made_.end()) return found->second;
    }
    NufftDesign design = make_design(ctx, image, samples, options, epsilon);
    const std::scoped_lock lock(mutex_);
    constexpr std::size_t most = 16;
    if (made_.size() == most) made_.pop_front();
    made_.emplace_back(key, design);
    return design;
  }

 private:
  // All that a design follows from; the model of the cost is the device's.
  struct Key {
    Device device;
    Shape image;
    Index samples;
    NufftOptions options;
    double epsilon;

    bool operator==(const Key& other) const {
      return device == other.device && image == other.image && samples == other.samples &&
             are_equal(options, other.options) && epsilon == other.epsilon;
    }
  };

  std::mutex mutex_;
  std::deque<std::pair<Key, NufftDesign>> made_;
};

}  // namespace

NufftDesign design_nufft(const Context& ctx, const Shape& image, Index samples, const NufftOptions& options,
                         double epsilon) {
  static Designs designs;
  return designs.get(ctx, image, samples, options, epsilon);
}

void require_memory_for_grid(const Context& ctx, const Shape& image, std::size_t element_bytes) {
  // As a real number: an absurd image has more pixels than an Index can count.
  auto bytes = static_cast<double>(element_bytes);
  for (const Index n : image) bytes *= least_oversampling * static_cast<double>(n);
  constexpr double always_there = 1 << 30;  // asking the system takes longer than planning a small image
  if (bytes <= always_there) return;
  const auto left = static_cast<double>(ctx.pool().limit());
  if (bytes <= left) return;
  throw Error(fmt::format(
      "nufft: an image of shape {} needs a grid of {:.3g} GB, but {} has {:.3g} GB of memory left; use a smaller image",
      to_string(image), 1e-9 * bytes, to_string(ctx.device()), 1e-9 * left));
}

bool toeplitz_is_faster(const Context& ctx, const NufftDesign& design, const Shape& toeplitz_grid, Index samples) {
  return kernels::convolution_cost(ctx, design.grid.rank(), toeplitz_grid.size()) < 2 * cost_of(ctx, design, samples);
}

}  // namespace whorl
