// Phantoms with exactly known k-space.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "copies.hpp"
#include "described.hpp"
#include "points.hpp"
#include "run.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/dynamic.hpp"
#include "whorl/phantom/phantom_scan.hpp"
#include "whorl/phantom/shepp_logan.hpp"
#include "whorl/phantom/test_objects.hpp"

namespace whorl::python {

namespace {

void bind_phantoms(Module& m) {
  Class<Phantom>(m, "Phantom",
                 "An object whose k-space is known exactly.\n\n"
                 "shepp_logan, brain_phantom and others make one; rasterize, phantom_samples and phantom_scan take it.")
      .def_ro("name", &Phantom::name, "What it is called in messages and notes.")
      .def_ro("dim", &Phantom::dim, "2 or 3.")
      .def(CopiesAreItself())
      .def("__repr__", [](const Phantom& self) {
        return "<whorl.Phantom " + self.name + " in " + std::to_string(self.dim) + "D>";
      });
  def<"shepp_logan(dim: int = 2, contrast: typing.Literal['standard', 'modified'] = 'modified') -> Phantom">(
      m,
      [](int dim, const std::string& contrast) {
        if (contrast != "standard" && contrast != "modified") {
          throw ValueError("contrast is '" + contrast + "', expected standard or modified");
        }
        return shepp_logan(dim, contrast == "standard" ? PhantomContrast::standard : PhantomContrast::modified);
      },
      R"(The head phantom of Shepp and Logan, in 2D or 3D; `modified` has a visible contrast.

Raises  ValueError (dim not 2 or 3, another contrast)
Source  Shepp and Logan, IEEE Trans Nucl Sci 21:21 (1974))");
  m.def("brain_phantom", &brain_phantom, nb::arg("dim") = 2,
        "A head phantom with brain, skull and scalp, R2* and off-resonance, in 2D or 3D; see r2_star_map and "
        "field_map.\n\n"
        "Raises  ValueError (dim not 2 or 3)");
  m.def("geometric_phantom", &geometric_phantom, nb::arg("dim") = 2,
        "A plate with marks at known positions, in 2D or 3D.\n\nRaises  ValueError (dim not 2 or 3)");
  def<"resolution_phantom(field_of_view: Vector, line_widths: Sequence[float], dim: int = 2) -> Phantom">(
      m,
      [](const std::array<double, 3>& field_of_view, const std::vector<double>& line_widths, int dim) {
        return resolution_phantom(dim, field_of_view, line_widths);
      },
      R"(Groups of bars and rods of several line widths.

Units   field_of_view (x, y, z) and line_widths in one unit: pixels, with (x, y, z) of the image for a field of view, or mm
Raises  ValueError (no line width or one that is not positive, rows that do not fit into the disk))");
}

void bind_phantom_images(Module& m) {
  def<"rasterize(phantom: Phantom, image_shape: Shape, subsamples: int = 1, *, dtype: object = "
      "'float32') -> Array">(
      m,
      [](const Phantom& phantom, nb::handle image_shape, int subsamples, nb::handle dtype) {
        const auto extents = matrix_from(image_shape);
        return with_precision(is_double_dtype(dtype), [&](auto real) {
          return to_python(run(context_of(nb::none()), [&](const Context& ctx) {
            return rasterize<decltype(real)>(ctx, phantom, extents, subsamples);
          }));
        });
      },
      R"(The object on the grid of an image, each voxel the mean over subsamples^dim points.

Shapes  image_shape ((z,) y, x), result [(z,) y, x]
Raises  ValueError (an image_shape of another dim than the phantom, subsamples outside 1 to 64, another dtype), Cancelled)");
  const auto map = [&m](const char* name, auto function, const char* doc) {
    def<"(phantom: Phantom, image_shape: Shape) -> Array">(
        m, name,
        [function](const Phantom& phantom, nb::handle image_shape) {
          const auto extents = matrix_from(image_shape);
          return to_python(
              run(context_of(nb::none()), [&](const Context& ctx) { return function(ctx, phantom, extents); }));
        },
        doc);
  };
  map("r2_star_map", &r2_star_map,
      "R2* in 1/s at the centers of the voxels, float32 [(z,) y, x].\n\n"
      "Raises  ValueError (an image_shape of another dim than the phantom, an extent below 1)");
  map("field_map", &field_map,
      "Off-resonance in Hz at the centers of the voxels, float32 [(z,) y, x].\n\n"
      "Raises  ValueError (an image_shape of another dim than the phantom, an extent below 1)");
}

void bind_samples(Module& m) {
  Class<PhantomCoils>(m, "PhantomCoils", "Receive coils with sensitivities that keep the k-space of a phantom exact.")
      .def(method<"maps(self, dtype: object = 'complex64') -> Array">(
          [](const PhantomCoils& self, nb::handle dtype) {
            return with_precision(is_double_dtype(dtype), [&](auto real) {
              return to_python(run(context_of(nb::none()),
                                   [&](const Context& ctx) { return phantom_coil_maps<decltype(real)>(ctx, self); }));
            });
          },
          R"(The sensitivities at the centers of the voxels, [coil, (z,) y, x].

Raises  ValueError (another dtype))"));
  def<"make_phantom_coils(image_shape: Shape, coils: int) -> PhantomCoils">(
      m,
      [](nb::handle image_shape, Index coils) {
        const auto extents = matrix_from(image_shape);
        return run(context_of(nb::none()), [&](const Context& ctx) { return make_phantom_coils(ctx, extents, coils); });
      },
      R"(A ring of circular loops around the z axis, for an image of image_shape ((z,) y, x).

Accuracy  of the sensitivities as sums of waves, relative to the loops' fields in the disk or cylinder: below 1 % in 2D
          and 4 % in 3D; maps() and phantom_samples are exact with each other
Raises    ValueError (no coil, more than 1024)
Source    the idea of Guerquin-Kern et al., IEEE Trans Med Imaging 31:626 (2012))");
  def<"phantom_samples(phantom: Phantom, image_shape: Shape, points: object, coils: PhantomCoils | "
      "None = None) -> Array">(
      m,
      [](const Phantom& phantom, nb::handle image_shape, nb::handle points_object, const PhantomCoils* coils) {
        const Points points(points_object);
        const auto extents = matrix_from(image_shape);
        return to_python(run(context_of(nb::none()), [&](const Context& ctx) {
          if (coils != nullptr) return phantom_coil_samples<double>(ctx, phantom, *coils, points.ref());
          return phantom_samples(ctx, phantom, extents, points.ref());
        }));
      },
      R"(Exact k-space of the object, 1/sqrt(voxels) times the integral of f(r) exp(-2 pi i k.r).

Shapes  image_shape ((z,) y, x), points [sample, dim] in cycles per pixel; complex128 [sample], with coils [coil, sample]
Raises  ShapeError, ValueError (an image_shape of another dim than the phantom, coils of another image_shape, points that are not
        finite or too far out), Cancelled)");
  m.def(
      "phantom_scan",
      [](const Phantom& phantom, const Scan& scan, Index coils, double noise, Index noise_samples, std::uint64_t seed) {
        const PhantomScanOptions options{
            .coils = coils, .noise_standard_deviation = noise, .noise_samples = noise_samples, .seed = seed};
        return run(context_of(nb::none()),
                   [&](const Context& ctx) { return phantom_scan(ctx, phantom, clone(ctx, scan), options); });
      },
      nb::arg("phantom"), nb::arg("scan"), nb::kw_only(), nb::arg("coils") = PhantomScanOptions{}.coils,
      nb::arg("noise") = PhantomScanOptions{}.noise_standard_deviation,
      nb::arg("noise_samples") = PhantomScanOptions{}.noise_samples, nb::arg("seed") = PhantomScanOptions{}.seed,
      "Measures a phantom along the trajectories of a scan: a scan with exact data, plus complex noise of the "
      "standard\n"
      "deviation `noise` and a noise scan of `noise_samples`. coils 0: one coil of uniform sensitivity.\n\n"
      "Raises  ShapeError, ValueError (no frame, a phantom or trajectory of another dim than the scan's image_shape, "
      "negative noise,\n"
      "        more than 1024 coils), Cancelled");
}

void bind_dynamic(Module& m) {
  constexpr BeatingOptions usual;
  const auto beating = [](double rate, double stroke, double arrival, double peak, double enhancement) {
    return BeatingOptions{rate, stroke, arrival, peak, enhancement};
  };
  m.def(
      "beating_phantom",
      [beating](double time, double rate, double stroke, double arrival, double peak, double enhancement) {
        return beating_phantom(time, beating(rate, stroke, arrival, peak, enhancement));
      },
      nb::arg("time"), nb::kw_only(), nb::arg("rate_hz") = usual.rate_hz, nb::arg("stroke") = usual.stroke,
      nb::arg("arrival_s") = usual.arrival_s, nb::arg("peak_s") = usual.peak_s,
      nb::arg("enhancement") = usual.enhancement,
      "A 2D object at a time: a body with two still parts, a ventricle that beats, and a vessel whose intensity rises "
      "by\n"
      "contrast_curve.\n\n"
      "rate_hz      beats\n"
      "stroke       part by which the half-axes of the ventricle shrink, by stroke (1 - cos(2 pi rate t)) / 2\n"
      "arrival_s    of the contrast agent, peak_s after it is most, enhancement the intensity that it adds then\n\n"
      "Units   seconds, Hz\n"
      "Raises  ValueError (a stroke outside [0, 1), a rate or peak that is not positive, a time that is not finite)");
  m.def(
      "contrast_curve",
      [](double time, double arrival, double peak, double enhancement) {
        return contrast_curve(time, {.arrival_s = arrival, .peak_s = peak, .enhancement = enhancement});
      },
      nb::arg("time"), nb::kw_only(), nb::arg("arrival_s") = usual.arrival_s, nb::arg("peak_s") = usual.peak_s,
      nb::arg("enhancement") = usual.enhancement,
      "What the contrast agent of beating_phantom adds, a gamma variate: for u = (t - arrival) / peak > 0 it is\n"
      "enhancement u exp(1 - u), else 0. Times in seconds.");
  m.def("t2_phantom", &t2_phantom, nb::arg("echo_time_s"),
        "Disks of T2 30, 50, 80, 120 and 200 ms in a body of 60 ms, a 2D object, at an echo time in seconds: each has\n"
        "exp(-t/T2) of its density, which is 1 (the body 0.8).\n\n"
        "Raises  ValueError (a time below 0 or not finite)");
  def<"t2_phantom_map(image_shape: Shape) -> Array">(
      m,
      [](nb::handle image_shape) {
        const auto extents = matrix_from(image_shape);
        return to_python(run(context_of(nb::none()), [&](const Context& ctx) { return t2_phantom_map(ctx, extents); }));
      },
      R"(The T2 of t2_phantom at the centers of pixels in seconds, 0 where there is nothing: image_shape (y, x), float32 [y, x].

Raises  ValueError (an image_shape that is not 2D, an extent below 1))");
  m.def(
      "dynamic_phantom_scan",
      [](const nb::callable& phantom, const Scan& scan, Index coils, double noise, Index noise_samples,
         std::uint64_t seed) {
        const PhantomScanOptions options{
            .coils = coils, .noise_standard_deviation = noise, .noise_samples = noise_samples, .seed = seed};
        const auto at = [&phantom](double time) {
          const nb::gil_scoped_acquire gil;
          const nb::object made = phantom(time);
          if (!nb::isinstance<Phantom>(made)) {
            throw nb::type_error("dynamic_phantom_scan: the function of the time returned no whorl.phantom.Phantom");
          }
          return nb::cast<Phantom>(made);
        };
        return run(context_of(nb::none()),
                   [&](const Context& ctx) { return dynamic_phantom_scan(ctx, at, clone(ctx, scan), options); });
      },
      nb::arg("phantom"), nb::arg("scan"), nb::kw_only(), nb::arg("coils") = PhantomScanOptions{}.coils,
      nb::arg("noise") = PhantomScanOptions{}.noise_standard_deviation,
      nb::arg("noise_samples") = PhantomScanOptions{}.noise_samples, nb::arg("seed") = PhantomScanOptions{}.seed,
      nb::sig((new std::string(
                   "def dynamic_phantom_scan(phantom: collections.abc.Callable[[float], Phantom], scan: Scan, *, "
                   "coils: int = " +
                   std::to_string(PhantomScanOptions{}.coils) +
                   ", noise: float = 0.0, noise_samples: int = " + std::to_string(PhantomScanOptions{}.noise_samples) +
                   ", seed: int = " + std::to_string(PhantomScanOptions{}.seed) + ") -> Scan"))
                  ->c_str()),
      "As phantom_scan, for an object that changes: readout n of a slice, over all its frames in their order, "
      "measures\n"
      "phantom(n * scan.readout_interval_ms / 1000), which stands still during it. The function gets seconds and "
      "returns a\n"
      "Phantom. A frame whose readout length is unknown is one readout.\n\n"
      "Raises  ValueError (an unknown readout interval), TypeError, what the function raises, Cancelled");
}

}  // namespace

void bind_phantom(Module& m) {
  bind_phantoms(m);
  bind_phantom_images(m);
  bind_samples(m);
  bind_dynamic(m);
}

}  // namespace whorl::python
