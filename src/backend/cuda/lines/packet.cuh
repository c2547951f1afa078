// Packet: 16 bytes of complex numbers from different lines, so that loads and stores have the largest size and a
// twiddle factor is loaded once for all these lines.
#pragma once

#include <type_traits>

namespace whorl::backend::cuda {

template <class Real>
struct alignas(2 * sizeof(Real)) Complex {
  Real re, im;
};

/// Real numbers, one for each line of a packet.
template <class Real, int count>
struct alignas(count * sizeof(Real)) Vector {
  Real value[count];
};

template <class Real>
struct alignas(16) Packet {
  static constexpr int lanes = 8 / sizeof(Real);
  Complex<Real> lane[lanes];
};

/// A packet in the form for load and store instructions.
template <class Real>
using Word = std::conditional_t<std::is_same_v<Real, float>, float4, double2>;

template <class Real>
__device__ __forceinline__ Packet<Real> unpacked(const Word<Real>& word) {
  if constexpr (std::is_same_v<Real, float>) {
    return {{{word.x, word.y}, {word.z, word.w}}};
  } else {
    return {{{word.x, word.y}}};
  }
}

template <class Real>
__device__ __forceinline__ Word<Real> packed(const Packet<Real>& v) {
  if constexpr (std::is_same_v<Real, float>) {
    return {v.lane[0].re, v.lane[0].im, v.lane[1].re, v.lane[1].im};
  } else {
    return {v.lane[0].re, v.lane[0].im};
  }
}

// Loads and stores under a condition, as one predicated instruction each. For an ordinary `if` the compiler makes a
// branch and computes the whole address inside it, which costs more than the arithmetic of a transform.

/// *from if the condition holds, otherwise zero.
__device__ __forceinline__ float4 load_if(bool condition, const float4* from) {
  float4 v;
  asm volatile(
      "{ .reg .pred p; setp.ne.s32 p, %5, 0; mov.b32 %0, 0; mov.b32 %1, 0; mov.b32 %2, 0; mov.b32 %3, 0;"
      " @p ld.global.v4.f32 {%0, %1, %2, %3}, [%4]; }"
      : "=&f"(v.x), "=&f"(v.y), "=&f"(v.z), "=&f"(v.w)
      : "l"(__cvta_generic_to_global(from)), "r"(static_cast<int>(condition)));
  return v;
}
__device__ __forceinline__ float2 load_if(bool condition, const float2* from) {
  float2 v;
  asm volatile(
      "{ .reg .pred p; setp.ne.s32 p, %3, 0; mov.b32 %0, 0; mov.b32 %1, 0; @p ld.global.v2.f32 {%0, %1}, [%2]; }"
      : "=&f"(v.x), "=&f"(v.y)
      : "l"(__cvta_generic_to_global(from)), "r"(static_cast<int>(condition)));
  return v;
}
__device__ __forceinline__ double2 load_if(bool condition, const double2* from) {
  double2 v;
  asm volatile(
      "{ .reg .pred p; setp.ne.s32 p, %3, 0; mov.b64 %0, 0; mov.b64 %1, 0; @p ld.global.v2.f64 {%0, %1}, [%2]; }"
      : "=&d"(v.x), "=&d"(v.y)
      : "l"(__cvta_generic_to_global(from)), "r"(static_cast<int>(condition)));
  return v;
}

/// *to = v if the condition holds.
__device__ __forceinline__ void store_if(bool condition, float4* to, const float4& v) {
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %5, 0; @p st.global.v4.f32 [%4], {%0, %1, %2, %3}; }" ::"f"(v.x),
               "f"(v.y), "f"(v.z), "f"(v.w), "l"(__cvta_generic_to_global(to)), "r"(static_cast<int>(condition))
               : "memory");
}
__device__ __forceinline__ void store_if(bool condition, float2* to, const float2& v) {
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p st.global.v2.f32 [%2], {%0, %1}; }" ::"f"(v.x), "f"(v.y),
               "l"(__cvta_generic_to_global(to)), "r"(static_cast<int>(condition))
               : "memory");
}
__device__ __forceinline__ void store_if(bool condition, double2* to, const double2& v) {
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p st.global.v2.f64 [%2], {%0, %1}; }" ::"d"(v.x), "d"(v.y),
               "l"(__cvta_generic_to_global(to)), "r"(static_cast<int>(condition))
               : "memory");
}

/// The shared memory of a block, indexed as an array so that constant distances become part of the instructions.
template <class Real>
__device__ __forceinline__ Word<Real>* shared_words() {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  return reinterpret_cast<Word<Real>*>(shared_memory);
}

template <class Real, class Function>
__device__ __forceinline__ Packet<Real> each_lane(const Function& function) {
  Packet<Real> result;
#pragma unroll
  for (int l = 0; l < Packet<Real>::lanes; ++l) result.lane[l] = function(l);
  return result;
}

template <class Real>
__device__ __forceinline__ Packet<Real> operator+(const Packet<Real>& a, const Packet<Real>& b) {
  return each_lane<Real>([&](int l) {
    return Complex<Real>{a.lane[l].re + b.lane[l].re, a.lane[l].im + b.lane[l].im};
  });
}

template <class Real>
__device__ __forceinline__ Packet<Real> operator-(const Packet<Real>& a, const Packet<Real>& b) {
  return each_lane<Real>([&](int l) {
    return Complex<Real>{a.lane[l].re - b.lane[l].re, a.lane[l].im - b.lane[l].im};
  });
}

template <class Real>
__device__ __forceinline__ Packet<Real> operator*(const Packet<Real>& a, const Complex<Real>& w) {
  return each_lane<Real>([&](int l) {
    return Complex<Real>{a.lane[l].re * w.re - a.lane[l].im * w.im, a.lane[l].re * w.im + a.lane[l].im * w.re};
  });
}

/// a + s b for a real s
template <class Real>
__device__ __forceinline__ Packet<Real> plus_scaled(const Packet<Real>& a, Real s, const Packet<Real>& b) {
  return each_lane<Real>([&](int l) {
    return Complex<Real>{a.lane[l].re + s * b.lane[l].re, a.lane[l].im + s * b.lane[l].im};
  });
}

/// s b for a real s
template <class Real>
__device__ __forceinline__ Packet<Real> scaled(Real s, const Packet<Real>& b) {
  return each_lane<Real>([&](int l) { return Complex<Real>{s * b.lane[l].re, s * b.lane[l].im}; });
}

/// -i a
template <class Real>
__device__ __forceinline__ Packet<Real> turned_back(const Packet<Real>& a) {
  return each_lane<Real>([&](int l) { return Complex<Real>{a.lane[l].im, -a.lane[l].re}; });
}

/// Exchanges real and imaginary part: an inverse transform is a forward one with an exchange before and after it.
template <class Real>
__device__ __forceinline__ Packet<Real> exchanged(const Packet<Real>& a) {
  return each_lane<Real>([&](int l) { return Complex<Real>{a.lane[l].im, a.lane[l].re}; });
}

}  // namespace whorl::backend::cuda
