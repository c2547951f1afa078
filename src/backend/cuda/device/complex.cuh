// Complex numbers in kernels: the vector types of CUDA, which lie in memory as std::complex does.
#pragma once

#include <complex>

namespace whorl::backend::cuda {

template <class Real>
struct ComplexOf;
template <>
struct ComplexOf<float> {
  using type = float2;
};
template <>
struct ComplexOf<double> {
  using type = double2;
};

/// float2 or double2
template <class Real>
using Complex2 = typename ComplexOf<Real>::type;

template <class Real>
Complex2<Real>* as_device(std::complex<Real>* x) {
  return reinterpret_cast<Complex2<Real>*>(x);
}
template <class Real>
const Complex2<Real>* as_device(const std::complex<Real>* x) {
  return reinterpret_cast<const Complex2<Real>*>(x);
}

/// a b + c, in an order in which each product and its addition are one instruction
template <class Complex>
__device__ Complex multiply_add(Complex a, Complex b, Complex c) {
  return {c.x + a.x * b.x - a.y * b.y, c.y + a.x * b.y + a.y * b.x};
}

/// a b
template <class Complex>
__device__ Complex multiply(Complex a, Complex b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/// conj(a) b + c
template <class Complex>
__device__ Complex conjugate_multiply_add(Complex a, Complex b, Complex c) {
  return {c.x + a.x * b.x + a.y * b.y, c.y + a.x * b.y - a.y * b.x};
}

}  // namespace whorl::backend::cuda
