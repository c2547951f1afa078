// Settings for whorl's SIMD kernels; included before any header of Highway.
//
// SIMD: Highway compiles sources that end in _hwy.cpp once for each instruction set, and calls the best one for the
// processor (backend/cpu/simd_targets.hpp: SSE2, AVX2, AVX-512 and their equivalents on other processors).
// gridding_loops.cpp has the scalar loops against which the tests compare every target. Loops over arrays that must
// stay in registers have an unroll pragma; without it the arrays go through memory.
#pragma once

// Targets that the kernels are not built for. Kernels count their vectors, so the length must be known at compile time.
// Processors without AVX2 (before 2013, and some virtual ones) take SSE2: each target is a quarter of the time to compile.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

// Precedes a loop over an array whose length the compiler knows. The vectors of an array stay in registers only if the
// loop is unrolled.
#define WHORL_UNROLL _Pragma("GCC unroll 32")
