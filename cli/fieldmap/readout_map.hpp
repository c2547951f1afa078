// A field map from the readouts of a single scan.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "whorl/core/note.hpp"
#include "whorl/recon/readout_field.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl::cli {

struct ReadoutMap {
  Array<float> hertz;  ///< [(z,) y, x]; slices in the order of their places
  Affine affine;
  std::vector<std::pair<std::string, double>> stage_seconds;
  Notes notes;
};

/// Maps the first frame of each slice, one after the other.
/// Throws  ValueError (slices that form no regular stack; a slice whose data cannot decide), and as readout_field
ReadoutMap map_from_readout(const Context& ctx, Scan scan, const ReconOptions& recon,
                            const ReadoutFieldOptions& options);

}  // namespace whorl::cli
