// Parameters of filters as text: which argument is for which parameter, and what values their texts stand for.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "whorl/filter/descriptor.hpp"

namespace whorl::filters {

/// What messages call a parameter.
struct Place {
  std::string filter;
  std::string parameter;
};

template <class T>
struct Range {
  T low = std::numeric_limits<T>::lowest();
  T high = std::numeric_limits<T>::max();

  bool is_open() const { return low == Range{}.low && high == Range{}.high; }
  /// "0.1 to 100", "1 or more"; empty where any number will do.
  std::string text() const {
    if (is_open()) return {};
    if (high == Range{}.high) return fmt::format("{} or more", low);
    if (low == Range{}.low) return fmt::format("{} or less", high);
    return fmt::format("{} to {}", low, high);
  }
};

/// The value of a text. Throw ValueError, naming the place, where it is none or out of its range.
double number_in(const Place& place, const std::string& text, const Range<double>& range);
Index integer_in(const Place& place, const std::string& text, const Range<Index>& range);
/// Index of the word.
std::size_t one_of(const Place& place, const std::string& text, const std::vector<std::string>& words);

/// "reflect", ... in the order of Border.
const std::vector<std::string>& border_words();

/// The parameter (by index) that each argument is for. Throws ValueError for a name that is unknown or comes twice, for
/// more arguments without a name than there are parameters for, and for a parameter that must be given and is not.
std::vector<std::pair<std::size_t, std::string>> matched(const std::string& filter,
                                                         const std::vector<FilterParameter>& parameters,
                                                         std::span<const FilterArgument> arguments);

}  // namespace whorl::filters
