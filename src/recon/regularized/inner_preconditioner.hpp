// A preconditioner for the inner systems of ADMM: circulant within the support of the coil maps.
#pragma once

#include <vector>

#include "whorl/solver/admm.hpp"

namespace whorl::recon {

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
/// Shapes  x and b [frame, (z,) y, x]; `unknowns` numbers, those behind x as many series of x's shape
/// Cost    an application of H and one of the terms; two FFTs of an image for each of P^-1
/// Gives   no functions, which is no preconditioner, where a frame has no response or b is 0; and where the terms are over
///         frames alone, of which S, a frame's, knows little
/// Source  circulant: as circulant_preconditioner (whorl/op/circulant.hpp); different ones in the parts of an image:
///         Fessler, Booth, IEEE Trans Image Process 8 (1999) 688; Q: as admm
template <class Real>
InnerPreconditioner<Real> circulant_inner_preconditioner(const Context& ctx, const NormalFunction<Real>& H,
                                                         const std::vector<DualTerm<Real>>& terms, const Shape& x,
                                                         Index unknowns, ArrayRef<const std::complex<Real>> b);

}  // namespace whorl::recon
