// Parboil's split of a run's time: input, copy, kernel, output.
#pragma once

#include <optional>
#include <span>

#include "studies/mri_q/climb.hpp"

namespace whorl::studies::mri_q {

/// Milliseconds, all but the kernel's.
struct ParboilTimes {
  double input = 0;            ///< reading the file of the input
  std::optional<double> copy;  ///< samples and voxels to the GPU, Q back to the host; none on a CPU
  double output = 0;           ///< writing Q as a file, to the disk
};

/// Reads and writes files in Parboil's formats in the folder for temporary files; the input is in the page cache, as in a
/// benchmark that is run again. Throws IoError
ParboilTimes parboil_times(const Context& ctx, const Problem& problem);

/// A problem and the times of its ladder.
struct ParboilRun {
  std::string name;  ///< "32^3"
  const Problem* problem;
  std::span<const StepTime> times;
};

/// A row for each run, with the kernel times of the first step, the fastest and the library's transform.
Table parboil_table(const Context& ctx, const Ladder& ladder, std::span<const ParboilRun> runs);

}  // namespace whorl::studies::mri_q
