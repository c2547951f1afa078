// Where the counters of a file without trajectory have the center of k-space.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "io/ismrmrd/probe.hpp"
#include "whorl/core/note.hpp"

namespace whorl::io {

struct CounterCenters {
  std::optional<Index> sample;       ///< of all readouts, where center_sample is not set; none: center_sample
  bool reversed_as_stored = false;   ///< center_sample of a reversed readout counts from its first stored sample
  std::array<Index, 2> steps{0, 0};  ///< of kspace_encode_step_1 and 2
};

/// Takes what header and acquisitions say. What they leave open is that of several usual places where the echo has most energy:
/// the center of readouts without center_sample, whether that of reversed readouts is counted backward, and the steps where the
/// header has no center or one that does not fit the matrix. Notes what was found.
CounterCenters find_centers(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header, Notes& notes);

/// False if center_sample is 0 everywhere: not set.
bool has_center_samples(const SortedFile& sorted);

/// The center of spokes without center_sample: their middle, or their start where the echo is there.
Index find_spoke_center(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header);

/// kspace_encode_step_1 or 2 (`axis`) at the center of k-space: as the header says if all steps fit the matrix about it, else the
/// middle, or as the end or the start of partial Fourier has it.
Index find_step(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header, std::size_t axis,
                Notes& notes);

}  // namespace whorl::io
