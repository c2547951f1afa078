// All strings of a length over an alphabet, numbered, and divided so that kernels share what many strings have in
// common.
#pragma once

#include <string>

#include "studies/sha1_search/sha1.hpp"
#include "whorl/core/view.hpp"

namespace whorl::studies::sha1_search {

/// String i has the digits of i in base n as its letters, the first letter the lowest digit. Its first `front_letters`
/// letters are its front, the others its rest: i = front + fronts * rest.
class Space {
 public:
  /// With the fewest letters in the front that make `least_fronts` fronts, and no more than the first word holds.
  /// Throws ValueError (no letters, repeated or not printable ASCII ones, a length that is not 1 to 55, 2^63 strings or
  /// more).
  Space(std::string alphabet, Index length, Index least_fronts);

  const std::string& alphabet() const { return alphabet_; }
  Index letters() const { return static_cast<Index>(alphabet_.size()); }
  Index length() const { return length_; }
  Index front_letters() const { return front_letters_; }
  Index fronts() const { return fronts_; }
  Index rests() const { return rests_; }
  Index count() const { return fronts_ * rests_; }

  std::string string_at(Index i) const;
  /// The letters of a front in the first word of the block.
  Word front_word(Index front) const;
  /// The block of a string without the letters of its front.
  Block rest_block(Index rest) const;

 private:
  std::string alphabet_;
  Index length_;
  Index front_letters_ = 0;
  Index fronts_ = 1;
  Index rests_ = 1;
};

}  // namespace whorl::studies::sha1_search
