// Adjoints of data: of data that may lie elsewhere, and scaled.
#pragma once

#include <complex>

#include "whorl/core/on_device.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/linear_operator.hpp"
#include "whorl/op/sense_nufft.hpp"

namespace whorl::recon {

/// b = A^H d, also of data on the host of a GPU: some coils at a time where the encoding can do that.
template <class Real>
void adjoint_of_data(const Context& ctx, const LinearOperator<Real>& A, ArrayRef<const std::complex<Real>> data,
                     ArrayRef<std::complex<Real>> b) {
  if (const auto* const of_coils = dynamic_cast<const SenseNufft<Real>*>(&A)) {
    return of_coils->adjoint_from_host(ctx, data, b);
  }
  const OnDevice<std::complex<Real>> here(ctx, data);
  A.adjoint(ctx, here.get(), b);
}

/// b = A^H d / s for data on the context's device: the right-hand side of problems whose A^H A is divided by s.
template <class Real>
void scaled_adjoint(const Context& ctx, const LinearOperator<Real>& A, double s,
                    ArrayRef<const std::complex<Real>> data, ArrayRef<std::complex<Real>> b) {
  A.adjoint(ctx, data, b);
  axpby<Real>(ctx, 1 / s, b, 0, b);
}

}  // namespace whorl::recon
