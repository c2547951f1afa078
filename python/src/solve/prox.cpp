// Proximal functions, and the operators that are used with them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <memory>

#include "arrays.hpp"
#include "bindings.hpp"
#include "copies.hpp"
#include "made.hpp"
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

void bind_proximal_class(nb::module_& m) {
  nb::class_<PyProximal>(m, "ProximalFunction",
                         "A convex function g of arrays of one shape, with its proximal operator\n"
                         "prox_{t g}(x) = argmin_z t g(z) + |z - x|^2 / 2.\n\n"
                         "Source  Parikh and Boyd, Found Trends Optim 1 (2014) 127")
      .def_prop_ro(
          "domain", [](const PyProximal& self) { return to_tuple(self.domain()); },
          nb::sig("def domain(self) -> tuple[int, ...]"), "Shape of the arrays that it takes.")
      .def_prop_ro(
          "name",
          [](const PyProximal& self) { return std::visit([](const auto& g) { return g->name(); }, self.function); },
          "What it is called in messages.")
      .def_prop_ro(
          "dtype", [](const PyProximal& self) { return numpy_dtype(self.is_double(), true); },
          nb::sig("def dtype(self) -> numpy.dtype"), "complex64 or complex128: that of its arrays.")
      .def(
          "value",
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
          nb::arg("x"), nb::sig("def value(self, x: object) -> float"),
          "g(x); of a constraint 0.\n\nShapes  x domain\nRaises  ShapeError, TypeError")
      .def(
          "prox",
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
          nb::arg("x"), nb::arg("step") = 1.0, nb::sig("def prox(self, x: object, step: float = 1.0) -> typing.Any"),
          "prox_{step g}(x), a new array.\n\nShapes  x and the result domain\nRaises  ShapeError, TypeError")
      .def(CopiesAreItself())
      .def(NotPickled("pickle its shape and options, and make it again"))
      .def("__repr__", [](const PyProximal& self) {
        return std::visit([](const auto& g) { return "<whorl." + g->name() + " " + to_string(g->domain()) + ">"; },
                          self.function);
      });
}

