// LinearOperator: the interface of linear maps between arrays.
#pragma once

#include <complex>
#include <string>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace whorl {

/// A linear map A from arrays of shape domain() to arrays of shape range(), with its adjoint A^H under the inner
/// product sum conj(a) b. The public methods check shapes and devices once and call the private ones.
///
/// An operator owns what it is made of, or shares it. It can be moved, not copied; Operator (whorl/op/operator.hpp)
/// shares it, and has sums and products.
///
/// Element  std::complex<float> or std::complex<double>
/// Throws   ShapeError (an argument of another shape), DeviceError (an argument on another device than the context's),
///          ValueError (an argument and the result overlap in memory). Messages name the operator
/// Threads  only one thread at a time may apply an operator
template <class Real>
class LinearOperator {
  static_assert(Precision<Real>, "operators compute with float or double");

 public:
  using Complex = std::complex<Real>;

  /// `name`: in messages, "Nufft forward: x has shape ...".
  LinearOperator(Shape domain, Shape range, std::string name = "operator");
  virtual ~LinearOperator() = default;
  LinearOperator(const LinearOperator&) = delete;
  LinearOperator& operator=(const LinearOperator&) = delete;

  const Shape& domain() const { return domain_; }
  const Shape& range() const { return range_; }
  const std::string& name() const { return name_; }

  /// y = A x.
  void forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const;
  /// x = A^H y.
  void adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const;
  /// z = A^H A x, by forward and adjoint unless the operator has a faster way.
  void normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const;

 protected:
  LinearOperator(LinearOperator&&) = default;

  /// Forward, then adjoint.
  virtual void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const;

 private:
  virtual void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const = 0;
  virtual void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const = 0;

  Shape domain_;
  Shape range_;
  std::string name_;
};

}  // namespace whorl
