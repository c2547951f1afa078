// Data that has a coil axis, on a GPU.
#pragma once

#include <complex>

#include "kernels/channels.hpp"

namespace whorl::backend::cuda {

template <class Real>
Index first_not_finite(const Context& ctx, Index count, const std::complex<Real>* elements);
template <class Real>
void gram_of_channels(const Context& ctx, Index coils, Index elements, const std::complex<Real>* data,
                      kernels::SampleLimit kept, std::complex<double>* gram);
template <class Real>
void apply_channel_matrix(const Context& ctx, Index channels, Index coils, Index elements,
                          const std::complex<double>* matrix, const std::complex<Real>* data,
                          std::complex<Real>* result);
template <class Real>
void sample_energies(const Context& ctx, Index coils, Index elements, const std::complex<double>* matrix,
                     const std::complex<Real>* data, double* energies);
template <class Real>
void take_samples(const Context& ctx, Index coils, Index samples, const std::complex<Real>* data, Index count,
                  const Index* places, std::complex<Real>* taken);

}  // namespace whorl::backend::cuda