void bind_functions(nb::module_& m) {
  def_made<struct L1Class>(
      m, "L1",
      +[](nb::handle shape, bool joint, nb::handle dtype) {
        const Shape of = shape_from(shape, "shape");
        return made_proximal(dtype, [&](auto real) { return std::make_shared<const L1<decltype(real)>>(of, joint); });
      },
      nb::arg("shape"), nb::arg("joint") = false, nb::kw_only(), nb::arg("dtype") = "complex64",
      nb::sig("def __init__(self, shape: collections.abc.Sequence[int], joint: bool = False, *, dtype: object = "
              "'complex64') -> "
              "None"),
      "The sum of magnitudes. joint: of vectors along the first axis, so that of whorl.prox.Differences it is "
      "isotropic "
      "total\n"
      "variation.\n\n"
      "Shapes  any; [member, ...] with joint\n"
      "Raises  ShapeError (no elements, joint without two axes)\n"
      "Source  Donoho, IEEE Trans Inf Theory 41:613 (1995); groups: Yuan and Lin, J R Stat Soc B 68:49 (2006)");
  def_made<struct BoxClass>(
      m, "Box",
      +[](nb::handle shape, double low, double high, nb::handle dtype) {
        const Shape of = shape_from(shape, "shape");
        return made_proximal(dtype,
                             [&](auto real) { return std::make_shared<const Box<decltype(real)>>(of, low, high); });
      },
      nb::arg("shape"), nb::arg("low") = 0.0, nb::arg("high") = std::numeric_limits<double>::infinity(), nb::kw_only(),
      nb::arg("dtype") = "complex64",
      nb::sig("def __init__(self, shape: collections.abc.Sequence[int], low: float = 0.0, high: float = float('inf'), "
              "*, dtype: "
              "object = 'complex64') -> None"),
      "0 where all values are real and within [low, high], infinite elsewhere.\n\n"
      "Shapes  any\n"
      "Raises  ValueError (low above high, or NaN)");
  def_made<struct L2BallClass>(
      m, "L2Ball",
      +[](nb::handle center_object, double radius) {
        Input center(center_object, "center");
        return with_precision(center.is_double(), [&](auto real) {
          using Real = decltype(real);
          return PyProximal{
              ProximalPointer<Real>(std::make_shared<const L2Ball<Real>>(center.shared<std::complex<Real>>(), radius))};
        });
      },
      nb::arg("center"), nb::arg("radius"), nb::sig("def __init__(self, center: object, radius: float) -> None"),
      "0 where |x - center| <= radius, infinite elsewhere, in the Euclidean norm of the whole array.\n\n"
      "Shapes  those of center, complex, which is not copied and gives the precision\n"
      "Raises  ValueError (a radius below 0)");
  def_made<struct WaveletL1Class>(
      m, "WaveletL1",
      +[](nb::handle shape, int taps, int levels, bool joint, bool shifts, std::uint64_t seed, bool approximation,
          nb::handle dtype) {
        const Shape of = shape_from(shape, "shape");
        const WaveletL1Options options{{.taps = taps, .levels = levels}, joint, shifts, seed, approximation};
        return made_proximal(dtype,
                             [&](auto real) { return std::make_shared<const WaveletL1<decltype(real)>>(of, options); });
      },
      nb::arg("shape"), nb::kw_only(), nb::arg("taps") = 8, nb::arg("levels") = 0, nb::arg("joint") = false,
      nb::arg("shifts") = true, nb::arg("seed") = 1, nb::arg("approximation") = false, nb::arg("dtype") = "complex64",
      nb::sig(
          "def __init__(self, shape: collections.abc.Sequence[int], *, taps: int = 8, levels: int = 0, joint: bool = "
          "False, shifts: bool = True, seed: int = 1, approximation: bool = False, dtype: object = 'complex64') -> "
          "None"),
      "The sum of magnitudes of Daubechies' wavelet coefficients of all levels, with or without the last level's\n"
      "`approximation`.\n\n"
      "taps    of the filter, 2 to 20; levels  0: chosen; joint  magnitudes over the frames together\n"
      "shifts  solvers turn the images by other random shifts in each iteration (seed)\n\n"
      "Shapes  (y, x), (z, y, x) or (frame, z, y, x)\n"
      "Raises  ShapeError (another number of axes), ValueError (taps, levels)\n"
      "Source  Daubechies, Ten lectures on wavelets (1992); Mallat, IEEE Trans Pattern Anal Mach Intell 11:674 (1989)");
  def_made<struct LocallyLowRankClass>(
      m, "LocallyLowRank",
      +[](nb::handle shape, Index patch, bool shifts, std::uint64_t seed, nb::handle dtype) {
        const Shape of = shape_from(shape, "shape");
        const LocallyLowRankOptions options{.patch = patch, .shifts = shifts, .seed = seed};
        return made_proximal(
            dtype, [&](auto real) { return std::make_shared<const LocallyLowRank<decltype(real)>>(of, options); });
      },
      nb::arg("shape"), nb::kw_only(), nb::arg("patch") = 8, nb::arg("shifts") = true, nb::arg("seed") = 1,
      nb::arg("dtype") = "complex64",
      nb::sig(
          "def __init__(self, shape: collections.abc.Sequence[int], *, patch: int = 8, shifts: bool = True, seed: int "
          "= 1, dtype: object = 'complex64') -> None"),
      "The sum of singular values of the patches of a series of images.\n\n"
      "patch   pixels along each axis; shifts  solvers move the patches at random in each iteration (seed)\n\n"
      "Shapes    (image, (z,) y, x)\n"
      "Accuracy  singular values below 1e-7 of the largest are rounding\n"
      "Raises    ShapeError, ValueError (a patch below 1 pixel), Unsupported (patches that are too large)\n"
      "Source    Cai, Candes, Shen, SIAM J Optim 20:1956 (2010); Trzasko, Manduca, Proc ISMRM 19:4371 (2011)");
  def_made<struct LowRankClass>(
      m, "LowRank",
      +[](nb::handle shape, nb::handle dtype) {
        const Shape of = shape_from(shape, "shape");
        return made_proximal(dtype, [&](auto real) { return std::make_shared<const LowRank<decltype(real)>>(of); });
      },
      nb::arg("shape"), nb::kw_only(), nb::arg("dtype") = "complex64",
      nb::sig("def __init__(self, shape: collections.abc.Sequence[int], *, dtype: object = 'complex64') -> None"),
      "The sum of singular values of a series of images as one matrix.\n\n"
      "Shapes    (image, ...)\n"
      "Accuracy  singular values below 1e-7 of the largest are rounding\n"
      "Raises    ShapeError (fewer than two axes, no elements)\n"
      "Source    Cai, Candes, Shen, SIAM J Optim 20:1956 (2010)");
  def_made<struct DifferencesClass>(
      m, "Differences",
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
      nb::arg("image_shape"), nb::arg("axes") = "", nb::kw_only(), nb::arg("cyclic") = "",
      nb::arg("dtype") = "complex64", nb::arg("context").none() = nb::none(),
      nb::sig(
          "def __init__(self, image_shape: collections.abc.Sequence[int], axes: str = '', *, cyclic: str = '', dtype: "
          "object = 'complex64', context: Context | str | None = None) -> None"),
      "Differences between neighbors along some of the axes x, y, z and t (frames), of norm at most 1:\n"
      "y[a,r] = (x[r+e_a] - x[r]) / (2 sqrt(axes)). Without `axes`: all of the image.\n\n"
      "cyclic  those of the axes along which the first pixel is next to the last one; the last one of others has 0\n\n"
      "Shapes  domain (y, x), (z, y, x) or (frame, z, y, x); range [axis, ...]\n"
      "Raises  ShapeError (another number of axes), ValueError (an axis that is none of these, a cyclic one that is "
      "none\n"
      "        of `axes`)");
  def_made<struct WaveletClass>(
      m, "Wavelet",
      +[](nb::handle shape_object, int taps, int levels, nb::handle dtype, nb::handle context) {
        const Shape shape = shape_from(shape_object, "image_shape");
        return with_precision(is_double_dtype(dtype), [&](auto real) {
          using Real = decltype(real);
          const WaveletOptions options{.taps = taps, .levels = levels};
          return PyOperator{Operator<Real>(Wavelet<Real>(shape, options)), context_of(context)};
        });
      },
      nb::arg("image_shape"), nb::kw_only(), nb::arg("taps") = 8, nb::arg("levels") = 0, nb::arg("dtype") = "complex64",
      nb::arg("context").none() = nb::none(),
      nb::sig("def __init__(self, image_shape: collections.abc.Sequence[int], *, taps: int = 8, levels: int = 0, "
              "dtype: object "
              "= 'complex64', context: Context | str | None = None) -> None"),
      "Daubechies' orthogonal wavelet transform of images.\n\n"
      "taps    of the filter, 2 to 20; levels  0: chosen\n\n"
      "Shapes  domain and range (y, x), (z, y, x) or (frame, z, y, x)\n"
      "Raises  ShapeError (another number of axes), ValueError (taps, levels)\n"
      "Source  Daubechies, Ten lectures on wavelets (1992); Mallat, IEEE Trans Pattern Anal Mach Intell 11:674 (1989)");
}

}  // namespace

