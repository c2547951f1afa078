// First steps on a CPU: what a string costs when nothing is shared between strings, and when the letters are.
#include "studies/sha1_search/rounds.hpp"
#include "studies/sha1_search/steps.hpp"

namespace whorl::studies::sha1_search {

// One string after the other: its letters by division of its number, its hash as the standard writes it.
Outcome one_by_one(const Context& /*ctx*/, const Search& search) {
  Outcome outcome;
  for (Index i = search.first * search.space.fronts(); i < search.last * search.space.fronts(); ++i) {
    if (textbook_sha1(search.space.string_at(i)) == search.digest) outcome.found = i;
    ++outcome.tried;
  }
  return outcome;
}

// step: 16 words, unrolled
// The strings stay; the hash keeps 16 words of the schedule in place of 80, and its steps are unrolled: no tests of the
// step's number, no padding byte by byte.
Outcome sixteen_words(const Context& /*ctx*/, const Search& search) {
  const Space& space = search.space;
  Outcome outcome;
  for (Index i = search.first * space.fronts(); i < search.last * space.fronts(); ++i) {
    const std::string text = space.string_at(i);
    Block block{};
    for (std::size_t letter = 0; letter < text.size(); ++letter) {
      block[letter / 4] |= Word{static_cast<std::uint8_t>(text[letter])} << shift_of_letter(static_cast<int>(letter));
    }
    block[text.size() / 4] |= Word{0x80} << shift_of_letter(static_cast<int>(text.size()));
    block.back() = static_cast<Word>(8 * text.size());
    RollingSchedule schedule(block);
    const State state = run_steps<hash_steps>([&](int t) { return schedule(t); });
    if (digest_of(state) == search.digest) outcome.found = i;
    ++outcome.tried;
  }
  return outcome;
}
// end of step

// step: letters counted, not divided
// Strings with the same rest differ in their first word alone: letters are looked up once for a rest, and once for a
// front, not for every string.
Outcome counted_letters(const Context& /*ctx*/, const Search& search) {
  const Space& space = search.space;
  std::vector<Word> fronts(static_cast<std::size_t>(space.fronts()));
  for (Index front = 0; front < space.fronts(); ++front) {
    fronts[static_cast<std::size_t>(front)] = space.front_word(front);
  }
  Outcome outcome;
  for (Index rest = search.first; rest < search.last; ++rest) {
    const Block without_front = space.rest_block(rest);
    for (Index front = 0; front < space.fronts(); ++front) {
      Block block = without_front;
      block[0] |= fronts[static_cast<std::size_t>(front)];
      RollingSchedule schedule(block);
      const State state = run_steps<hash_steps>([&](int t) { return schedule(t); });
      if (digest_of(state) == search.digest) outcome.found = front + space.fronts() * rest;
      ++outcome.tried;
    }
  }
  return outcome;
}
// end of step

}  // namespace whorl::studies::sha1_search
