// The parts of a space that steps search for the ladder, and the whole search.
#pragma once

#include "studies/ladder.hpp"
#include "studies/sha1_search/steps.hpp"

namespace whorl::studies::sha1_search {

/// Strings that the first step on a CPU tries at most: about a second. A GPU tries all up to many more.
inline constexpr double strings_at_first = 4e6;

/// The last rests of a space.
struct Part {
  Index first = 0;   ///< rest
  double share = 1;  ///< of all strings
};

/// The number of rests for about that many strings, at least one.
Part last_part(const Space& space, double strings);

/// The steps of the device, each with the last strings of the space and a digest that is that of one of the last
/// thousandth. Errors are the strings that were not counted, and one for a wrong answer. The space is kept by
/// reference.
Ladder ladder_of(const Context& ctx, const Space& space);

/// The searches that the team timed: all strings of 1, 2, ... letters, up to a length, for a digest that none of them
/// has. A row for each length and one for their sum, with the strings that were hashed; the sum of the team's lengths,
/// 1 to 5 of 52 letters, has its published time. Throws Cancelled.
Table lengths_table(const Context& ctx, const std::string& alphabet, Index length);

/// From the first string on, until it is found. Throws Cancelled.
Outcome search_all(const Context& ctx, const Space& space, const Digest& digest);

}  // namespace whorl::studies::sha1_search