void bind_prox(nb::module_& m) {
  bind_proximal_class(m);
  bind_functions(m);
  m.def(
      "function_proximal",
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
      nb::arg("shape"), nb::arg("prox"), nb::arg("value").none() = nb::none(), nb::kw_only(),
      nb::arg("dtype") = "complex64", nb::arg("name") = "function",
      nb::sig(
          "def function_proximal(shape: collections.abc.Sequence[int], prox: collections.abc.Callable[..., object], "
          "value: collections.abc.Callable[[typing.Any], float] | None = None, *, dtype: object = 'complex64', name: "
          "str = 'function') -> ProximalFunction"),
      "A proximal function of one's own: a denoiser in the place of a proximal operator makes solvers "
      "plug-and-play.\n\n"
      "prox   prox(x, step) returns prox_{step g}(x), of the shape of x: NumPy arrays on the host, CuPy's on a GPU. A\n"
      "       torch.nn.Module gets tensors on its own device, without gradients, and the step if it takes two "
      "arguments\n"
      "value  value(x) returns g(x), for the costs of reports; None: 0\n\n"
      "In whorl.recon(regularize=[(g, weight)]) x is an image, or a series [frame, z, y, x], of magnitudes around 1 "
      "(its\n"
      "scale is taken out and put back), of float32.\n\n"
      "Shapes  any\n"
      "Raises  ValueError (another dtype). When it is used: ShapeError (a result of another shape), TypeError, and "
      "what "
      "the\n"
      "        functions raise\n"
      "Source  Venkatakrishnan, Bouman, Wohlberg, GlobalSIP (2013) 945");
}

}  // namespace whorl::python
