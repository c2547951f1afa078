// Gridding's loops for float in 1D, once per SIMD target.
#define WHORL_REAL float
#define WHORL_DIM 1
#define WHORL_SIMD_LOOPS simd_loops_float_1d

#include "backend/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/nufft/gridding_loops_float_1d_hwy.cpp"
#include "hwy/foreach_target.h"
//
#include "backend/cpu/nufft/gridding_loops-inl.hpp"

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(simd_loops_float_1d);
TileLoops<float, 1> simd_loops_1d(int width, float /*precision*/) {
  return HWY_DYNAMIC_DISPATCH(simd_loops_float_1d)(width);
}

}  // namespace whorl::backend::cpu
#endif
