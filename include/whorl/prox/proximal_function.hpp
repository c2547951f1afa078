// ProximalFunction: the interface of convex functions with a proximal operator.
#pragma once

#include <complex>
#include <string>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace WHORL_PUBLIC whorl {

/// Result of a step on a dual variable y.
struct DualStepSums {
  double value = 0;   ///< of the term at x, or where dual_step says so
  double change = 0;  ///< |new y - old y|^2
};

/// A convex function g of arrays of one shape, with its proximal operator
///
///   prox_{t g}(x) = argmin_z  t g(z) + |z - x|^2 / 2
///
/// and, by Moreau's identity x = prox_{t g}(x) + t prox_{g*/t}(x / t), that of its conjugate g*.
///
/// The public methods check shapes and devices once and call the private ones.
///
/// Passes   some functions have several versions that differ by shifts. `pass` selects the version: solvers pass the
///          number of the iteration. Pass 0 is the version without shifts, which value() uses
/// Throws   ShapeError (an argument of another shape), DeviceError (an argument on another device than the context's),
///          ValueError (a step that is not positive). Messages name the function
/// Threads  only one thread at a time may call it
/// Source   Moreau, Bull Soc Math France 93 (1965) 273; Parikh and Boyd, Found Trends Optim 1 (2014) 127
template <class Real>
class ProximalFunction {
  static_assert(Precision<Real>, "proximal functions compute with float or double");

 public:
  using Complex = std::complex<Real>;

  ProximalFunction(Shape domain, std::string name);
  virtual ~ProximalFunction() = default;
  ProximalFunction(const ProximalFunction&) = delete;
  ProximalFunction& operator=(const ProximalFunction&) = delete;

  const Shape& domain() const { return domain_; }
  const std::string& name() const { return name_; }
  /// Whether it is 0 on a set and infinite elsewhere, so that weights make no difference.
  virtual bool is_constraint() const { return false; }
  /// Whether it is a sum over the elements of an image, least where they are 0: then the proximal point of an image that is held at 0
  /// in some elements is that of the image, with 0 there.
  virtual bool is_pointwise() const { return false; }
  /// Whether passes have versions of their own.
  virtual bool has_versions() const { return false; }

  /// g(x). A constraint always gives 0; the distance of x to its proximal point tells how far x is from the set.
  double value(const Context& ctx, ArrayRef<const Complex> x) const;
  /// x = prox_{step g}(x), in place.
  void prox(const Context& ctx, double step, ArrayRef<Complex> x, Index pass = 0) const;
  /// Like prox(), and returns g(result) for this pass's shift, at little extra cost.
  double prox_and_value(const Context& ctx, double step, ArrayRef<Complex> x, Index pass = 0) const;
  /// y = prox_{step (weight g)*}(y), in place, by Moreau's identity.
  void dual_prox(const Context& ctx, double step, ArrayRef<Complex> y, double weight = 1, Index pass = 0) const;
  /// y = prox_{step (weight g)*}(y + step x). The value is weight g(x). Where that would take about as long as the step itself
  /// (singular values, wavelets), it is that of the pass's version at z = x - (new y - old y) / step, the proximal point,
  /// which is x where the dual variable is at rest.
  DualStepSums dual_step(const Context& ctx, double step, ArrayRef<const Complex> x, ArrayRef<Complex> y,
                         double weight = 1, Index pass = 0) const;

 private:
  void check(const Context& ctx, ArrayRef<const Complex> x) const;
  virtual double do_value(const Context& ctx, ArrayRef<const Complex> x) const = 0;
  virtual void do_prox(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const = 0;
  /// Whether the value takes about as long as the proximal point.
  virtual bool value_takes_long() const { return false; }
  /// By do_value unless a function knows it from its proximal point; one whose passes differ has to.
  virtual double do_prox_and_value(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const;

  Shape domain_;
  std::string name_;
};

}  // namespace whorl
