// Each optimization of the paper's table 1 by itself on its first kernel, for any sizes: gains that stand beside those of
// the table, which are of single optimizations, while the ladder's add up.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "studies/gridding_2d/trial.hpp"
#include "studies/results.hpp"

namespace whorl::studies::gridding_2d {

/// What a step on a GPU needs: windows of 8 or 16 cells, and the tile of a sector in shared memory.
bool fits_gpu(const Context& ctx, const Sizes& sizes);

/// The first kernel, then each optimization on it alone. They take the sizes of the problem.
std::vector<Step> cpu_alone_steps();
std::vector<Step> gpu_alone_steps();

/// Sectors with all that the paper's last version has: the table, parts apart, padding added by the device; at most
/// `resident` blocks on a multiprocessor, or as many as fit (0). On a CPU with all threads.
Step cpu_sector_step();
Step gpu_sector_step(int resident);

/// The sums of a tile in shared memory as complex numbers, and as two arrays.
std::vector<Step> gpu_bank_steps();

/// Every optimization alone: times, gains over the first row, errors.
Table alone_table(Trial& trial);

/// A choice of sizes, and how many blocks may be on a multiprocessor at a time; 0: as many as fit.
struct SizeChoice {
  Sizes sizes;
  int resident = 0;
};
/// Sectors of other sizes, by the numbers of samples of the scans.
Table sizes_table(const Context& ctx, std::span<const Scan> scans, std::span<const SizeChoice> choices);

/// Complex numbers in shared memory against two arrays; none on a CPU.
Table banks_table(const Context& ctx, std::span<const Scan> scans);

}  // namespace whorl::studies::gridding_2d
