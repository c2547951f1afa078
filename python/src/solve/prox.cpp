// Proximal functions, and the operators that are used with them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <memory>

#include "arrays.hpp"
#include "bindings.hpp"
#include "copies.hpp"
#include "described.hpp"
#include "operators.hpp"
#include "run.hpp"
#include "solve/function_proximal.hpp"
#include "solve/prox.hpp"
#include "whorl/op/differences.hpp"
#include "whorl/op/wavelet.hpp"
#include "whorl/prox/box.hpp"
#include "whorl/prox/l1.hpp"
#include "whorl/prox/l2_ball.hpp"
#include "whorl/prox/locally_low_rank.hpp"
#include "whorl/prox/low_rank.hpp"
#include "whorl/prox/wavelet_l1.hpp"

namespace whorl::python {

namespace {

template <class Make>
PyProximal made_proximal(nb::handle dtype, const Make& make) {
  return with_precision(is_double_dtype(dtype), [&](auto real) {
    using Real = decltype(real);
    return PyProximal{ProximalPointer<Real>(make(real))};
  });
}

DifferenceAxes named_axes(const char* option, const std::string& names) {
  if (names.find_first_not_of("xyzt") != std::string::npos) {
    throw ValueError("Differences: " + std::string(option) + " is '" + names + "', expected some of x, y, z and t");
  }
  const auto named = [&](char axis) { return names.find(axis) != std::string::npos; };
  return {named('t'), named('z'), named('y'), named('x')};
}

void bind_proximal_class(Module& m) {
  Class<PyProximal>(m, "ProximalFunction",
                    "A convex function g of arrays of one shape, with its proximal operator\n"
                    "prox_{t g}(x) = argmin_z t g(z) + |z - x|^2 / 2.\n\n"
                    "Source  Parikh and Boyd, Found Trends Optim 1 (2014) 127")
      .def(property<"domain(self) -> tuple[int, ...]">([](const PyProximal& self) { return to_tuple(self.domain()); },
                                                       "Shape of the arrays that it takes."))
      .def_prop_ro(
          "name",
          [](const PyProximal& self) { return std::visit([](const auto& g) { return g->name(); }, self.function); },
          "What it is called in messages.")
      .def(property<"dtype(self) -> numpy.dtype">(
          [](const PyProximal& self) { return numpy_dtype(self.is_double(), true); },
          "complex64 or complex128: that of its arrays."))
      .def(method<"value(self, x: object) -> float">(
          [](const PyProximal& self, nb::handle x_object) {
            return std::visit(
                [&](const auto& g) {
                  using Real = real_of<decltype(*g)>;
                  Input x(x_object, "x");
                  const auto values = x.as<std::complex<Real>>();
                  return run(context_of(nb::none(), x.device()),
                             [&](const Context& ctx) { return g->value(ctx, values); });
                },
                self.function);
          },
          R"(g(x); of a constraint 0.

Shapes  x domain
Raises  ShapeError, TypeError)"))
      .def(method<"prox(self, x: object, step: float = 1.0) -> Any">(
          [](const PyProximal& self, nb::handle x_object, double step) {
            return std::visit(
                [&](const auto& g) {
                  using Complex = std::complex<real_of<decltype(*g)>>;
                  Input x(x_object, "x");
                  const Context ctx = context_of(nb::none(), x.device());
                  const auto values = x.as<Complex>();
                  Output output(ctx, x.framework(), values.shape(), nb::dtype<Complex>(), nb::none(), "the result");
                  const ArrayRef<Complex> to = output.as<Complex>();
                  run(ctx, [&](const Context& c) {
                    copy<Complex>(c, values, to);
                    g->prox(c, step, to);
                  });
                  return output.take();
                },
                self.function);
          },
          R"(prox_{step g}(x), a new array.

Shapes  x and the result domain
Raises  ShapeError, TypeError)"))
      .def(CopiesAreItself())
      .def(NotPickled("pickle its shape and options, and make it again"))
      .def("__repr__", [](const PyProximal& self) {
        return std::visit([](const auto& g) { return "<whorl." + g->name() + " " + to_string(g->domain()) + ">"; },
                          self.function);
      });
}

void bind_functions(Module& m) {
  def_made<"L1(self, shape: Shape, joint: bool = False, *, dtype: object = 'complex64')">(
      m,
      +[](nb::handle shape, bool joint, nb::handle dtype) {
        const Shape of = shape_from(shape, "shape");
        return made_proximal(dtype, [&](auto real) { return std::make_shared<const L1<decltype(real)>>(of, joint); });
      },
      R"(The sum of magnitudes. joint: of vectors along the first axis, so that of whorl.prox.Differences it is isotropic total
variation.

Shapes  any; [member, ...] with joint
Raises  ShapeError (no elements, joint without two axes)
Source  Donoho, IEEE Trans Inf Theory 41:613 (1995); groups: Yuan and Lin, J R Stat Soc B 68:49 (2006))");
  def_made<
      "Box(self, shape: Shape, low: float = 0.0, high: float = float('inf'), *, dtype: object = "
      "'complex64')">(
      m,
      +[](nb::handle shape, double low, double high, nb::handle dtype) {
        const Shape of = shape_from(shape, "shape");
        return made_proximal(dtype,
                             [&](auto real) { return std::make_shared<const Box<decltype(real)>>(of, low, high); });
      },
      R"(0 where all values are real and within [low, high], infinite elsewhere.

Shapes  any
Raises  ValueError (low above high, or NaN))");
  def_made<"L2Ball(self, center: object, radius: float)">(
      m,
      +[](nb::handle center_object, double radius) {
        Input center(center_object, "center");
        return with_precision(center.is_double(), [&](auto real) {
          using Real = decltype(real);
          return PyProximal{
              ProximalPointer<Real>(std::make_shared<const L2Ball<Real>>(center.shared<std::complex<Real>>(), radius))};
        });
      },
      R"(0 where |x - center| <= radius, infinite elsewhere, in the Euclidean norm of the whole array.

Shapes  those of center, complex, which is not copied and gives the precision
Raises  ValueError (a radius below 0))");
  def_made<
      "WaveletL1(self, shape: Shape, *, taps: int = 8, levels: int = 0, joint: bool = False, shifts: "
      "bool = True, seed: int = 1, approximation: bool = False, dtype: object = 'complex64')">(
      m,
      +[](nb::handle shape, int taps, int levels, bool joint, bool shifts, std::uint64_t seed, bool approximation,
          nb::handle dtype) {
        const Shape of = shape_from(shape, "shape");
        const WaveletL1Options options{{.taps = taps, .levels = levels}, joint, shifts, seed, approximation};
        return made_proximal(dtype,
                             [&](auto real) { return std::make_shared<const WaveletL1<decltype(real)>>(of, options); });
      },
      R"(The sum of magnitudes of Daubechies' wavelet coefficients of all levels, with or without the last level's
`approximation`.

taps    of the filter, 2 to 20; levels  0: chosen; joint  magnitudes over the frames together
shifts  solvers turn the images by other random shifts in each iteration (seed)

Shapes  (y, x), (z, y, x) or (frame, z, y, x)
Raises  ShapeError (another number of axes), ValueError (taps, levels)
Source  Daubechies, Ten lectures on wavelets (1992); Mallat, IEEE Trans Pattern Anal Mach Intell 11:674 (1989))");
  def_made<
      "LocallyLowRank(self, shape: Shape, *, patch: int = 8, shifts: bool = True, seed: int = 1, "
      "dtype: object = 'complex64')">(
      m,
      +[](nb::handle shape, Index patch, bool shifts, std::uint64_t seed, nb::handle dtype) {
        const Shape of = shape_from(shape, "shape");
        const LocallyLowRankOptions options{.patch = patch, .shifts = shifts, .seed = seed};
        return made_proximal(
            dtype, [&](auto real) { return std::make_shared<const LocallyLowRank<decltype(real)>>(of, options); });
      },
      R"(The sum of singular values of the patches of a series of images.

patch   pixels along each axis; shifts  solvers move the patches at random in each iteration (seed)

Shapes    (image, (z,) y, x)
Accuracy  singular values below 1e-7 of the largest are rounding
Raises    ShapeError, ValueError (a patch below 1 pixel), Unsupported (patches that are too large)
Source    Cai, Candes, Shen, SIAM J Optim 20:1956 (2010); Trzasko, Manduca, Proc ISMRM 19:4371 (2011))");
  def_made<"LowRank(self, shape: Shape, *, dtype: object = 'complex64')">(
      m,
      +[](nb::handle shape, nb::handle dtype) {
        const Shape of = shape_from(shape, "shape");
        return made_proximal(dtype, [&](auto real) { return std::make_shared<const LowRank<decltype(real)>>(of); });
      },
      R"(The sum of singular values of a series of images as one matrix.

Shapes    (image, ...)
Accuracy  singular values below 1e-7 of the largest are rounding
Raises    ShapeError (fewer than two axes, no elements)
Source    Cai, Candes, Shen, SIAM J Optim 20:1956 (2010))");
  def_made<
      "Differences(self, image_shape: Shape, axes: str = '', *, cyclic: str = '', dtype: object = "
      "'complex64', context)">(
      m,
      +[](nb::handle shape_object, const std::string& axes, const std::string& cyclic, nb::handle dtype,
          nb::handle context) {
        const Shape shape = shape_from(shape_object, "image_shape");
        const DifferenceAxes chosen = axes.empty()
                                          ? DifferenceAxes{false, shape.rank() > 2 && shape[-3] > 1, true, true}
                                          : named_axes("axes", axes);
        const DifferenceAxes around = named_axes("cyclic", cyclic);
        return with_precision(is_double_dtype(dtype), [&](auto real) {
          using Real = decltype(real);
          return PyOperator{Operator<Real>(Differences<Real>(shape, chosen, around)), context_of(context)};
        });
      },
      R"(Differences between neighbors along some of the axes x, y, z and t (frames), of norm at most 1:
y[a,r] = (x[r+e_a] - x[r]) / (2 sqrt(axes)). Without `axes`: all of the image.

cyclic  those of the axes along which the first pixel is next to the last one; the last one of others has 0

Shapes  domain (y, x), (z, y, x) or (frame, z, y, x); range [axis, ...]
Raises  ShapeError (another number of axes), ValueError (an axis that is none of these, a cyclic one that is none
        of `axes`))");
  def_made<
      "Wavelet(self, image_shape: Shape, *, taps: int = 8, levels: int = 0, dtype: object = "
      "'complex64', context)">(
      m,
      +[](nb::handle shape_object, int taps, int levels, nb::handle dtype, nb::handle context) {
        const Shape shape = shape_from(shape_object, "image_shape");
        return with_precision(is_double_dtype(dtype), [&](auto real) {
          using Real = decltype(real);
          const WaveletOptions options{.taps = taps, .levels = levels};
          return PyOperator{Operator<Real>(Wavelet<Real>(shape, options)), context_of(context)};
        });
      },
      R"(Daubechies' orthogonal wavelet transform of images.

taps    of the filter, 2 to 20; levels  0: chosen

Shapes  domain and range (y, x), (z, y, x) or (frame, z, y, x)
Raises  ShapeError (another number of axes), ValueError (taps, levels)
Source  Daubechies, Ten lectures on wavelets (1992); Mallat, IEEE Trans Pattern Anal Mach Intell 11:674 (1989))");
}

}  // namespace

void bind_prox(Module& m) {
  bind_proximal_class(m);
  bind_functions(m);
  def<"function_proximal(shape: Shape, prox: collections.abc.Callable[..., object], value: "
      "collections.abc.Callable[[Any], float] | None = None, *, dtype: object = 'complex64', name: str "
      "= 'function') -> ProximalFunction">(
      m,
      [](nb::handle shape, const nb::callable& prox, const nb::object& value, nb::handle dtype,
         const std::string& name) {
        const Shape of = shape_from(shape, "shape");
        if (!value.is_none() && !nb::isinstance<nb::callable>(value)) {
          throw nb::type_error("function_proximal: value is no function; expected one that takes x, or None");
        }
        return made_proximal(dtype, [&](auto real) {
          return std::make_shared<const FunctionProximal<decltype(real)>>(of, prox, value, name);
        });
      },
      R"(A proximal function of one's own: a denoiser in the place of a proximal operator makes solvers plug-and-play.

prox   prox(x, step) returns prox_{step g}(x), of the shape of x: NumPy arrays on the host, CuPy's on a GPU. A
       torch.nn.Module gets tensors on its own device, without gradients, and the step if it takes two arguments
value  value(x) returns g(x), for the costs of reports; None: 0

In whorl.recon(regularize=[(g, weight)]) x is an image, or a series [frame, z, y, x], of magnitudes around 1 (its
scale is taken out and put back), of float32.

Shapes  any
Raises  ValueError (another dtype). When it is used: ShapeError (a result of another shape), TypeError, and what the
        functions raise
Source  Venkatakrishnan, Bouman, Wohlberg, GlobalSIP (2013) 945)");
}

}  // namespace whorl::python
