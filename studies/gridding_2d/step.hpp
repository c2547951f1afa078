// A step: one way to grid, and the reference for its result.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "studies/cited.hpp"
#include "studies/gridding_2d/scan.hpp"
#include "studies/gridding_2d/window.hpp"
#include "whorl/op/window.hpp"

namespace whorl::studies::gridding_2d {

/// The layout of a result's 2 y x numbers: complex [y, x], or real parts, then imaginary parts [2, y, x].
enum class Layout { interleaved, split };

struct Step {
  std::string name;
  Lookup lookup = Lookup::exact;
  Layout layout = Layout::split;
  /// Grids all samples, grid_i = sum_j value_j window(i - place_j), and overwrites the grid.
  std::function<void(const Context&, const Problem&, ArrayRef<float>)> run;
  Cited published{};
  /// Preparation outside the timing: uploads of tables.
  std::function<void(const Context&, const Problem&)> prepare{};
  /// Number of the grid's points, from the first on, that run computes; none: all.
  std::function<Index(const Problem&)> points{};
  bool product = false;
};

/// The points that a step computes.
Index computed_points(const Step& step, const Problem& problem);

/// The ladder of a CPU, and the four ways to divide the work among its threads.
std::vector<Step> cpu_steps();
std::vector<Step> cpu_ways();

/// Steps of a GPU; none where whorl is built without.
std::vector<Step> gpu_steps();
std::vector<Step> gpu_ways();

/// One kernel with the window's values found in each way.
std::vector<Step> cpu_lookups();
std::vector<Step> gpu_lookups();

/// Steps of the context's device.
std::vector<Step> steps_on(const Context& ctx);
std::vector<Step> ways_on(const Context& ctx);
std::vector<Step> lookups_on(const Context& ctx);

/// The values on the context's device, [1, sample].
Array<std::complex<float>> library_values(const Context& ctx, const Scan& scan);

/// The library's gridding with a window of as many cells; the plan, which sorts the samples too, is made here.
Step library_step(const Context& ctx, const Scan& scan, const Window& window);

}  // namespace whorl::studies::gridding_2d
