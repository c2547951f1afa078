// Counters of acquisitions that count something else than their names say, by what the data show.
#pragma once

#include <vector>

#include "io/ismrmrd/probe.hpp"

namespace whorl::io {

/// What a counter counts whose steps have readouts for themselves.
enum class Counted {
  partitions,   ///< most energy is at a few steps, as at the center of k-space
  repetitions,  ///< readouts that differ by it alone are alike but for noise
  nothing,      ///< no readouts differ by it alone
  unknown,
};

/// What kspace_encode_step_2 counts within an image.
Counted partitions_within_images(const Context& ctx, const SortedFile& sorted, const EncodingHeader& header);

/// The plan of the acquisitions. Their heads are mended where the data show that they are wrong, which the header notes: steps below
/// 0, lines that run the other way than their flags say, and slices in one place, with most energy at a few of them, that are
/// partitions; parts of a measurement, not `whole`, are left as they are. Throws as plan_acquisitions.
AcquisitionPlan settled_plan(const Context& ctx, Measurement& measurement, const ScanReadOptions& options,
                             EncodingHeader& header, bool whole = true);

/// Throws ValueError for lines that kspace_encode_step_1 does not tell apart: names the counters that vary instead.
void check_lines(const SortedFile& sorted);

}  // namespace whorl::io
