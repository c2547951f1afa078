// Lines of a Cartesian scan that are flagged as calibration for parallel imaging.
#pragma once

#include <string>
#include <vector>

#include "io/ismrmrd/probe.hpp"
#include "whorl/core/note.hpp"

namespace whorl::io {

/// What becomes of AcquisitionPlan::calibration, in a scan without positions. Lines that agree with the readouts of the image at
/// the same steps, or beside theirs, become samples of their frames. Returns the frames of a calibration scan, one for each slice
/// of which a frame has no such samples: lines that do not agree, or the center of another frame that has them. Notes what was
/// found, and counts the lines that are left out: all of them where positions are not made of counters as for lines.
std::vector<FramePlan> settle_calibration(const Context& ctx, const Measurement& measurement,
                                          const EncodingHeader& header, const ScanReadOptions& options,
                                          AcquisitionPlan& plan);

}  // namespace whorl::io
