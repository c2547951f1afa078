// Operator: a linear operator as a value, with sums, products and adjoints.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "whorl/op/linear_operator.hpp"

namespace WHORL_PUBLIC whorl {

/// A handle that shares ownership of a linear operator. Copies are cheap and share it. Products, sums and stacks share
/// their parts, so they can be stored, passed on and returned from a function:
///
///   Operator<float> A = Nufft<float>(ctx, points, {64, 64}, coils) * Sense<float>(std::move(maps));
///
/// A handle takes over an operator by move. A named operator that is not moved does not convert to a handle: it could
/// be destroyed before the handle.
///
///   product  A * B      x -> A (B x); its normal uses A's own
///   sum      A + B, A - B
///   scaled   c * A, -A  its normal is |c|^2 times A's own
///   adjoint  A.adjoint()
///   normal   A.normal() x -> A^H A x, by A's own; self-adjoint
///   stack    stack(A, B, ...)
///
/// Throws   ShapeError (shapes that do not fit), ValueError (an empty handle that is used)
/// Threads  as LinearOperator, also for operators that share parts. Copies may be used by different threads
/// Memory   products and sums allocate an array between their parts for each application
template <class Real>
class Operator {
 public:
  using Complex = std::complex<Real>;

  // NOLINTBEGIN(google-explicit-constructor): an operator is passed where a handle is asked for
  /// An empty handle, false as bool.
  Operator() = default;
  Operator(std::nullptr_t) {}
  template <class Op>
  requires std::derived_from<std::remove_const_t<Op>, LinearOperator<Real>> Operator(std::shared_ptr<Op> op)
      : op_(std::move(op)) {}
  /// Moves the operator into the handle.
  template <class Op>
  requires(std::derived_from<Op, LinearOperator<Real>> && !std::is_const_v<Op>) Operator(Op&& op)
      : op_(std::make_shared<const Op>(std::forward<Op>(op))) {}  // NOLINT(bugprone-forwarding-reference-overload)
  Operator(const LinearOperator<Real>& op) = delete;  // would not keep it alive: move it, or make the handle first
  // NOLINTEND(google-explicit-constructor)

  explicit operator bool() const { return op_ != nullptr; }
  friend bool operator==(const Operator& op, std::nullptr_t) { return op.op_ == nullptr; }

  /// The operator itself.
  const LinearOperator<Real>& operator*() const { return checked(); }
  const LinearOperator<Real>* operator->() const { return &checked(); }

  const Shape& domain() const { return checked().domain(); }
  const Shape& range() const { return checked().range(); }
  const std::string& name() const { return checked().name(); }

  /// The methods of LinearOperator.
  void forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
    checked().forward(ctx, x, y);
  }
  void adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
    checked().adjoint(ctx, y, x);
  }
  void normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const { checked().normal(ctx, x, z); }
  /// y = A x, so that solvers take a handle as a function.
  void operator()(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
    checked().forward(ctx, x, y);
  }

  /// A^H. The adjoint of an adjoint is the operator itself.
  Operator adjoint() const;
  /// A^H A. Its own normal is A^H A applied twice.
  Operator normal() const;

 private:
  const LinearOperator<Real>& checked() const;

  std::shared_ptr<const LinearOperator<Real>> op_;
};

template <class Real>
Operator(LinearOperator<Real>&&) -> Operator<Real>;

namespace detail {
template <class T>
using precision_of = typename std::remove_cvref_t<T>::Complex::value_type;

template <class Real>
WHORL_PUBLIC Operator<Real> product(Operator<Real> outer, Operator<Real> inner);
template <class Real>
WHORL_PUBLIC Operator<Real> sum(Operator<Real> first, Operator<Real> second);
template <class Real>
WHORL_PUBLIC Operator<Real> scaled(std::complex<double> factor, Operator<Real> op);
}  // namespace detail

/// A handle, or a linear operator that can be moved into one.
template <class T>
concept OperatorLike = requires {
  typename detail::precision_of<T>;
}
&&std::constructible_from<Operator<detail::precision_of<T>>, T>;

/// Two such types, of the same precision.
template <class T, class U>
concept SameOperators =
    OperatorLike<T> && OperatorLike<U> && std::same_as<detail::precision_of<T>, detail::precision_of<U>>;

/// x -> A (B x). Throws ShapeError unless A's domain is B's range.
template <class A, class B>
requires SameOperators<A, B> Operator<detail::precision_of<A>>
operator*(A&& a, B&& b) {
  using Real = detail::precision_of<A>;
  return detail::product<Real>(Operator<Real>(std::forward<A>(a)), Operator<Real>(std::forward<B>(b)));
}

/// x -> A x + B x. Throws ShapeError unless domains and ranges are equal.
template <class A, class B>
requires SameOperators<A, B> Operator<detail::precision_of<A>>
operator+(A&& a, B&& b) {
  using Real = detail::precision_of<A>;
  return detail::sum<Real>(Operator<Real>(std::forward<A>(a)), Operator<Real>(std::forward<B>(b)));
}

/// x -> factor A x.
template <std::convertible_to<std::complex<double>> Factor, OperatorLike A>
Operator<detail::precision_of<A>> operator*(Factor factor, A&& a) {
  using Real = detail::precision_of<A>;
  return detail::scaled<Real>(factor, Operator<Real>(std::forward<A>(a)));
}

template <OperatorLike A, std::convertible_to<std::complex<double>> Factor>
Operator<detail::precision_of<A>> operator*(A&& a, Factor factor) {
  return factor * std::forward<A>(a);
}

/// x -> -A x.
template <OperatorLike A>
Operator<detail::precision_of<A>> operator-(A&& a) {
  return -1.0 * std::forward<A>(a);
}

/// x -> A x - B x. Throws ShapeError unless domains and ranges are equal.
template <class A, class B>
requires SameOperators<A, B> Operator<detail::precision_of<A>>
operator-(A&& a, B&& b) { return std::forward<A>(a) + (-1.0 * std::forward<B>(b)); }

/// Applies all operators to one x: y = (A x, B x, ...). The normal is the sum of their normals.
///
/// Shapes  domain that of each; range joined along the first axis if the other axes are equal: [sum of n, ...],
///         otherwise all elements one after another: [n]
/// Throws  ShapeError (none, or domains that differ)
template <Precision Real>
WHORL_PUBLIC Operator<Real> stack(std::vector<Operator<Real>> parts);

template <class First, class... Rest>
requires(SameOperators<First, Rest>&&...&& OperatorLike<First>) Operator<detail::precision_of<First>> stack(
    First&& first, Rest&&... rest) {
  using Real = detail::precision_of<First>;
  return stack<Real>(std::vector<Operator<Real>>{Operator<Real>(std::forward<First>(first)),
                                                 Operator<Real>(std::forward<Rest>(rest))...});
}

}  // namespace whorl
