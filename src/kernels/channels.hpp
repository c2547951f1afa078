// Kernel family: data with a coil axis. Matrices over the coils are small and lie on the host.
#pragma once

#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// The samples that count in a sum: those with an energy of at most the limit; all samples if there are no energies.
struct SampleLimit {
  const double* energies = nullptr;  ///< [element], on the device
  double limit = 0;
};

/// Position of the first element that is not finite, or -1.
template <class Real>
inline Kernel<Index(const Context&, Index count, const std::complex<Real>* elements)> first_not_finite{"coil data"};

/// gram = sum_j x_j x_j^H over the samples j, in double, [coil, coil], on the host; x_j has a value for each coil.
template <class Real>
inline Kernel<void(const Context&, Index coils, Index elements, const std::complex<Real>* data, SampleLimit,
                   std::complex<double>* gram)>
    gram_of_channels{"correlations of coils"};

/// result[k, j] = sum_c matrix[k, c] data[c, j]; the matrix lies on the host.
template <class Real>
inline Kernel<void(const Context&, Index channels, Index coils, Index elements, const std::complex<double>* matrix,
                   const std::complex<Real>* data, std::complex<Real>* result)>
    apply_channel_matrix{"channel matrix"};

/// energies[j] = |matrix x_j|^2 in double; the matrix, [coil, coil] and lower triangular, lies on the host.
template <class Real>
inline Kernel<void(const Context&, Index coils, Index elements, const std::complex<double>* matrix,
                   const std::complex<Real>* data, double* energies)>
    sample_energies{"energies of samples"};

/// taken[c, i] = data[c, places[i]]; the places lie on the device.
template <class Real>
inline Kernel<void(const Context&, Index coils, Index samples, const std::complex<Real>* data, Index count,
                   const Index* places, std::complex<Real>* taken)>
    take_samples{"selection of samples"};

}  // namespace whorl::kernels
