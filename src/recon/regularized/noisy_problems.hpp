// Problems of regularized least squares with noise in their data, some of them solved as one.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "recon/adjoint_of_data.hpp"
#include "recon/quality/noise_streams.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace whorl::recon {

/// The size of noise for derivatives, relative to that of the data.
constexpr double small_noise = 0.1;

/// A^H n / s for white noise of a stream.
template <class Real>
Array<std::complex<Real>> adjoint_of_noise(const Context& ctx, const RegularizedModel<Real>& model, std::uint64_t seed,
                                           std::uint64_t stream) {
  using Complex = std::complex<Real>;
  Array<Complex> noise(ctx, model.encoding->range());
  fill_white_noise<Real>(ctx, noise, seed, stream);
  Array<Complex> b(ctx, model.encoding->domain());
  scaled_adjoint<Real>(ctx, *model.encoding, model.eigenvalue, noise, b);
  return b;
}

}  // namespace whorl::recon
