// One explicit step of diffusion on a stretch of a row.
#pragma once

#include "filter/kernels/diffusion/diffusion.hpp"

namespace whorl::backend::cpu {

/// A stretch of pixels and those beside each of them. None in front and behind: two dimensions.
struct Stretch {
  const float* middle = nullptr;
  const float* left = nullptr;
  const float* right = nullptr;
  const float* above = nullptr;
  const float* below = nullptr;
  const float* front = nullptr;
  const float* behind = nullptr;
  float* to = nullptr;
};

void step_stretch(const kernels::HeatRule& rule, const Stretch& stretch, Index pixels, int channels);
void step_stretch(const kernels::PeronaMalikRule& rule, const Stretch& stretch, Index pixels, int channels);

/// Lines that are solved side by side: two cache lines of each pixel. Loops over 16 are unrolled by GCC before it makes
/// vectors of them, and then it makes none.
inline constexpr Index together = 32;

}  // namespace whorl::backend::cpu
