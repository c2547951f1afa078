// InfimalFunction: the interface of convex functions that are minima over further unknowns.
#pragma once

#include <complex>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/prox/proximal_function.hpp"

namespace WHORL_PUBLIC whorl {

/// g(x) = min_w h(W (x, w)), where w are images of x's shape, W is linear, and h is a sum over pixels of the
/// lengths of vectors, or of functions with a proximal operator. h is used by its dual variable y: h(z) = max Re <y, z> over
/// the y whose vectors are at most as long as a radius. Solvers minimize over x and w at once.
///
/// Shapes  x domain(), w auxiliary() = [image, domain...], y range() = [image, domain...]; w of no image [0], an ArrayRef of no elements
/// Throws  ShapeError (an argument of another shape), ValueError (a step or factor that is not positive). Messages name
///         the function
template <class Real>
class InfimalFunction {
  static_assert(Precision<Real>, "functions compute with float or double");

 public:
  using Complex = std::complex<Real>;

  virtual ~InfimalFunction() = default;
  InfimalFunction(const InfimalFunction&) = delete;
  InfimalFunction& operator=(const InfimalFunction&) = delete;

  const std::string& name() const { return name_; }
  const Shape& domain() const { return domain_; }
  const Shape& auxiliary() const { return auxiliary_; }
  const Shape& range() const { return range_; }
  /// A bound on |W|.
  double norm() const { return norm_; }

  /// h(W (x, w)): g(x) where w is the minimizer, and above it for others.
  double value(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<const Complex> w) const;
  /// y = prox_{sigma h*}(y + sigma W (x, w)). The value is that of (x, w), of functions as in
  /// ProximalFunction::dual_step. Functions with versions take that of pass 0.
  DualStepSums dual_step(const Context& ctx, double sigma, ArrayRef<const Complex> x, ArrayRef<const Complex> w,
                         ArrayRef<Complex> y) const;
  /// (sum_x, sum_w) += W^H y
  void add_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> sum_x,
                   ArrayRef<Complex> sum_w) const;
  /// (sum_x, sum_w) += factor W^H W (x, w)
  void add_normal(const Context& ctx, double factor, ArrayRef<const Complex> x, ArrayRef<const Complex> w,
                  ArrayRef<Complex> sum_x, ArrayRef<Complex> sum_w) const;

 protected:
  /// Consecutive images of y whose vectors, one element from each, have the same radius; or those that a function takes,
  /// with the radius as its weight.
  struct Part {
    Index images = 1;
    double radius = 1;
    std::shared_ptr<const ProximalFunction<Real>> function{};
  };

  /// |W| of W (x, w) = (A x - B w, C w) with A, B and C of norm 1 at most: |A x - B w|^2 + |C w|^2 <= (|x| + |w|)^2 + |w|^2,
  /// the larger eigenvalue of [1 1; 1 2] times |x|^2 + |w|^2 at most. The golden ratio is its root.
  static constexpr double norm_of_two_parts = std::numbers::phi;

  InfimalFunction(std::string name, Shape domain, Index auxiliary, std::vector<Part> parts, double norm);

  /// y = prox_{sigma h*}(y + sigma W (x, w)), unless there is a shorter way.
  virtual DualStepSums do_dual_step(const Context& ctx, double sigma, ArrayRef<const Complex> x,
                                    ArrayRef<const Complex> w, ArrayRef<Complex> y) const;

 private:
  void check(ArrayRef<const Complex> x, ArrayRef<const Complex> w) const;
  void check(ArrayRef<const Complex> x, ArrayRef<const Complex> w, ArrayRef<const Complex> y) const;
  /// y = W (x, w)
  virtual void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<const Complex> w,
                          ArrayRef<Complex> y) const = 0;
  /// (sum_x, sum_w) += factor W^H y
  virtual void do_add_adjoint(const Context& ctx, double factor, ArrayRef<const Complex> y, ArrayRef<Complex> sum_x,
                              ArrayRef<Complex> sum_w) const = 0;
  /// (sum_x, sum_w) += factor W^H W (x, w): the adjoint after the forward one, unless there is a shorter way. It neither
  /// waits for the device nor reads results.
  virtual void do_add_normal(const Context& ctx, double factor, ArrayRef<const Complex> x, ArrayRef<const Complex> w,
                             ArrayRef<Complex> sum_x, ArrayRef<Complex> sum_w) const;

  std::string name_;
  Shape domain_;
  Shape auxiliary_;
  Shape range_;
  std::vector<Part> parts_;
  double norm_;
};

}  // namespace whorl
