// LinearOperator, and what is made of operators: products, sums, adjoints, stacks, operators of functions.
#include <nanobind/nanobind.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "copies.hpp"
#include "described.hpp"
#include "operators.hpp"
#include "run.hpp"
#include "whorl/op/block_diagonal.hpp"

namespace whorl::python {

const Shape& PyOperator::domain() const {
  return with_operator(*this, [](const auto& held) -> const Shape& { return held.domain(); });
}
const Shape& PyOperator::range() const {
  return with_operator(*this, [](const auto& held) -> const Shape& { return held.range(); });
}
const std::string& PyOperator::name() const {
  return with_operator(*this, [](const auto& held) -> const std::string& { return held.name(); });
}

std::optional<std::vector<Index>> batch_axes(const Shape& given, const Shape& one) {
  std::vector<Index> axes(given.begin(), given.end());
  const std::vector<Index> wanted(one.begin(), one.end());
  // How many axes lie in front of those that are wanted; none where they do not fit.
  const auto front = [&]() -> std::optional<std::size_t> {
    for (auto first = wanted.begin(); first != wanted.end() || axes.empty(); ++first) {
      const std::ptrdiff_t there = wanted.end() - first;
      const auto before = static_cast<std::ptrdiff_t>(axes.size()) - there;
      if (before >= 0 && std::equal(first, wanted.end(), axes.begin() + before)) return before;
      if (first == wanted.end() || *first != 1) return std::nullopt;
    }
    return std::nullopt;
  };
  auto batch = front();
  if (!batch && axes.size() > 1) {
    axes[axes.size() - 2] *= axes.back();
    axes.pop_back();
    batch = front();
  }
  if (!batch) return std::nullopt;
  axes.resize(*batch);
  return axes;
}

namespace {

enum class Way { forward, adjoint, normal };

template <Way way>
nb::object apply(const PyOperator& self, nb::handle x, nb::handle out) {
  return with_operator(self, [&](const auto& op) {
    using Complex = std::complex<real_of<decltype(op)>>;
    Input input(x, way == Way::adjoint ? "y" : "x", &self.ctx);
    ArrayRef<const Complex> from = input.as<Complex>();
    const Shape& one = way == Way::adjoint ? op.range() : op.domain();
    const Shape& other = way == Way::forward ? op.range() : op.domain();
    Index count = 1;
    std::vector<Index> shape(other.begin(), other.end());
    if (from.shape() != one) {
      if (const auto batch = batch_axes(from.shape(), one)) {
        for (const Index extent : *batch) count *= extent;
        shape.insert(shape.begin(), batch->begin(), batch->end());
        from = from.reshape(one.with_front(count));
      }
    }
    Output output(self.ctx, input.framework(), Shape(shape), nb::dtype<Complex>(), out, "out");
    ArrayRef<Complex> to = output.as<Complex>();
    const bool is_batch = from.shape() == one.with_front(count) && from.shape() != one;
    if (is_batch) to = to.reshape(other.with_front(count));
    const auto apply_one = [&](const Context& ctx, ArrayRef<const Complex> a, ArrayRef<Complex> b) {
      if constexpr (way == Way::forward) op.forward(ctx, a, b);
      if constexpr (way == Way::adjoint) op.adjoint(ctx, a, b);
      if constexpr (way == Way::normal) op.normal(ctx, a, b);
    };
    run(
        self.ctx,
        [&](const Context& ctx) {
          if (!is_batch) return apply_one(ctx, from, to);
          for (Index i = 0; i < count; ++i) apply_one(ctx, from.slice(i), to.slice(i));
        },
        !input.is_ordered());
    return output.take();
  });
}

// f(a, b) of two operators of one precision and one device.
template <class Function>
PyOperator combined(const PyOperator& a, const PyOperator& b, const Function& f) {
  if (a.is_double() != b.is_double()) {
    throw ValueError(a.name() + " and " + b.name() + " compute in different precisions; make both with the same dtype");
  }
  if (!(a.ctx.device() == b.ctx.device())) {
    throw DeviceError(a.name() + " is on " + to_string(a.ctx.device()) + ", " + b.name() + " on " +
                      to_string(b.ctx.device()) + "; make both with contexts of one device");
  }
  return with_operator(a, [&](const auto& first) {
    const auto& second = std::get<std::remove_cvref_t<decltype(first)>>(b.op);
    return PyOperator{f(first, second), a.ctx};
  });
}

template <class Function>
PyOperator changed(const PyOperator& a, const Function& f) {
  return with_operator(a, [&](const auto& op) { return PyOperator{f(op), a.ctx}; });
}

PyOperator scaled(const PyOperator& a, std::complex<double> factor) {
  return changed(a, [factor](const auto& op) { return factor * op; });
}

PyOperator stacked(const nb::args& operators) {
  if (operators.size() == 0) throw ShapeError("stack: no operator; pass one or more");
  for (const nb::handle part : operators) {
    if (!nb::isinstance<PyOperator>(part)) throw nb::type_error("stack: expected operators (whorl.LinearOperator)");
  }
  const auto& first = nb::cast<const PyOperator&>(operators[0]);
  return with_operator(first, [&](const auto& op) {
    using Op = std::remove_cvref_t<decltype(op)>;
    std::vector<Op> parts;
    for (const nb::handle part : operators) {
      const auto& other = nb::cast<const PyOperator&>(part);
      combined(first, other, [](const auto& a, const auto&) { return a; });  // checks that they go together
      parts.push_back(std::get<Op>(other.op));
    }
    return PyOperator{stack<real_of<Op>>(std::move(parts)), first.ctx};
  });
}

// An operator whose work is done by functions of Python, on the host.
template <class Real>
class FunctionOperator final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  FunctionOperator(const Shape& domain, const Shape& range, nb::object forward, nb::object adjoint, std::string name)
      : LinearOperator<Real>(domain, range, std::move(name)),
        forward_(std::move(forward)),
        adjoint_(std::move(adjoint)) {}
  ~FunctionOperator() override {
    const nb::gil_scoped_acquire gil;
    forward_.reset();
    adjoint_.reset();
  }

