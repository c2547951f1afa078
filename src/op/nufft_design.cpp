#include "op/nufft_design.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/out_of_memory.hpp"
#include "kernels/nufft_cost.hpp"
#include "op/encoding_shapes.hpp"
#include "op/window/window_grid.hpp"
#include "op/window/window_polynomial.hpp"
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

double cost_of(const Context& ctx, const NufftDesign& design, Index samples) {
  return kernels::nufft_cost(ctx, {design.grid.rank(), design.window.width(), design.grid.size(), samples});
}

NufftDesign make_design(const Context& ctx, const Shape& image, Index samples, const NufftOptions& options,
                        double epsilon) {
  const WindowGoal goal{options.window, options.tolerance, options.accuracy, epsilon};
  constexpr double largest = 2;
  const Shape first = oversampled_grid(image, options.oversampling != 0 ? options.oversampling : largest);
  // The largest oversampling has the smallest error, so its error message is the most useful one.
  NufftDesign best{choose_window(goal, ImageGrid(image, first)), first};
  if (options.oversampling != 0) return best;
  double best_cost = cost_of(ctx, best, samples);
  constexpr int steps = 12;
  Shape previous = first;
  int width = best.window.width();
  for (int step = 1; step <= steps; ++step) {
    const Shape grid = oversampled_grid(image, largest - (largest - least_oversampling) * step / steps);
    if (grid == previous) continue;
    const auto window = find_window(goal, ImageGrid(image, grid), width);
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

// An error of the polynomials enters the result in the same way as rounding on the grid.
double polynomial_tolerance(const Window& window, const Shape& image, const NufftOptions& options) {
  double amplification = 0;
  for (const Index extent : image) {
    amplification = std::max(amplification, window.amplification(extent, options.accuracy));
  }
  return 0.05 * options.tolerance / (image.rank() * std::sqrt(window.width()) * amplification);
}

// 1/transform at every pixel of an axis, with the axis' part of the scale.
std::vector<double> deapodization(const Window& window, Index pixels, Index points) {
  std::vector<double> factor;
  const double scale = 1 / std::sqrt(static_cast<double>(pixels));
  const Index center = pixels / 2;
  for (Index i = 0; i < pixels; ++i) {
    const double f = static_cast<double>(i - center) / static_cast<double>(points);
    // An axis that is not there (2D) has one point and is not convolved.
    factor.push_back(points == 1 ? 1.0 : scale / window.transform(f));
  }
  return factor;
}

DesignTables make_tables(const NufftDesign& design, const Shape& image, const NufftOptions& options) {
  DesignTables tables{fit_window(design.window, polynomial_tolerance(design.window, image, options))};
  const std::array<Index, 3> pixels = padded_to_3d(image);
  const std::array<Index, 3> points = padded_to_3d(design.grid);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    tables.deapodization[axis] = deapodization(design.window, pixels[axis], points[axis]);
  }
  return tables;
}

// What was made last. Frames with trajectories of their own have one design, whose search takes milliseconds.
template <class Key, class Made>
class LastMade {
 public:
  template <class Make>
  Made get(const Key& key, const Make& make) {
    {
      const std::scoped_lock lock(mutex_);
      const auto found =
          std::find_if(made_.begin(), made_.end(), [&](const auto& entry) { return entry.first == key; });
      if (found != made_.end()) return found->second;
    }
    Made made = make();
    const std::scoped_lock lock(mutex_);
    constexpr std::size_t most = 16;
    if (made_.size() == most) made_.pop_front();
    made_.emplace_back(key, made);
    return made;
  }

 private:
  std::mutex mutex_;
  std::deque<std::pair<Key, Made>> made_;
};

// All that a design follows from; the model of the cost is the device's.
struct DesignKey {
  Device device;
  Shape image;
  Index samples;
  NufftOptions options;
  double epsilon;

  bool operator==(const DesignKey& other) const {
    return device == other.device && image == other.image && samples == other.samples &&
           are_equal(options, other.options) && epsilon == other.epsilon;
  }
};

// What identifies the tables of a design.
using TablesKey = std::tuple<WindowKind, int, double, Shape, Shape, double, NufftAccuracy>;

}  // namespace

NufftDesign design_nufft(const Context& ctx, const Shape& image, Index samples, const NufftOptions& options,
                         double epsilon) {
  static LastMade<DesignKey, NufftDesign> designs;
  return designs.get({ctx.device(), image, samples, options, epsilon},
                     [&] { return make_design(ctx, image, samples, options, epsilon); });
}

std::shared_ptr<const DesignTables> design_tables(const NufftDesign& design, const Shape& image,
                                                  const NufftOptions& options) {
  static LastMade<TablesKey, std::shared_ptr<const DesignTables>> tables;
  const Window& window = design.window;
  return tables.get(
      {window.kind(), window.width(), window.oversampling(), image, design.grid, options.tolerance, options.accuracy},
      [&] { return std::make_shared<const DesignTables>(make_tables(design, image, options)); });
}

void require_memory_for_grid(const Context& ctx, const Shape& image, std::size_t element_bytes) {
  // As a real number: an absurd image has more pixels than an Index can count.
  auto bytes = static_cast<double>(element_bytes);
  for (const Index n : image) bytes *= least_oversampling * static_cast<double>(n);
  constexpr double always_there = 1 << 30;  // asking the system takes longer than planning a small image
  if (bytes <= always_there) return;
  const auto left = static_cast<double>(ctx.pool().limit());
  if (bytes <= left) return;
  throw detail::OutOfMemory(fmt::format(
      "nufft: an image of shape {} needs a grid of {:.3g} GB, but {} has {:.3g} GB of memory left; use a smaller image",
      to_string(image), 1e-9 * bytes, to_string(ctx.device()), 1e-9 * left));
}

bool toeplitz_is_faster(const Context& ctx, const NufftDesign& design, const Shape& toeplitz_grid, Index samples) {
  return kernels::convolution_cost(ctx, design.grid.rank(), toeplitz_grid.size()) < 2 * cost_of(ctx, design, samples);
}

}  // namespace whorl
