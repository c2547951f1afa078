// Operator (op/operator.hpp) is a handle that shares a LinearOperator: products, sums, adjoints and stacks are values.
// Parameters and members that keep an operator are handles. Solvers take a handle as they take any function.
#include "whorl/op/operator.hpp"

#include <fmt/format.h>

#include <string>

#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

template <class Real>
class ProductOperator final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  ProductOperator(Operator<Real> outer, Operator<Real> inner)
      : LinearOperator<Real>(inner.domain(), outer.range(), outer.name() + " * " + inner.name()),
        outer_(std::move(outer)),
        inner_(std::move(inner)) {}

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override {
    Array<Complex> before(ctx, inner_.range());
    Array<Complex> after(ctx, inner_.range());
    inner_.forward(ctx, x, before);
    outer_.normal(ctx, before, after);
    inner_.adjoint(ctx, after, z);
  }

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override {
    Array<Complex> between(ctx, inner_.range());
    inner_.forward(ctx, x, between);
    outer_.forward(ctx, between, y);
  }
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override {
    Array<Complex> between(ctx, inner_.range());
    outer_.adjoint(ctx, y, between);
    inner_.adjoint(ctx, between, x);
  }

  Operator<Real> outer_;
  Operator<Real> inner_;
};

template <class Real>
class SumOperator final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  SumOperator(Operator<Real> first, Operator<Real> second)
      : LinearOperator<Real>(first.domain(), first.range(), "(" + first.name() + " + " + second.name() + ")"),
        first_(std::move(first)),
        second_(std::move(second)) {}

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override {
    first_.forward(ctx, x, y);
    Array<Complex> more(ctx, y.shape());
    second_.forward(ctx, x, more);
    axpby(ctx, 1, more, 1, y);
  }
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override {
    first_.adjoint(ctx, y, x);
    Array<Complex> more(ctx, x.shape());
    second_.adjoint(ctx, y, more);
    axpby(ctx, 1, more, 1, x);
  }

  Operator<Real> first_;
  Operator<Real> second_;
};

template <class Real>
class ScaledOperator final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  ScaledOperator(std::complex<double> factor, Operator<Real> op)
      : LinearOperator<Real>(op.domain(), op.range(), op.name()), factor_(factor), op_(std::move(op)) {}

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override {
    op_.normal(ctx, x, z);
    scale(ctx, std::norm(factor_), z);
  }

 private:
  static void scale(const Context& ctx, std::complex<double> factor, ArrayRef<Complex> y) {
    axpby(ctx, factor, y, 0, y);
  }
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override {
    op_.forward(ctx, x, y);
    scale(ctx, factor_, y);
  }
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override {
    op_.adjoint(ctx, y, x);
    scale(ctx, std::conj(factor_), x);
  }

  std::complex<double> factor_;
  Operator<Real> op_;
};

template <class Real>
class AdjointOperator final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  explicit AdjointOperator(Operator<Real> op)
      : LinearOperator<Real>(op.range(), op.domain(), op.name() + "^H"), op_(std::move(op)) {}

  const Operator<Real>& op() const { return op_; }

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override {
    op_.adjoint(ctx, x, y);
  }
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override {
    op_.forward(ctx, y, x);
  }

  Operator<Real> op_;
};

template <class Real>
class NormalOperator final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  explicit NormalOperator(Operator<Real> op)
      : LinearOperator<Real>(op.domain(), op.domain(), op.name() + "^H " + op.name()), op_(std::move(op)) {}

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override {
    op_.normal(ctx, x, y);
  }
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override {
    op_.normal(ctx, y, x);
  }

  Operator<Real> op_;
};

template <class Real>
Shape stacked_range(const std::vector<Operator<Real>>& parts) {
  if (parts.empty()) throw ShapeError("stack: no operators, expected one or more");
  const Shape& first = parts.front().range();
  bool joined = true;
  Index along = 0;
  Index all = 0;
  for (const Operator<Real>& part : parts) {
    if (part.domain() != parts.front().domain()) {
      throw ShapeError(fmt::format("stack: {} takes {}, {} takes {}; expected equal shapes", parts.front().name(),
                                   to_string(parts.front().domain()), part.name(), to_string(part.domain())));
    }
    const Shape& range = part.range();
    joined = joined && range.rank() > 0 && first.rank() > 0 && range.tail() == first.tail();
    along += range.rank() > 0 ? range[0] : 1;
    all += range.size();
  }
  return joined ? first.tail().with_front(along) : Shape{all};
}