 private:
  void do_forward(const Context&, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override {
    call(forward_, x, y);
  }
  void do_adjoint(const Context&, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override {
    call(adjoint_, y, x);
  }

  void call(const nb::object& function, ArrayRef<const Complex> from, ArrayRef<Complex> to) const {
    const nb::gil_scoped_acquire gil;
    // A copy: the function may keep it beyond the call.
    Array<Complex> copy(Context(), from.shape());
    whorl::copy<Complex>(from, copy);
    Input result(function(to_python(std::move(copy))), "the result");
    const ArrayRef<const Complex> values = result.as<Complex>();
    if (values.shape() != to.shape()) {
      throw ShapeError(this->name() + ": a function returned shape " + to_string(values.shape()) + ", expected " +
                       to_string(to.shape()));
    }
    whorl::copy<Complex>(values, to);
  }

  nb::object forward_;
  nb::object adjoint_;
};

PyOperator function_operator(nb::handle domain, nb::handle range, const nb::callable& forward,
                             const nb::callable& adjoint, nb::handle dtype, const std::string& name) {
  const Shape from = shape_from(domain, "domain");
  const Shape to = shape_from(range, "range");
  return with_precision(is_double_dtype(dtype), [&](auto real) {
    using Real = decltype(real);
    return PyOperator{Operator<Real>(std::make_shared<const FunctionOperator<Real>>(from, to, forward, adjoint, name)),
                      context_of(nb::none())};
  });
}

void bind_operator_class(Module& m) {
  Class<PyOperator>(
      m, "LinearOperator",
      "A linear map A from arrays of shape `domain` to arrays of shape `range`, and its adjoint A^H under the inner\n"
      "product sum conj(a) b.\n\n"
      "    A @ x, A(x)      A x            A.H      the adjoint, an operator\n"
      "    A.forward(x)     the same       A.normal A^H A, an operator that uses A's fastest way\n"
      "    A.adjoint(y)     A^H y          A @ B, A + B, A - B, 2 * A, -A, whorl.operators.stack(A, B, ...)\n\n"
      "Arrays are complex64 or complex128 as the operator is (`dtype`), on the device of its context. Real arrays and\n"
      "other memory orders are copied; narrower types are widened, wider ones rounded (PrecisionWarning). Axes in "
      "front\n"
      "are a batch. Axes of length 1 in front may be left out, and samples may be [..., spoke, readout].\n"
      "Results have the framework of the input. With\n"
      "`out`, an array in C order, nothing is allocated. Several threads may apply an operator at once; on a GPU\n"
      "they take turns.\n\n"
      "Raises ShapeError, DeviceError, ValueError (an argument and the result overlap), TypeError")
      .def(property<"domain(self) -> tuple[int, ...]">([](const PyOperator& self) { return to_tuple(self.domain()); },
                                                       "Shape of x in A x."))
      .def(property<"range(self) -> tuple[int, ...]">([](const PyOperator& self) { return to_tuple(self.range()); },
                                                      "Shape of A x."))
      .def_prop_ro(
          "name", [](const PyOperator& self) { return self.name(); }, "What it is called in messages.")
      .def(property<"dtype(self) -> numpy.dtype">(
          [](const PyOperator& self) { return numpy_dtype(self.is_double(), true); },
          "complex64 or complex128: that of its arrays."))
      .def_prop_ro(
          "context", [](const PyOperator& self) { return self.ctx; }, "The context that it runs in.")
      .def(method<"forward(self, x: object, out: object = None) -> Any">(
          &apply<Way::forward>, "A x: from an array of shape `domain` one of shape `range`."))
      .def(method<"adjoint(self, y: object, out: object = None) -> Any">(
          &apply<Way::adjoint>, "A^H y: from an array of shape `range` one of shape `domain`."))
      .def(method<"apply_normal(self, x: object, out: object = None) -> Any">(
          &apply<Way::normal>,
          "A^H A x, by the operator's fastest way: from an array of shape `domain` one of that shape."))
      .def(method<"__call__(self, x: object, out: object = None) -> Any">(&apply<Way::forward>))
      .def_prop_ro(
          "H", [](const PyOperator& self) { return changed(self, [](const auto& op) { return op.adjoint(); }); },
          "The adjoint A^H.")
      .def_prop_ro(
          "normal", [](const PyOperator& self) { return changed(self, [](const auto& op) { return op.normal(); }); },
          "A^H A, by the operator's fastest way.")
      .def(method<"__matmul__(self, x: Any) -> Any">([](const PyOperator& self, nb::handle x) -> nb::object {
        if (nb::isinstance<PyOperator>(x)) {
          return nb::cast(
              combined(self, nb::cast<const PyOperator&>(x), [](const auto& a, const auto& b) { return a * b; }));
        }
        return apply<Way::forward>(self, x, nb::none());
      }))
      .def(
          "__add__",
          [](const PyOperator& self, const PyOperator& other) {
            return combined(self, other, [](const auto& a, const auto& b) { return a + b; });
          },
          nb::is_operator())
      .def(
          "__sub__",
          [](const PyOperator& self, const PyOperator& other) {
            return combined(self, other, [](const auto& a, const auto& b) { return a - b; });
          },
          nb::is_operator())
      .def("__mul__", &scaled, nb::is_operator())
      .def("__rmul__", &scaled, nb::is_operator())
      .def(CopiesAreItself())
      .def(NotPickled("pickle what it is made of (points and options), and make it again"))
      .def(
          "__truediv__",
          [](const PyOperator& self, std::complex<double> by) {
            if (by == 0.0) throw ValueError(self.name() + " / 0: expected another number");
            return scaled(self, 1.0 / by);
          },
          nb::is_operator())
      .def("__neg__", [](const PyOperator& self) { return scaled(self, -1); })
      .def("__repr__", [](const PyOperator& self) {
        return "<whorl." + self.name() + " " + to_string(self.domain()) + " -> " + to_string(self.range()) + ", " +
               (self.is_double() ? "complex128" : "complex64") + ", " + to_string(self.ctx.device()) + ">";
      });
  // Numbers of NumPy leave 2 * A to the operator.
  m.attr("LinearOperator").attr("__array_ufunc__") = nb::none();
}

}  // namespace

void bind_op(Module& m) {
  bind_operator_class(m);
  def<"stack(*operators: LinearOperator) -> LinearOperator">(
      m, &stacked,
      R"(All operators on one x: y = (A x, B x, ...), joined along the first axis where the other axes agree, else all
elements one after another.

Raises ShapeError (none, or domains that differ))");
  m.def(
      "block_diagonal",
      [](const PyOperator& block, Index count) {
        return changed(block, [count](const auto& op) {
          using Real = real_of<decltype(op)>;
          return Operator<Real>(BlockDiagonal<Real>(op, count));
        });
      },
      nb::arg("block"), nb::arg("count"),
      "The same operator on each of `count` arrays: domain [count, ...], range [count, ...].\n\n"
      "Raises ShapeError (a count below 1)");
  def<"function_operator(domain: Shape, range: Shape, forward: Function, adjoint: Function, *, dtype: "
      "object = 'complex64', name: str = 'function') -> LinearOperator">(
      m, &function_operator,
      R"(An operator of two functions of Python, on the host: each takes a NumPy array and returns one.
`adjoint` has to be the adjoint of `forward`: sum conj(forward(x)) y = sum conj(x) adjoint(y).

Shapes  forward: domain to range, adjoint: range to domain
Raises  ValueError (another dtype). When it is applied: ShapeError (a function that returns another shape), TypeError,
        and what the functions raise)");
}

}  // namespace whorl::python
