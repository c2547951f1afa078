// A preconditioner for the inner systems of ADMM: circulant within the support of the coil maps. Problems of one A share it.
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "whorl/recon/regularized_least_squares.hpp"
#include "whorl/solver/admm.hpp"

namespace whorl::recon {

/// Magnitudes of the spectra of H's responses, [image, pixel], and the largest. Neither terms nor weights change them.
template <class Real>
struct EncodingSpectra {
  std::shared_ptr<const Array<Real>> values{};  ///< null: not known
  double largest = 0;
};

/// For each image of the unknowns, x and those behind it,
///
///   P^-1 = D S^-1 D + (1 - D) / (rho (mean + 0.3 largest)),   Q = (1 - D) 0.3 rho largest
///
/// S is the convolution with the response of H + rho sum_t W_t^H W_t to one pixel: H's own of each frame, and that of the
/// terms in the middle frame, which stands for those of all frames; mean and largest are those of the terms' spectrum. D is
/// 1 where b, which is in H's range, is not 0, and in all images behind x. Where it is 0, all coil maps are, as ESPIRiT's
/// outside of the object: there H + rho sum_t W_t^H W_t has no part of H, and small eigenvalues, for which x would move
/// far in rough solutions and return slowly. Q holds it back.
///
/// `known`, where not null, has the spectra of H of an earlier call, or receives them.
///
/// Shapes  x and b [frame, (z,) y, x]; `unknowns` numbers, those behind x as many series of x's shape
/// Cost    an application of H, where its spectra are not known, and one of the terms; two FFTs of an image for each of P^-1
/// Gives   no functions, which is no preconditioner, where a frame has no response or b is 0; and where the terms are over
///         frames alone, of which S, a frame's, knows little
/// Source  circulant: as circulant_preconditioner (whorl/op/circulant.hpp); different ones in the parts of an image:
///         Fessler, Booth, IEEE Trans Image Process 8 (1999) 688; Q: as admm
template <class Real>
InnerPreconditioner<Real> circulant_inner_preconditioner(const Context& ctx, const NormalFunction<Real>& H,
                                                         const std::vector<DualTerm<Real>>& terms, const Shape& x,
                                                         Index unknowns, ArrayRef<const std::complex<Real>> b,
                                                         EncodingSpectra<Real>* known = nullptr);

/// What it holds, in complex arrays of the unknowns' size: three spectra and the support, whose numbers are real and take
/// half, and the workspace of an FFT.
inline constexpr Index inner_preconditioner_arrays = 3;

/// As regularized_least_squares. `spectra`, where not null, are those that an earlier solve of the same A and shapes left,
/// which saves an application of A^H A; or it receives them.
template <class Real>
SolverReport solve_regularized(const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
                               const std::vector<ProximalPenalty<Real>>& penalties, const RegularizedOptions& options,
                               ArrayRef<const std::complex<Real>> b, double constant, ArrayRef<std::complex<Real>> x,
                               RegularizedStart<Real>* start, SolverStates<Real>* states,
                               const IterationCallback& callback, EncodingSpectra<Real>* spectra);

}  // namespace whorl::recon
