// Interpolation of clahe's pixels between the tables of four tiles.
#pragma once

#include <cstdint>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// The entries of a pixel in the four tables: upper left, upper right, lower left, lower right.
template <class T>
struct ClaheLevels {
  T upper_left, upper_right, lower_left, lower_right;
};

/// to[i] = levels[i] interpolated between left and right (`weight[i]` of the right ones, `rest[i]` of the left ones),
/// then between upper and lower; rounded to the nearest, halves to even.
void mix_levels(const ClaheLevels<std::uint8_t>* levels, const float* weight, const float* rest, float lower,
                Index count, std::uint8_t* to);
void mix_levels(const ClaheLevels<std::uint16_t>* levels, const float* weight, const float* rest, float lower,
                Index count, std::uint16_t* to);

}  // namespace whorl::backend::cpu
