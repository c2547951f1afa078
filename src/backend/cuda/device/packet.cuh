// Packet: as many complex numbers as 16 bytes hold, one from each of so many lines, so that memory moves in its widest
// words and a twiddle factor is loaded once for all of them.
#pragma once

namespace whorl::backend::cuda {

template <class Real>
struct alignas(2 * sizeof(Real)) Complex {
  Real re, im;
};

/// Real numbers, one for each of so many lines.
template <class Real, int count>
struct alignas(count * sizeof(Real)) Vector {
  Real value[count];
};

template <class Real>
struct alignas(16) Packet {
  static constexpr int lanes = 8 / sizeof(Real);
  Complex<Real> lane[lanes];
};

__device__ __forceinline__ Packet<float> load_packet(const Packet<float>* from) {
  const float4 word = *reinterpret_cast<const float4*>(from);
  return {{{word.x, word.y}, {word.z, word.w}}};
}
__device__ __forceinline__ Packet<double> load_packet(const Packet<double>* from) {
  const double2 word = *reinterpret_cast<const double2*>(from);
  return {{{word.x, word.y}}};
}
__device__ __forceinline__ void store_packet(Packet<float>* to, const Packet<float>& v) {
  *reinterpret_cast<float4*>(to) = {v.lane[0].re, v.lane[0].im, v.lane[1].re, v.lane[1].im};
}
__device__ __forceinline__ void store_packet(Packet<double>* to, const Packet<double>& v) {
  *reinterpret_cast<double2*>(to) = {v.lane[0].re, v.lane[0].im};
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
  return each_lane<Real>(
      [&](int l) { return Complex<Real>{a.lane[l].re + b.lane[l].re, a.lane[l].im + b.lane[l].im}; });
}

template <class Real>
__device__ __forceinline__ Packet<Real> operator-(const Packet<Real>& a, const Packet<Real>& b) {
  return each_lane<Real>(
      [&](int l) { return Complex<Real>{a.lane[l].re - b.lane[l].re, a.lane[l].im - b.lane[l].im}; });
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
  return each_lane<Real>(
      [&](int l) { return Complex<Real>{a.lane[l].re + s * b.lane[l].re, a.lane[l].im + s * b.lane[l].im}; });
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

/// Real and imaginary part exchanged: an inverse transform is a forward one between two of these.
template <class Real>
__device__ __forceinline__ Packet<Real> exchanged(const Packet<Real>& a) {
  return each_lane<Real>([&](int l) { return Complex<Real>{a.lane[l].im, a.lane[l].re}; });
}

}  // namespace whorl::backend::cuda
