// LinearOperator: the interface of linear maps between arrays.
#pragma once

#include <complex>
#include <optional>
#include <string>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace WHORL_PUBLIC whorl {

/// A linear map A from arrays of shape domain() to arrays of shape range(), with its adjoint A^H under the inner
/// product sum conj(a) b. The public methods check shapes and devices once and call the private ones.
///
/// An operator owns what it is made of, or shares it. It can be moved, not copied; Operator (whorl/op/operator.hpp)
/// shares it, and has sums and products.
///
/// Element  std::complex<float> or std::complex<double>
/// Throws   ShapeError (an argument of another shape), DeviceError (an argument on another device than the context's,
///          or a context of another device than the operator was made for), ValueError (an argument and the result
///          overlap in memory). Messages name the operator
/// Threads  several may apply an operator at once. On a CPU they may share a context; on a GPU each needs its own. They
///          get the same bits as one thread. On a GPU the arrays of an operator return to the pool of the context that
///          it was made with: call synchronize on the other contexts before its last owner is destroyed. In derived
///          classes do_forward and do_adjoint must change nothing but their result
template <class Real>
class LinearOperator {
  static_assert(Precision<Real>, "operators compute with float or double");

 public:
  using Complex = std::complex<Real>;

  /// `name` appears in messages: "Nufft forward: x has shape ...". `device` is where the operator has memory of its
  /// own; none: it runs with any context.
  LinearOperator(Shape domain, Shape range, std::string name = "operator", std::optional<Device> device = {});
  virtual ~LinearOperator() = default;
  LinearOperator(const LinearOperator&) = delete;
  LinearOperator& operator=(const LinearOperator&) = delete;

  const Shape& domain() const { return domain_; }
  const Shape& range() const { return range_; }
  const std::string& name() const { return name_; }
  /// The device on which the operator runs, because it has memory there; none: it runs with any context.
  const std::optional<Device>& device() const { return device_; }

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
  std::optional<Device> device_;
};

}  // namespace whorl
