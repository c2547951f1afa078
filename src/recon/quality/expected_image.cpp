#include "whorl/recon/expected_image.hpp"

#include "whorl/math/blas1.hpp"

namespace whorl {

template <Precision Real>
SolverReport expected_image(const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
                            const LeastSquaresOptions& options, ArrayRef<const std::complex<Real>> object,
                            ConvertedRef<std::complex<Real>> image) {
  using Complex = std::complex<Real>;
  Array<Complex> b(ctx, model.encoding->domain());
  model.encoding->normal(ctx, object, b);
  axpby<Real>(ctx, 1 / model.eigenvalue, b, 0, b);
  fill<Complex>(ctx, image, 0);
  return solve_regularized_normal<Real>(ctx, title, model, options, b, image);
}

template SolverReport expected_image(const Context&, const std::string&, const RegularizedModel<float>&,
                                     const LeastSquaresOptions&, ArrayRef<const std::complex<float>>,
                                     ArrayRef<std::complex<float>>);
template SolverReport expected_image(const Context&, const std::string&, const RegularizedModel<double>&,
                                     const LeastSquaresOptions&, ArrayRef<const std::complex<double>>,
                                     ArrayRef<std::complex<double>>);

}  // namespace whorl
