// The filters that are timed (whorl_bench, bench/peers) and held equal on all devices (`whorl check`, test/parity).
#pragma once

#include <string>
#include <vector>

#include "whorl/core/image.hpp"

namespace whorl::bench {

/// A pipeline on images of one format.
struct FilterCase {
  std::string text;  ///< as Pipeline::parse takes it
  ImageFormat format;
  bool small = false;   ///< for parity; the others are timed
  std::string shown{};  ///< in the place of a long text

  /// "filter/gaussian 1.4/800x800-rgb-uint8"
  std::string name() const;
};

/// All cases: those that are listed, and each other filter with its defaults.
std::vector<FilterCase> filter_cases();

}  // namespace whorl::bench
