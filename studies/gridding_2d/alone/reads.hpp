// The paper's test of constant memory: what a read takes if all threads of a warp read one address, and if each reads
// another.
#pragma once

#include <string>
#include <vector>

#include "studies/results.hpp"
#include "whorl/core/context.hpp"

namespace whorl::studies::gridding_2d {

/// Numbers of the chain that a read gives the next address of. They are a random cycle through all of them.
inline constexpr int chain_length = 1024;
/// Reads of a thread, each of which waits for the one before.
inline constexpr int chain_reads = 4096;

/// chain[i] is the address after i.
std::vector<int> random_cycle();

struct ReadTimes {
  std::string memory;
  double one_address = 0;       ///< clock cycles of a read
  double random_addresses = 0;  ///< the same where the 32 threads of a warp start at random places of the cycle
  int wrong = 0;                ///< threads that did not end where the chain leads
};

/// Constant, shared and global memory of a GPU, by one warp; none where whorl is built without.
std::vector<ReadTimes> read_times_on_gpu(const Context& ctx);

/// Reads of a GPU's memories; a CPU has no constant memory: no rows.
Table reads_table(const Context& ctx);

}  // namespace whorl::studies::gridding_2d
