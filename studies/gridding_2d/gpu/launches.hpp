// What launches the kernels for a GPU.
#pragma once

#include "studies/gridding_2d/step.hpp"

namespace whorl::studies::gridding_2d {

// Input-driven, in the order of the ladder; fine_table is the last one with a sample for each block.
void run_naive(const Context& ctx, const Problem& problem, ArrayRef<float> grid);
void run_cached_samples(const Context& ctx, const Problem& problem, ArrayRef<float> grid);
void run_split_grid(const Context& ctx, const Problem& problem, ArrayRef<float> grid);
void run_table(const Context& ctx, const Problem& problem, ArrayRef<float> grid);
void run_fine_table(const Context& ctx, const Problem& problem, ArrayRef<float> grid);
/// Output-driven.
void run_search(const Context& ctx, const Problem& problem, ArrayRef<float> grid);
/// The table that the last three read.
void prepare_input_driven(const Context& ctx, const Problem& problem);

/// Side that adds what tiles hold of their neighbors' points.
enum class Padding { host, device };

/// Sector-driven, the table in constant memory; at most `resident` blocks on a multiprocessor, or as many as fit (0).
Step constant_table_step(const std::string& name, Padding padding, int resident);
/// Sector-driven, with the window found in any way, tables in shared memory, as many blocks as fit.
Step sector_step_with(const std::string& name, Lookup lookup);

}  // namespace whorl::studies::gridding_2d
