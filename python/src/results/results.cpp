// What a reconstruction returns.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "options.hpp"
#include "run.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl::python {

namespace {

template <class T>
nb::object array_or_none(const Array<T>& array, nb::handle owner) {
  return array.size() > 0 ? view_of(array.ref(), owner) : nb::none();
}

}  // namespace

void bind_results(nb::module_& m) {
  nb::class_<Certificate>(m, "Certificate",
                          "How far the encoding operator of a slice is from the exact model, |A~ x - A x| / |A x|.")
      .def_ro("slice", &Certificate::slice, "Index of the slice.")
      .def_ro("samples", &Certificate::samples, "That were drawn, and computed by the exact model in all coils.")
      .def_ro("relative_error", &Certificate::relative_error, "The estimate.")
      .def_ro("bound", &Certificate::bound, "With a confidence of 99 % the error is below this.");
  nb::class_<LambdaChoice>(m, "LambdaChoice", "A lambda that was chosen from the data.")
      .def_ro("value", &LambdaChoice::lambda, "The lambda, for an encoding operator of norm 1.")
      .def_ro("reason", &LambdaChoice::reason, "Sentences: the result and why.")
      .def_prop_ro(
          "curve",
          [](const LambdaChoice& self) {
            nb::dict columns;
            const auto add = [&](const char* name, double LambdaPoint::*member) {
              Array<double> column(Context(), {static_cast<Index>(self.curve.points.size())});
              for (std::size_t i = 0; i < self.curve.points.size(); ++i) {
                column.data()[i] = self.curve.points[i].*member;
              }
              columns[name] = to_python(std::move(column));
            };
            add("lambda", &LambdaPoint::lambda);
            add("residual", &LambdaPoint::residual);
            add("penalty", &LambdaPoint::penalty);
            add("freedom", &LambdaPoint::freedom);
            return columns;
          },
          nb::sig("def curve(self) -> dict[str, numpy.ndarray]"),
          "What it was chosen on, for each lambda that was tried: |A x - d|^2, |W x|^2 and the degrees of freedom.")
      .def_prop_ro(
          "method", [](const LambdaChoice& self) { return to_string(self.method); },
          "Name of the method that chose it.");

  nb::class_<Reconstruction>(
      m, "Reconstruction",
      "The images of a scan, and how they were made: what recon and reconstruct_subspace return.\n\n"
      "Arrays are views of its memory; those that were not asked for are None.")
      .def_prop_ro(
          "images", [](nb::handle self) { return view_of(nb::cast<const Reconstruction&>(self).images.ref(), self); },
          nb::sig("def images(self) -> numpy.ndarray"), "complex64 [frame, z, y, x], z = 1 in 2D; not a copy.")
      .def_ro("frames", &Reconstruction::frames, "Index and geometry of each image.")
      .def_ro("reports", &Reconstruction::reports, "cg-sense: one for each image.")
      .def_prop_ro(
          "notes", [](const Reconstruction& self) { return with_keywords(self.notes); },
          "Sentences: choices and findings.")
      .def_ro("stage_seconds", &Reconstruction::stage_seconds,
              "Names of the stages in their order, and the time of each in seconds.")
      .def_prop_ro(
          "lambdas",
          [](const Reconstruction& self) {
            std::vector<std::pair<int, LambdaChoice>> lambdas;
            for (const SliceLambda& one : self.lambdas) lambdas.emplace_back(one.slice, one.choice);
            return lambdas;
          },
          "Slice and choice, where lambda_ is the name of a method.")
      .def_prop_ro(
          "parts", [](nb::handle self) { return array_or_none(nb::cast<const Reconstruction&>(self).parts, self); },
          nb::sig("def parts(self) -> numpy.ndarray | None"),
          "complex64 [frame, part, z, y, x], with keep_parts: low rank and sparse, or few edges and few changes in "
          "time")
      .def_prop_ro(
          "coil_maps",
          [](nb::handle self) { return array_or_none(nb::cast<const Reconstruction&>(self).coil_maps, self); },
          nb::sig("def coil_maps(self) -> numpy.ndarray | None"),
          "complex64 [slice, set, coil, z, y, x], with keep_maps; those of nlinv are of the last frame of each slice")
      .def_prop_ro(
          "set_images",
          [](nb::handle self) { return array_or_none(nb::cast<const Reconstruction&>(self).set_images, self); },
          nb::sig("def set_images(self) -> numpy.ndarray | None"),
          "complex64 [frame, set, z, y, x], of nlinv with sets")
      .def_ro("certificates", &Reconstruction::certificates, "One for each slice, with `certify`.")
      .def_prop_ro(
          "stddev",
          [](nb::handle self) {
            return array_or_none(nb::cast<const Reconstruction&>(self).error_bars.standard_deviation, self);
          },
          nb::sig("def stddev(self) -> numpy.ndarray | None"),
          "Of the image by noise, in its unit: float32 [frame, z, y, x].")
      .def_prop_ro(
          "gfactor",
          [](nb::handle self) {
            return array_or_none(nb::cast<const Reconstruction&>(self).error_bars.g_factor, self);
          },
          nb::sig("def gfactor(self) -> numpy.ndarray | None"),
          "What undersampling adds to the noise: float32 [frame, z, y, x].")
      .def_prop_ro(
          "bias",
          [](nb::handle self) { return array_or_none(nb::cast<const Reconstruction&>(self).error_bars.bias, self); },
          nb::sig("def bias(self) -> numpy.ndarray | None"),
          "With the image in place of the object: complex64 [frame, z, y, x].")
      .def_prop_ro(
          "psf",
          [](nb::handle self) {
            return array_or_none(nb::cast<const Reconstruction&>(self).error_bars.point_spreads, self);
          },
          nb::sig("def psf(self) -> numpy.ndarray | None"), "Those of the first frame: complex64 [point, z, y, x].")
      .def_prop_ro(
          "psf_widths", [](const Reconstruction& self) { return self.error_bars.spread_widths; },
          "[point]: full widths at half maximum along z (in 3D), y, x, in pixels.")
      .def(
          "write",
          [](const Reconstruction& self, const std::filesystem::path& path, bool is_complex) {
            const ImageOptions options{.part = is_complex ? ImagePart::complex : ImagePart::magnitude, .png = {}};
            return run(context_of(nb::none()), [&](const Context& ctx) {
              return write_image(ctx, path, self.images, self.frames, options).files;
            });
          },
          nb::arg("path"), nb::kw_only(), nb::arg("complex") = false,
          nb::sig("def write(self, path: str | os.PathLike, *, complex: bool = False) -> list[pathlib.Path]"),
          "Writes the images with their positions: .nii, .nii.gz, .dcm, .npy, .h5, .png. Returns the files.\n\n"
          "Raises  ValueError (an extension of no format; DICOM without a field of view), IoError")
      .def("__repr__", [](const Reconstruction& self) {
        return "<whorl.Reconstruction of images " + to_string(self.images.shape()) + ">";
      });
}

}  // namespace whorl::python
