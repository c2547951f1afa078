// How whorl's SIMD kernels are built; comes before any header of Highway.
#pragma once

// Targets that they are not built for.
// Vectors whose length is known at run time only do not fit kernels that count them. A processor with SSSE3 and no
// SSE4.1 is as rare as one with neither, which the scalar target serves.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

// Comes before a loop over an array of a length known to the compiler: vectors in an array are in registers only when
// the loop is unrolled.
#define WHORL_UNROLL _Pragma("GCC unroll 32")
