// Where the counters of a file without trajectory have the center of k-space.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/ismrmrd/probe.hpp"
#include "whorl/core/note.hpp"

namespace whorl::io {

struct CounterCenters {
  std::optional<Index> sample;       ///< of all readouts (EncodingHeader::center_0); none: center_sample
  bool reversed_as_stored = false;   ///< center_sample of a reversed readout counts from its first stored sample
  std::array<Index, 2> steps{0, 0};  ///< of kspace_encode_step_1 and 2
};

/// Takes what header and acquisitions say. What they leave open the energy of the echo tells: whether the center of reversed
/// readouts is counted backward, and the steps where the header has no center or one that does not fit the matrix. Notes what was
/// found.
CounterCenters find_centers(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header, Notes& notes);

/// False if center_sample is 0 everywhere: not set.
bool has_center_samples(const SortedFile& sorted);

/// The center of lines, if all have one that is not their center_sample: where the echo is, if that is not set or has little
/// energy. Notes it.
std::optional<Index> find_readout_center(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header,
                                         Notes& notes);

/// The center of spokes without center_sample: their middle, or their start where the echo is there.
Index find_spoke_center(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header);

/// The energy of each kspace_encode_step_1 or 2 (`axis`) of the first frame, by its readout nearest to the center along the other;
/// none without data.
std::map<Index, double> energy_of_steps(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header,
                                        std::size_t axis);

/// The largest energy at a step and beside it.
double energy_near(const std::map<Index, double>& energy, Index step);

/// Whether that is far less than elsewhere, so that the center of k-space is not there.
bool is_far_less(const std::map<Index, double>& energy, Index step);

/// kspace_encode_step_1 or 2 (`axis`) at the center of k-space: as the header says if all steps fit the matrix about it and it has
/// energy. Else it is where that is most, or the middle, or as the end or the start of partial Fourier has it.
Index find_step(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header, std::size_t axis,
                Notes& notes);

/// The centers of a calibration scan, in place of the image's, where its lines have counters or lengths of their own.
/// `image_length`: samples of the image's readouts.
void settle_calibration_centers(const Context& ctx, const SortedFile& calibration, Index image_length,
                                const EncodingHeader& header, CounterCenters& centers);

}  // namespace whorl::io
