// One explicit step of diffusion on a stretch of a row.
#pragma once

#include "filter/src/kernels/diffusion/diffusion.hpp"

namespace whorl::backend::cpu {

/// A range of pixels and the neighbors of each of them. Null in front and behind: two dimensions.
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

/// The number of lines that are solved together: two cache lines per pixel. GCC would unroll loops over 16 before it
/// vectorizes, and then does not vectorize them.
inline constexpr Index together = 32;

}  // namespace whorl::backend::cpu
