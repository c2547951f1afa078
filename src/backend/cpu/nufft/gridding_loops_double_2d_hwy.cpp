// Gridding's loops for double in 2D, once per SIMD target.
#define WHORL_REAL double
#define WHORL_DIM 2
#define WHORL_SIMD_LOOPS simd_loops_double_2d

#include "backend/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/nufft/gridding_loops_double_2d_hwy.cpp"
#include "hwy/foreach_target.h"
//
#include "backend/cpu/nufft/gridding_loops-inl.hpp"

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(simd_loops_double_2d);
TileLoops<double, 2> simd_loops_2d(int width, double /*precision*/) {
  return HWY_DYNAMIC_DISPATCH(simd_loops_double_2d)(width);
}

}  // namespace whorl::backend::cpu
#endif
