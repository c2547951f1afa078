// Private: the ticks of a figure's axes, and their labels.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace whorl::detail {

struct Tick {
  double value;
  std::string text;
};

/// Ticks at multiples of 1, 2 or 5 times a power of ten inside a rising range, at most `most` + 1 of them.
std::vector<Tick> make_ticks(const std::array<double, 2>& range, int most);

/// Ticks of a logarithmic axis inside a rising range of values above 0: powers of ten, at most `most` + 1 of them
/// evenly spaced; if fewer than two of them are inside, 1, 2 and 5 times powers of ten, or those of make_ticks.
std::vector<Tick> make_logarithmic_ticks(const std::array<double, 2>& range, int most);

}  // namespace whorl::detail
