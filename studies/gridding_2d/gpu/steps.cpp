// The list of the steps on a GPU.
#include "studies/gridding_2d/gpu/launches.hpp"

namespace whorl::studies::gridding_2d {

namespace {

Step table_step(const std::string& name, void (*run)(const Context&, const Problem&, ArrayRef<float>)) {
  return {.name = name, .lookup = Lookup::distance, .run = run, .prepare = prepare_input_driven};
}

}  // namespace

std::vector<Step> gpu_steps() {
  return {
      {.name = "input-driven, global memory, atomics", .layout = Layout::interleaved, .run = run_naive},
      {.name = "samples in shared memory", .layout = Layout::interleaved, .run = run_cached_samples},
      {.name = "aligned, real and imaginary apart", .run = run_split_grid},
      table_step("window from a table, constant memory", run_table),
      constant_table_step("sector-driven, padding added by the host", Padding::host, 1),
      constant_table_step("padding added on the device", Padding::device, 1),
      constant_table_step("two blocks a multiprocessor", Padding::device, 2),
      constant_table_step("as many blocks as fit", Padding::device, 0),
      sector_step_with("window in shared memory", Lookup::distance),
      sector_step_with("a window for each axis", Lookup::axes),
  };
}

std::vector<Step> gpu_ways() {
  return {
      table_step("fine, input: a block for each sample", run_fine_table),
      table_step("coarse, input: a block for 32 samples", run_table),
      table_step("fine, output: a thread for each point searches", run_search),
      constant_table_step("coarse, output: a block for each sector", Padding::device, 0),
  };
}

std::vector<Step> gpu_lookups() {
  std::vector<Step> steps;
  for (const Lookup lookup : all_lookups) steps.push_back(sector_step_with(name_of(lookup), lookup));
  return steps;
}

}  // namespace whorl::studies::gridding_2d
