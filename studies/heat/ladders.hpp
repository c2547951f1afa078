// The three ladders of the study, and their measures.
#pragma once

#include "studies/heat/modes.hpp"
#include "studies/ladder.hpp"

namespace whorl::studies::heat {

/// Explicit steps in a plane, on the torus; errors are against the scheme without rounding.
Ladder explicit_ladder(const Context& ctx, const Setting& setting);
/// Alternating directions in a plane, between walls.
Ladder adi_ladder(const Context& ctx, const Setting& setting);
/// Crank and Nicolson's steps on a line, between walls.
Ladder line_ladder(const Context& ctx, const Setting& setting);

}  // namespace whorl::studies::heat
