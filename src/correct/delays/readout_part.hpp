// Private: the readouts of a trajectory without every so many of them.
#pragma once

#include "whorl/core/shape.hpp"

namespace whorl::detail {

/// Readouts are dealt out to `groups` in turn; one of these may be left out.
struct ReadoutPart {
  Index groups = 1;
  Index left_out = -1;  ///< none

  bool has(Index readout) const { return readout % groups != left_out; }
};

}  // namespace whorl::detail
