// The steps of the ladder: ways to search a part of all strings.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "studies/sha1_search/space.hpp"
#include "whorl/core/context.hpp"

namespace whorl::studies::sha1_search {

/// Every front with the rests [first, last).
struct Search {
  const Space& space;
  Digest digest;
  Index first;
  Index last;
};

struct Outcome {
  Index tried = 0;   ///< strings that were hashed
  Index found = -1;  ///< the string with the digest
};

/// A way to search. All strings of the part are tried, whether or not one is found.
struct SearchStep {
  std::string name;
  std::function<Outcome(const Context&, const Search&)> run;
};

std::vector<SearchStep> host_steps();
/// Empty where whorl is built without kernels for a GPU.
std::vector<SearchStep> gpu_steps();

/// The steps of the context's device, from the first one to the fastest.
std::vector<SearchStep> steps_for(const Context& ctx);

/// As few fronts as fill the vectors of a CPU, or the threads of a GPU.
Index least_fronts(const Context& ctx);

// Steps of the host.
Outcome one_by_one(const Context& ctx, const Search& search);
Outcome sixteen_words(const Context& ctx, const Search& search);
Outcome counted_letters(const Context& ctx, const Search& search);
Outcome joined_schedules(const Context& ctx, const Search& search);
Outcome early_test(const Context& ctx, const Search& search);
Outcome by_threads(const Context& ctx, const Search& search);
Outcome by_vectors(const Context& ctx, const Search& search);

/// The schedules of some rests, without their fronts. A schedule is linear (exclusive or, and rotations): that of a
/// string is the exclusive or of its front's and its rest's.
using Schedule = std::array<Word, hash_steps>;
Schedule schedule_of(const Block& block);
std::vector<Schedule> rest_schedules(const Space& space, Index first, Index last);

}  // namespace whorl::studies::sha1_search
