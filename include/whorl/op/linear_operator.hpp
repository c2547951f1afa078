// LinearOperator: the interface of linear maps between arrays.
#pragma once

#include <complex>
#include <memory>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace whorl {

/// A linear map A from arrays of shape domain() to arrays of shape range(), with its adjoint A^H under the inner
/// product sum conj(a) b. The public methods check shapes and devices once and call the private ones.
///
/// Element  std::complex<float> or std::complex<double>
/// Throws   ShapeError (an argument of another shape), DeviceError (an argument on another device than the context's)
/// Threads  only one thread at a time may apply an operator
template <class Real>
class LinearOperator {
 public:
  using Complex = std::complex<Real>;

  LinearOperator(Shape domain, Shape range);
  virtual ~LinearOperator() = default;
  LinearOperator(const LinearOperator&) = delete;
  LinearOperator& operator=(const LinearOperator&) = delete;

  const Shape& domain() const { return domain_; }
  const Shape& range() const { return range_; }

  /// y = A x. The arguments do not overlap.
  void forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const;
  /// x = A^H y.
  void adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const;
  /// z = A^H A x, by forward and adjoint unless the operator has a faster way.
  void normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const;

 protected:
  /// Forward, then adjoint.
  virtual void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const;

 private:
  virtual void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const = 0;
  virtual void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const = 0;

  Shape domain_;
  Shape range_;
};

/// A shared operator. Operators built from it keep it alive, with everything that it is built from.
template <class Real>
using SharedOperator = std::shared_ptr<const LinearOperator<Real>>;

}  // namespace whorl
