// Amdahl's law for the team's profile, as the team read it and otherwise.
#pragma once

#include "studies/cited.hpp"
#include "studies/results.hpp"

namespace whorl::studies::sha1_search {

/// The team's machine: 387659012 strings (1 to 5 of 52 letters) in 131.94 s, under a profiler.
inline constexpr double published_strings = cited_number("sha1_search", "387659012");
inline constexpr double published_seconds = cited_number("sha1_search", "131.94");
/// The largest gain that the team expected of a GPU.
inline constexpr double published_limit = cited_number("sha1_search", "6.004");

/// Times measured here, in seconds.
struct Measured {
  double one_thread = 0;  ///< the whole search by the first step on a CPU
  double fixed = 0;       ///< what a search takes on this device however few strings there are
};

/// A row for each reading of what is serial, with the largest gain on 384 and 2304 cores.
Table prediction_table(const Measured& measured);

}  // namespace whorl::studies::sha1_search
