// Phantoms with exactly known k-space.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "points.hpp"
#include "run.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/phantom_scan.hpp"
#include "whorl/phantom/shepp_logan.hpp"
#include "whorl/phantom/test_objects.hpp"

namespace whorl::python {

namespace {

void bind_phantoms(nb::module_& m) {
  nb::class_<Phantom>(m, "Phantom", "An object whose k-space is known exactly.")
      .def_ro("name", &Phantom::name)
      .def_ro("dim", &Phantom::dim)
      .def("__repr__", [](const Phantom& self) {
        return "<whorl.Phantom " + self.name + " in " + std::to_string(self.dim) + "D>";
      });
  m.def(
      "shepp_logan",
      [](int dim, const std::string& contrast) {
        if (contrast != "standard" && contrast != "modified") {
          throw ValueError("contrast is '" + contrast + "', expected standard or modified");
        }
        return shepp_logan(dim, contrast == "standard" ? PhantomContrast::standard : PhantomContrast::modified);
      },
      nb::arg("dim") = 2, nb::arg("contrast") = "modified",
      nb::sig(
          "def shepp_logan(dim: int = 2, contrast: typing.Literal['standard', 'modified'] = 'modified') -> Phantom"),
      "The head phantom of Shepp and Logan; `modified` has a visible contrast.");
  m.def("brain_phantom", &brain_phantom, nb::arg("dim") = 2,
        "A head phantom with brain, skull and scalp, R2* and off-resonance.");
  m.def("geometric_phantom", &geometric_phantom, nb::arg("dim") = 2, "A plate with marks at known positions.");
  m.def(
      "resolution_phantom",
      [](const std::array<double, 3>& field_of_view, const std::vector<double>& line_widths, int dim) {
        return resolution_phantom(dim, field_of_view, line_widths);
      },
      nb::arg("field_of_view"), nb::arg("line_widths"), nb::arg("dim") = 2,
      nb::sig("def resolution_phantom(field_of_view: tuple[float, float, float], line_widths: "
              "collections.abc.Sequence[float], dim: int = 2) -> Phantom"),
      "Groups of bars and rods of several line widths; both arguments in one unit, such as pixels or mm.");
}

void bind_phantom_images(nb::module_& m) {
  m.def(
      "rasterize",
      [](const Phantom& phantom, nb::handle matrix, int subsamples, nb::handle dtype) {
        const auto extents = matrix_from(matrix, "matrix");
        return with_precision(is_double_dtype(dtype), [&](auto real) {
          return to_python(run(context_of(nb::none()), [&](const Context& ctx) {
            return rasterize<decltype(real)>(ctx, phantom, extents, subsamples);
          }));
        });
      },
      nb::arg("phantom"), nb::arg("matrix"), nb::arg("subsamples") = 1, nb::kw_only(), nb::arg("dtype") = "float32",
      nb::sig("def rasterize(phantom: Phantom, matrix: collections.abc.Sequence[int], subsamples: int = 1, *, dtype: "
              "object "
              "= 'float32') -> numpy.ndarray"),
      "The object on the grid of an image, each voxel the mean over subsamples^dim points: matrix (x, y(, z)), result\n"
      "[(z,) y, x].");
  const auto map = [&m](const char* name, auto function, const char* doc) {
    m.def(
        name,
        [function](const Phantom& phantom, nb::handle matrix) {
          const auto extents = matrix_from(matrix, "matrix");
          return to_python(
              run(context_of(nb::none()), [&](const Context& ctx) { return function(ctx, phantom, extents); }));
        },
        nb::arg("phantom"), nb::arg("matrix"),
        nb::sig((new std::string(std::string("def ") + name +
                                 "(phantom: Phantom, matrix: collections.abc.Sequence[int]) -> numpy.ndarray"))
                    ->c_str()),
        doc);
  };
  map("r2_star_map", &r2_star_map, "R2* in 1/s at the centers of the voxels, float32 [(z,) y, x].");
  map("field_map", &field_map, "Off-resonance in Hz at the centers of the voxels, float32 [(z,) y, x].");
}

void bind_samples(nb::module_& m) {
  nb::class_<PhantomCoils>(m, "PhantomCoils",
                           "Receive coils with sensitivities that keep the k-space of a phantom exact.")
      .def(
          "maps",
          [](const PhantomCoils& self, nb::handle dtype) {
            return with_precision(is_double_dtype(dtype), [&](auto real) {
              return to_python(run(context_of(nb::none()),
                                   [&](const Context& ctx) { return phantom_coil_maps<decltype(real)>(ctx, self); }));
            });
          },
          nb::arg("dtype") = "complex64", nb::sig("def maps(self, dtype: object = 'complex64') -> numpy.ndarray"),
          "The sensitivities at the centers of the voxels, [coil, (z,) y, x].");
  m.def(
      "make_phantom_coils",
      [](nb::handle matrix, Index coils) {
        const auto extents = matrix_from(matrix, "matrix");
        return run(context_of(nb::none()), [&](const Context& ctx) { return make_phantom_coils(ctx, extents, coils); });
      },
      nb::arg("matrix"), nb::arg("coils"),
      nb::sig("def make_phantom_coils(matrix: collections.abc.Sequence[int], coils: int) -> PhantomCoils"),
      "A ring of circular loops around the z axis, for an image of the matrix (x, y(, z)).");
  m.def(
      "phantom_samples",
      [](const Phantom& phantom, nb::handle matrix, nb::handle points_object, const PhantomCoils* coils) {
        const Points points(points_object);
        const auto extents = matrix_from(matrix, "matrix");
        return to_python(run(context_of(nb::none()), [&](const Context& ctx) {
          if (coils != nullptr) return phantom_coil_samples<double>(ctx, phantom, *coils, points.ref());
          return phantom_samples(ctx, phantom, extents, points.ref());
        }));
      },
      nb::arg("phantom"), nb::arg("matrix"), nb::arg("points"), nb::arg("coils").none() = nb::none(),
      nb::sig("def phantom_samples(phantom: Phantom, matrix: collections.abc.Sequence[int], points: object, coils: "
              "PhantomCoils | None = None) -> numpy.ndarray"),
      "Exact k-space of the object, 1/sqrt(voxels) times the integral of f(r) exp(-2 pi i k.r).\n\n"
      "Shapes  matrix (x, y(, z)), points [sample, dim] in cycles per pixel; complex128 [sample], with coils [coil, "
      "sample]");
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
      "deviation `noise` and a noise scan of `noise_samples`. coils 0: one coil of uniform sensitivity.");
}

}  // namespace

void bind_phantom(nb::module_& m) {
  bind_phantoms(m);
  bind_phantom_images(m);
  bind_samples(m);
}

}  // namespace whorl::python
