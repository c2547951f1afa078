// A circulant preconditioner for the inner systems of ADMM.
#pragma once

#include <vector>

#include "whorl/solver/admm.hpp"

namespace whorl::recon {

/// C = S^(-1/2) for each image of the unknowns, x and those behind it. S is the convolution with the response of
/// H + rho sum_t W_t^H W_t to the pixel in the middle of that image: H's own of each frame, and that of the terms in the
/// middle frame, which stands for those of all frames.
///
/// Shapes  x [frame, (z,) y, x]; `unknowns` numbers, those behind x as many series of x's shape
/// Cost    two applications of H, two FFTs of an image for each of C's
/// Gives   no functions, which is no preconditioner, where H is far from a convolution: where it has no response there, or to
///         ones in more than 2 % of the pixels, as with coil maps that are 0 outside of the object
/// Source  as circulant_preconditioner (whorl/op/circulant.hpp)
template <class Real>
InnerPreconditioner<Real> circulant_inner_preconditioner(const Context& ctx, const NormalFunction<Real>& H,
                                                         const std::vector<DualTerm<Real>>& terms, const Shape& x,
                                                         Index unknowns);

}  // namespace whorl::recon
