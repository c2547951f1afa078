// The list of the steps on a CPU.
#include "studies/gridding_2d/cpu/kernels.hpp"
#include "studies/gridding_2d/step.hpp"

namespace whorl::studies::gridding_2d {

namespace {

// With the threads of the context, or with one.
template <class Kernel>
auto parallel(Kernel* kernel) {
  return [kernel](const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
    kernel(problem, ctx.threads(), grid);
  };
}

Step search_step(const std::string& name, bool by_threads) {
  return {.name = name,
          .lookup = Lookup::distance,
          .run =
              [by_threads](const Context& ctx, const Problem& problem, ArrayRef<float> grid) {
                search_on_host(problem, searched_points(problem), by_threads ? ctx.threads() : 1, grid);
              },
          .points = searched_points};
}

}  // namespace

std::vector<Step> cpu_steps() {
  return {
      {.name = "input-driven, exp() at each point", .layout = Layout::interleaved, .run = exponential_on_host},
      {.name = "window from the table",
       .lookup = Lookup::distance,
       .layout = Layout::interleaved,
       .run = table_on_host},
      {.name = "real and imaginary parts apart", .lookup = Lookup::distance, .run = split_on_host},
      search_step("output-driven: each point searches", false),
      {.name = "sector-driven, padded tiles",
       .lookup = Lookup::distance,
       .run = [](const Context& /*ctx*/, const Problem& problem,
                 ArrayRef<float> grid) { sectors_on_host(problem, 1, grid); }},
      {.name = "a window for each axis, vectors",
       .lookup = Lookup::axes,
       .run = [](const Context& /*ctx*/, const Problem& problem,
                 ArrayRef<float> grid) { vectors_on_host(problem, 1, grid); }},
      {.name = "sectors by all threads", .lookup = Lookup::axes, .run = parallel(vectors_on_host)},
  };
}

std::vector<Step> cpu_ways() {
  return {
      {.name = "fine, input: a sample at a time, atomic sums", .lookup = Lookup::distance, .run = atomics_on_host},
      {.name = "coarse, input: runs of samples, a grid each", .lookup = Lookup::distance, .run = runs_on_host},
      search_step("fine, output: each point searches all samples", true),
      {.name = "coarse, output: sectors", .lookup = Lookup::distance, .run = parallel(sectors_on_host)},
  };
}

std::vector<Step> cpu_lookups() {
  std::vector<Step> steps;
  for (const Lookup lookup : all_lookups) {
    steps.push_back({.name = name_of(lookup),
                     .lookup = lookup,
                     .run = [lookup](const Context& /*ctx*/, const Problem& problem, ArrayRef<float> grid) {
                       looked_up_on_host(lookup, problem, grid);
                     }});
  }
  return steps;
}

}  // namespace whorl::studies::gridding_2d
