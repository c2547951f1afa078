// The gain that the team expected of a GPU for its heat equation, and why.
#pragma once

#include "studies/results.hpp"

namespace whorl::studies::heat {

/// Readings of the team's profile by Amdahl's law, with the gain on its 1920 cores; last, the gain measured here.
Table claim_table(double measured_gain);

}  // namespace whorl::studies::heat
