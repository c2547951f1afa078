// Gridding's loops for double in 1D, once per SIMD target.
#define WHORL_REAL double
#define WHORL_DIM 1
#define WHORL_SIMD_LOOPS simd_loops_double_1d

#include "backend/cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/nufft/gridding_loops_double_1d_hwy.cpp"
#include "hwy/foreach_target.h"
//
#include "backend/cpu/nufft/gridding_loops-inl.hpp"

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(simd_loops_double_1d);
TileLoops<double, 1> simd_loops_1d(int width, double /*precision*/) {
  return HWY_DYNAMIC_DISPATCH(simd_loops_double_1d)(width);
}

}  // namespace whorl::backend::cpu
#endif