template <class Real>
std::string stacked_name(const std::vector<Operator<Real>>& parts) {
  std::string name;
  for (const Operator<Real>& part : parts) name += (name.empty() ? "stack(" : ", ") + part.name();
  return name + ")";
}

template <class Real>
class StackedOperator final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  explicit StackedOperator(std::vector<Operator<Real>> parts)
      : LinearOperator<Real>(parts.front().domain(), stacked_range(parts), stacked_name(parts)),
        parts_(std::move(parts)) {}

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override {
    add_up(ctx, z, [&](const Operator<Real>& part, ArrayRef<Complex> to) { part.normal(ctx, x, to); });
  }

 private:
  // The elements of y that belong to the next part, in its shape.
  template <class T>
  static ArrayRef<T> next(ArrayRef<T> y, const Operator<Real>& part, Index& offset) {
    ArrayRef<T> elements(y.data() + offset, part.range(), y.device());
    offset += elements.size();
    return elements;
  }

  template <class Apply>
  void add_up(const Context& ctx, ArrayRef<Complex> sum, const Apply& apply) const {
    apply(parts_.front(), sum);
    if (parts_.size() == 1) return;
    Array<Complex> more(ctx, sum.shape());
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      apply(parts_[i], more);
      axpby(ctx, 1, more, 1, sum);
    }
  }

  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override {
    Index offset = 0;
    for (const Operator<Real>& part : parts_) part.forward(ctx, x, next(y, part, offset));
  }
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override {
    Index offset = 0;
    add_up(ctx, x,
           [&](const Operator<Real>& part, ArrayRef<Complex> to) { part.adjoint(ctx, next(y, part, offset), to); });
  }

  std::vector<Operator<Real>> parts_;
};

}  // namespace

template <class Real>
const LinearOperator<Real>& Operator<Real>::checked() const {
  if (op_ == nullptr) throw ValueError("operator: the handle is empty, expected one that was made of an operator");
  return *op_;
}

template <class Real>
Operator<Real> Operator<Real>::adjoint() const {
  const auto* adjoint = dynamic_cast<const AdjointOperator<Real>*>(&checked());
  return adjoint != nullptr ? adjoint->op() : Operator(AdjointOperator<Real>(*this));
}

template <class Real>
Operator<Real> Operator<Real>::normal() const {
  return NormalOperator<Real>(*this);
}

namespace detail {

template <class Real>
Operator<Real> product(Operator<Real> outer, Operator<Real> inner) {
  if (outer.domain() != inner.range()) {
    throw ShapeError(fmt::format("{} * {}: the inner operator gives {}, the outer takes {}; expected equal shapes",
                                 outer.name(), inner.name(), to_string(inner.range()), to_string(outer.domain())));
  }
  return ProductOperator<Real>(std::move(outer), std::move(inner));
}

template <class Real>
Operator<Real> sum(Operator<Real> first, Operator<Real> second) {
  if (first.domain() != second.domain() || first.range() != second.range()) {
    throw ShapeError(fmt::format("{} + {}: from {} to {} and from {} to {}; expected equal shapes", first.name(),
                                 second.name(), to_string(first.domain()), to_string(first.range()),
                                 to_string(second.domain()), to_string(second.range())));
  }
  return SumOperator<Real>(std::move(first), std::move(second));
}

template <class Real>
Operator<Real> scaled(std::complex<double> factor, Operator<Real> op) {
  return ScaledOperator<Real>(factor, std::move(op));
}

}  // namespace detail

template <Precision Real>
Operator<Real> stack(std::vector<Operator<Real>> parts) {
  stacked_range(parts);  // before the first is looked at
  return StackedOperator<Real>(std::move(parts));
}

#define WHORL_INSTANTIATE(Real)                                                       \
  template class Operator<Real>;                                                      \
  template Operator<Real> detail::product<Real>(Operator<Real>, Operator<Real>);      \
  template Operator<Real> detail::sum<Real>(Operator<Real>, Operator<Real>);          \
  template Operator<Real> detail::scaled<Real>(std::complex<double>, Operator<Real>); \
  template Operator<Real> stack<Real>(std::vector<Operator<Real>>)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl
