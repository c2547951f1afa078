// Later steps on a CPU: the schedule of a string from two that were made before, and a test four steps before the end.
#include <algorithm>

#include "studies/sha1_search/rounds.hpp"
#include "studies/sha1_search/steps.hpp"

namespace whorl::studies::sha1_search {

// step: schedules joined; test after step 76; threads
Schedule schedule_of(const Block& block) {
  Schedule w{};
  std::copy(block.begin(), block.end(), w.begin());
  for (std::size_t t = block_words; t < hash_steps; ++t) {
    w[t] = rotate_left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  }
  return w;
}

std::vector<Schedule> rest_schedules(const Space& space, Index first, Index last) {
  std::vector<Schedule> schedules;
  for (Index rest = first; rest < last; ++rest) schedules.push_back(schedule_of(space.rest_block(rest)));
  return schedules;
}
// end of step

namespace {

// step: schedules joined; test after step 76; threads
// Schedules that stay in the first cache: 20 KB.
constexpr Index rests_at_once = 64;

// Calls test(front's schedule, rest's schedule), which says whether the string is the one, for all strings with the
// rests [first, last).
template <class Test>
Outcome try_all(const Space& space, Index first, Index last, const Test& test) {
  Outcome outcome;
  for (Index from = first; from < last; from += rests_at_once) {
    const std::vector<Schedule> rests = rest_schedules(space, from, std::min(from + rests_at_once, last));
    for (Index front = 0; front < space.fronts(); ++front) {
      const Schedule mine = schedule_of({space.front_word(front)});
      for (std::size_t i = 0; i < rests.size(); ++i) {
        const Index string = front + space.fronts() * (from + static_cast<Index>(i));
        if (test(mine, rests[i], string)) outcome.found = string;
        ++outcome.tried;
      }
    }
  }
  return outcome;
}
// end of step

// step: test after step 76; threads
Outcome with_early_test(const Search& search, Index first, Index last) {
  const Word decides = deciding_word(search.digest);
  return try_all(search.space, first, last, [&](const Schedule& front, const Schedule& rest, Index string) {
    const State state = run_steps<deciding_step>([&](int t) {
      const auto at = static_cast<std::size_t>(t);
      return front[at] ^ rest[at];
    });
    // One string in 2^32 comes here by chance.
    return state.a == decides && textbook_sha1(search.space.string_at(string)) == search.digest;
  });
}
// end of step

}  // namespace

// step: schedules joined
// Three exclusive or and a rotation for a word of the schedule become one exclusive or.
Outcome joined_schedules(const Context& /*ctx*/, const Search& search) {
  const auto test = [&](const Schedule& front, const Schedule& rest, Index /*string*/) {
    const State state = run_steps<hash_steps>([&](int t) {
      const auto at = static_cast<std::size_t>(t);
      return front[at] ^ rest[at];
    });
    return digest_of(state) == search.digest;
  };
  return try_all(search.space, search.first, search.last, test);
}
// end of step

// step: test after step 76
// The last four steps only move what step 76 made: a string is decided by one word of it.
Outcome early_test(const Context& /*ctx*/, const Search& search) {
  return with_early_test(search, search.first, search.last);
}
// end of step

// step: threads
// Rests do not know of one another: each thread has some.
Outcome by_threads(const Context& ctx, const Search& search) {
  Outcome all;
#pragma omp parallel for schedule(dynamic) num_threads(ctx.threads())
  for (Index from = search.first; from < search.last; from += rests_at_once) {
    const Outcome part = with_early_test(search, from, std::min(from + rests_at_once, search.last));
#pragma omp critical
    {
      all.tried += part.tried;
      all.found = std::max(all.found, part.found);
    }
  }
  return all;
}
// end of step

}  // namespace whorl::studies::sha1_search
