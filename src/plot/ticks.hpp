// Private: where the axes of a figure have ticks, and what stands at them.
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

}  // namespace whorl::detail
