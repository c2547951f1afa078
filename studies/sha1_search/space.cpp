#include "studies/sha1_search/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "whorl/core/error.hpp"

namespace whorl::studies::sha1_search {

namespace {

void check(const std::string& alphabet, Index length) {
  if (alphabet.empty()) throw ValueError("sha1_search: an alphabet without letters, expected one or more");
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    const char letter = alphabet[i];
    if (letter < ' ' || letter > '~') {
      throw ValueError(fmt::format("sha1_search: letter {} of the alphabet is not printable ASCII", i + 1));
    }
    if (alphabet.find(letter) != i) throw ValueError(fmt::format("sha1_search: the alphabet has '{}' twice", letter));
  }
  if (length < 1 || length > most_letters) {
    throw ValueError(fmt::format("sha1_search: strings of {} letters, expected 1 to {}", length, most_letters));
  }
}

}  // namespace

Space::Space(std::string alphabet, Index length, Index least_fronts) : alphabet_(std::move(alphabet)), length_(length) {
  check(alphabet_, length_);
  constexpr Index letters_of_a_word = 4;
  while (front_letters_ < std::min(length_, letters_of_a_word) && fronts_ < least_fronts) {
    fronts_ *= letters();
    ++front_letters_;
  }
  for (Index i = front_letters_; i < length_; ++i) {
    if (rests_ > std::numeric_limits<Index>::max() / fronts_ / letters()) {
      throw ValueError(
          fmt::format("sha1_search: {}^{} strings, expected fewer than 2^63; take fewer letters", letters(), length_));
    }
    rests_ *= letters();
  }
}

std::string Space::string_at(Index i) const {
  std::string text;
  for (Index letter = 0; letter < length_; ++letter) {
    text += alphabet_[static_cast<std::size_t>(i % letters())];
    i /= letters();
  }
  return text;
}

Word Space::front_word(Index front) const {
  Word word = 0;
  for (int i = 0; i < front_letters_; ++i) {
    word |= Word{static_cast<std::uint8_t>(alphabet_[static_cast<std::size_t>(front % letters())])}
            << shift_of_letter(i);
    front /= letters();
  }
  return word;
}

Block Space::rest_block(Index rest) const {
  Block block{};
  const auto put = [&](Index i, std::uint8_t byte) {
    block[static_cast<std::size_t>(i / 4)] |= Word{byte} << shift_of_letter(static_cast<int>(i));
  };
  for (Index i = front_letters_; i < length_; ++i) {
    put(i, static_cast<std::uint8_t>(alphabet_[static_cast<std::size_t>(rest % letters())]));
    rest /= letters();
  }
  put(length_, 0x80);
  block.back() = static_cast<Word>(8 * length_);
  return block;
}

}  // namespace whorl::studies::sha1_search
