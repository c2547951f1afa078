// Gridding's loops for float in 2D, once per SIMD target.
#define WHORL_REAL float
#define WHORL_DIM 2
#define WHORL_SIMD_LOOPS simd_loops_float_2d

#include "backend/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/nufft/gridding_loops_float_2d_hwy.cpp"
#include "hwy/foreach_target.h"
//
#include "backend/cpu/nufft/gridding_loops-inl.hpp"

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(simd_loops_float_2d);
TileLoops<float, 2> simd_loops_2d(int width, float /*precision*/) {
  return HWY_DYNAMIC_DISPATCH(simd_loops_float_2d)(width);
}

}  // namespace whorl::backend::cpu
#endif
