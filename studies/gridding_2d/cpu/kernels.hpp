// The kernels for a CPU, one source for each way to divide the work.
#pragma once

#include "studies/gridding_2d/scan.hpp"
#include "studies/gridding_2d/window.hpp"

namespace whorl::studies::gridding_2d {

// Input-driven, one thread: interleaved with an exponential at each point; the same with the table; split.
void exponential_on_host(const Context& ctx, const Problem& problem, ArrayRef<float> grid);
void table_on_host(const Context& ctx, const Problem& problem, ArrayRef<float> grid);
void split_on_host(const Context& ctx, const Problem& problem, ArrayRef<float> grid);
/// Like split, with any way to compute the window's values.
void looked_up_on_host(Lookup lookup, const Problem& problem, ArrayRef<float> grid);

/// Output-driven: the first points of the grid, each of which searches all samples.
void search_on_host(const Problem& problem, Index points, int threads, ArrayRef<float> grid);
/// The number of points for several tenths of a second.
Index searched_points(const Problem& problem);

/// Sector-driven with padded tiles; then the same with loops over points that the compiler makes vectors of.
void sectors_on_host(const Problem& problem, int threads, ArrayRef<float> grid);
void vectors_on_host(const Problem& problem, int threads, ArrayRef<float> grid);

/// Input-driven by the context's threads: sample by sample with atomic sums, and in runs of samples with a grid each.
void atomics_on_host(const Context& ctx, const Problem& problem, ArrayRef<float> grid);
void runs_on_host(const Context& ctx, const Problem& problem, ArrayRef<float> grid);

/// Adds the padded tiles of all sectors [sector, 2, padded, padded] into a split grid.
void add_tiles_on_host(Extents extents, const float* tiles, int threads, float* grid);

}  // namespace whorl::studies::gridding_2d
