// Matrix products of one warp on the tensor cores, and copies to shared memory that run at the same time. Instructions
// of compute capability 8.0 have a slower replacement for older devices.
//
// Fragments as the PTX manual draws them, with g = lane / 4 and t = lane % 4. m16n8k16, half: a = (row g, columns 2t
// and 2t + 1), (row g + 8, the same), (row g, 8 columns on), (row g + 8, 8 columns on); b = (rows 2t and 2t + 1, column
// g), (8 rows on); c = row g, columns 2t and 2t + 1, then the same of row g + 8. m8n8k4, double: a = (row g, column t),
// b = (row t, column g), c = row g, columns 2t and 2t + 1.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

namespace whorl::backend::cuda {

/// c += a b
__device__ inline void multiply_add_tile(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  for (int half = 0; half < 2; ++half) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(half == 0 ? b0 : b1));
  }
#endif
}

/// c += a b
__device__ inline void multiply_add_tile(double (&c)[2], double a, double b) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a), "d"(b));
#else
  const int g = threadIdx.x % 32 / 4;
  const int t = threadIdx.x % 4;
  for (int k = 0; k < 4; ++k) {
    const double row = __shfl_sync(0xffffffff, a, 4 * g + k);
    for (int n = 0; n < 2; ++n) c[n] = fma(row, __shfl_sync(0xffffffff, b, 4 * (2 * t + n) + k), c[n]);
  }
#endif
}

/// Two numbers, each as the sum of two half-precision numbers: high + low is accurate to a relative 2^-22, or to 2^-25
/// if that is more.
struct SplitPair {
  uint32_t high;
  uint32_t low;
};

__device__ inline uint32_t half_bits(__half2 x) { return *reinterpret_cast<const uint32_t*>(&x); }

__device__ inline SplitPair split_halves(float x, float y) {
  const __half2 high = __floats2half2_rn(x, y);
  const float2 back = __half22float2(high);
  return {half_bits(high), half_bits(__floats2half2_rn(x - back.x, y - back.y))};
}

/// Copies 16 bytes from global to shared memory. They have arrived after a wait for their group.
__device__ inline void copy_16_bytes(void* shared, const void* global) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(shared))),
      "l"(global)
      : "memory");
#else
  *static_cast<uint4*>(shared) = *static_cast<const uint4*>(global);
#endif
}

/// Copies 8 bytes likewise.
__device__ inline void copy_8_bytes(void* shared, const void* global) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(shared))),
      "l"(global)
      : "memory");
#else
  *static_cast<uint2*>(shared) = *static_cast<const uint2*>(global);
#endif
}

__device__ inline void close_copy_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most kLeft groups of copies are still in flight.
template <int kLeft>
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
#endif
}

}  // namespace whorl::backend::cuda
