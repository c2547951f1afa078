// The exact transform of a grid on a CUDA device.
#pragma once

#include "kernels/dft.hpp"

namespace whorl::backend::cuda {

template <class Real>
void dft_forward(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<Real>* images,
                 std::complex<Real>* samples, Index batch);
template <class Real>
void dft_adjoint(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<Real>* samples,
                 std::complex<Real>* images, Index batch);

// In float sums of products of halves, dft.cu; in double dft_double.cu.
template <>
void dft_forward(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<float>* images,
                 std::complex<float>* samples, Index batch);
template <>
void dft_adjoint(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<float>* samples,
                 std::complex<float>* images, Index batch);
template <>
void dft_forward(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<double>* images,
                 std::complex<double>* samples, Index batch);
template <>
void dft_adjoint(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<double>* samples,
                 std::complex<double>* images, Index batch);

}  // namespace whorl::backend::cuda
