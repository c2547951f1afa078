// Regularized least squares with any operator, in whorl's convention for lambda.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "whorl/op/operator.hpp"
#include "whorl/solver/solver_report.hpp"
#include "whorl/solver/solver_states.hpp"

namespace WHORL_PUBLIC whorl {

struct LeastSquaresOptions {
  int iterations = 30;      ///< at most
  double tolerance = 1e-4;  ///< of the relative residual
  double lambda = 1e-4;     ///< weight of the penalty, for an encoding operator of norm 1 (docs/explain/lambda.md)
  double noise = 0;  ///< standard deviation of the noise in a sample, which also ends the iterations; 0: it does not
};

/// The limit for the error e of an image x, in the norm sqrt(e^H H e) of the regularized normal operator H below: a tenth of
/// what the noise n = H^-1 A^H eps / s has in it.
///
/// E n^H H n = noise^2 trace(A H^-1 A^H) / s^2 = noise^2 f / s for f degrees of freedom of the data in the image. The norm weighs
/// each mode of A^H A by the inverse of its noise's variance, but for lambda. So the limit asks for an error of a tenth of
/// the noise, mode by mode in the mean. f is not known without many solves; half of the smaller number of unknowns and data
/// stands for it.
WHORL_PUBLIC double noise_limit(double noise, double eigenvalue, Index unknowns, Index data);

/// Largest eigenvalue of A^H A, from below, with a residual of at most 0.1 % of it. For the error that this implies,
/// see whorl/solver/largest_eigenvalue.hpp.
/// Throws  ValueError (an operator that is zero or gives values that are not finite), Cancelled
template <Precision Real>
WHORL_PUBLIC double normal_eigenvalue(const Context& ctx, const LinearOperator<Real>& A);
template <Precision Real>
double normal_eigenvalue(const Context& ctx, const Operator<Real>& A) {
  return normal_eigenvalue<Real>(ctx, *A);
}

/// One term w |W x|^2 of a penalty.
template <class Real>
struct QuadraticPenalty {
  Operator<Real> op{};  ///< W, of norm 1 at most; its domain is the image. None: the identity
  double weight = 1;    ///< w, relative to the other terms; lambda multiplies all of them
};

/// The model of data d = A x + noise, with a small penalty. The least squares image x minimizes
/// |A x - d|^2 + lambda s sum_t w_t |W_t x|^2, that is
///
///   H x = A^H d / s,   H = A^H A / s + lambda sum_t w_t W_t^H W_t.
///
/// So a given lambda means the same for any operator and scale of the data.
template <class Real>
struct RegularizedModel {
  Operator<Real> encoding;                                      ///< A
  double eigenvalue;                                            ///< s, the largest one of A^H A (normal_eigenvalue)
  std::vector<QuadraticPenalty<Real>> penalties{{nullptr, 1}};  ///< default: Tikhonov's |x|^2
  /// 1 where x may differ from 0, else 0, of the extents of A's last axes; none: everywhere. A is 0 outside itself (coil maps
  /// times the support): this keeps W and further terms inside. H is P H P for this P, and x has to be P x.
  std::shared_ptr<const Array<Real>> support{};
};

/// The model for each of `count` consecutive images, [image, A.domain()...].
template <Precision Real>
WHORL_PUBLIC RegularizedModel<Real> repeated(const RegularizedModel<Real>& model, Index count);

/// z = H x.
/// Throws  ShapeError, ValueError (lambda below 0, an eigenvalue that is not positive, x and z that overlap in memory)
template <Precision Real>
WHORL_PUBLIC void apply_regularized_normal(const Context& ctx, const RegularizedModel<Real>& model, double lambda,
                                           ArrayRef<const std::complex<Real>> x, ConvertedRef<std::complex<Real>> z);

/// z = sum_t w_t W_t^H W_t x.
/// Throws  ShapeError, ValueError (x and z overlap in memory)
template <Precision Real>
WHORL_PUBLIC void apply_penalties(const Context& ctx, const RegularizedModel<Real>& model,
                                  ArrayRef<const std::complex<Real>> x, ConvertedRef<std::complex<Real>> z);

/// sum_t w_t |W_t x|^2.
template <Precision Real>
WHORL_PUBLIC double penalty_energy(const Context& ctx, const RegularizedModel<Real>& model,
                                   ArrayRef<const std::complex<Real>> x);

/// Solves H x = b by conjugate gradient, starting from the given x.
///
/// Shapes    b and x A.domain()
/// Progress  one stage of the title, one step per iteration
/// Throws    ShapeError, ValueError (options out of range, an eigenvalue that is not positive, values that are not
///           finite, arguments that overlap in memory), Cancelled
template <Precision Real>
WHORL_PUBLIC SolverReport solve_regularized_normal(const Context& ctx, const std::string& title,
                                                   const RegularizedModel<Real>& model,
                                                   const LeastSquaresOptions& options,
                                                   ArrayRef<const std::complex<Real>> b,
                                                   ConvertedRef<std::complex<Real>> x);

/// The least squares image, starting from x = 0. If the operator acts on several coils, their images are solved as one
/// system.
///
/// Shapes    data A.range(), x A.domain(); x is overwritten
/// Throws    as solve_regularized_normal
/// Source    Pruessmann, Weiger, Boernert, Boesiger, Magn Reson Med 46 (2001) 638
template <Precision Real>
WHORL_PUBLIC SolverReport least_squares(const Context& ctx, const std::string& title,
                                        const RegularizedModel<Real>& model, ArrayRef<const std::complex<Real>> data,
                                        const LeastSquaresOptions& options, ConvertedRef<std::complex<Real>> x);

/// The least squares images of several data sets, solved together. Each gets the result of least_squares and a report.
/// Those that have reached the tolerance drop out. With `states` the solver goes on from a kept state, if there is one.
///
/// Shapes    each of data A.range(), x [image, A.domain()...]; x is overwritten
/// Memory    three times x (least_squares_memory)
/// Throws    as solve_regularized_normal
template <Precision Real>
WHORL_PUBLIC std::vector<SolverReport> least_squares(const Context& ctx, const std::string& title,
                                                     const RegularizedModel<Real>& model,
                                                     const std::vector<ArrayRef<const std::complex<Real>>>& data,
                                                     const LeastSquaresOptions& options,
                                                     ConvertedRef<std::complex<Real>> x,
                                                     SolverStates<Real>* states = nullptr);

/// Like the function above, with an encoding for each data set in place of the model's, such as those of frames that have
/// trajectories of their own. All encodings have one domain.
///
/// Shapes    each of data the range of its encoding, x [image, domain...]; x is overwritten
/// Throws    as solve_regularized_normal
template <Precision Real>
WHORL_PUBLIC std::vector<SolverReport> least_squares(const Context& ctx, const std::string& title,
                                                     const RegularizedModel<Real>& model,
                                                     const std::vector<Operator<Real>>& encodings,
                                                     const std::vector<ArrayRef<const std::complex<Real>>>& data,
                                                     const LeastSquaresOptions& options,
                                                     ConvertedRef<std::complex<Real>> x, SolverStates<Real>* states);

}  // namespace whorl
