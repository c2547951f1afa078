// Whole reconstructions.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <algorithm>

#include <memory>

#include "arrays.hpp"
#include "bindings.hpp"
#include "options.hpp"
#include "run.hpp"
#include "whorl/filter/complex_images.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/io/reference_file.hpp"
#include "whorl/recon/estimate_coil_maps.hpp"
#include "whorl/recon/option_tables.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl::python {

namespace {

const OptionsOf& recon_options() {
  // Saved normals are files of the command line.
  static const OptionsOf options = options_of<ReconOptions>({.but = {"keep-normals", "lambda"}});
  return options;
}

const OptionsOf& search_options() {
  static const OptionsOf options = options_of<LambdaSearchOptions>({.but = {"method"}});
  return options;
}

std::shared_ptr<const ReferenceImage> reference_from(const Context& ctx, nb::handle object, const char* name,
                                                     ReferenceImage (*read)(const Context&,
                                                                            const std::filesystem::path&)) {
  if (nb::isinstance<ReferenceImage>(object)) return nb::cast<std::shared_ptr<ReferenceImage>>(object);
  std::filesystem::path path;
  if (!nb::try_cast(object, path)) {
    Input values(object, name);
    ReferenceImage image{"an array of Python", host_copy<float>(values), {}};
    image.affine.in_scanner = false;
    return std::make_shared<const ReferenceImage>(std::move(image));
  }
  return std::make_shared<const ReferenceImage>(run(ctx.host(), [&](const Context& host) { return read(host, path); }));
}

void take_lambda(ReconOptions& options, nb::handle lambda, nb::handle search) {
  if (nb::isinstance<nb::str>(lambda)) {
    LambdaSearchOptions chosen;
    option_table<LambdaSearchOptions>().set(chosen, "method", nb::cast<std::string>(lambda));
    if (!search.is_none()) {
      nb::dict rest = nb::borrow<nb::dict>(nb::module_::import_("builtins").attr("dict")(search));
      take_options(rest, &chosen, search_options());
      refuse_rest(rest, "lambda_search", {search_options()});
    }
    options.lambda_search = chosen;
    return;
  }
  if (!search.is_none())
    throw ValueError("recon: lambda_search has an effect only where lambda_ is the name of a method");
  if (!lambda.is_none())
    option_table<ReconOptions>().set(options, "lambda", nb::cast<double>(nb::float_(nb::borrow(lambda))));
}

// A support that is no word of the table: an image.
void take_support(const Context& ctx, nb::dict& keywords, ReconOptions& options) {
  if (!keywords.contains("support")) return;
  const nb::object given = keywords["support"];
  if (nb::isinstance<nb::str>(given)) {
    const auto& table = option_table<ReconOptions>();
    const auto& words = table.bindings()[table.index_of("support")].what.choices;
    if (std::find(words.begin(), words.end(), nb::cast<std::string>(given)) != words.end()) return;
  }
  options.support = ImageSupport::image;
  options.support_image = reference_from(ctx, given, "support", &read_reference);
  keywords.attr("pop")("support");
}

// What has no place in a table, and the options of the table.
ReconOptions options_from_call(const Context& ctx, const char* function, nb::handle lambda, nb::handle search,
                               nb::handle prior, nb::handle points, nb::handle filter, const nb::kwargs& keywords) {
  ReconOptions options;
  take_lambda(options, lambda, search);
  if (!prior.is_none()) {
    options.penalty = PenaltyKind::prior;
    if (nb::isinstance<nb::list>(prior) || nb::isinstance<nb::tuple>(prior)) {
      for (const nb::handle one : prior)
        options.references.push_back(reference_from(ctx, one, "prior", &read_reference));
    } else {
      options.references.push_back(reference_from(ctx, prior, "prior", &read_reference));
    }
  }
  if (!points.is_none()) {
    options.error_bars.points = nb::cast<std::vector<std::array<Index, 3>>>(points);
  }
  if (!filter.is_none()) {
    const auto text = nb::cast<std::string>(filter);
    const auto made = std::make_shared<const ComplexImageFilter>(text);
    options.filter = ImageHook{
        text, [made](const Shape& shape) { made->check(shape); },
        [made](const Context& c, const Array<std::complex<float>>& images) { return made->apply(c, images); }};
  }
  nb::dict rest = nb::borrow<nb::dict>(nb::module_::import_("builtins").attr("dict")(keywords));
  take_support(ctx, rest, options);
  take_options(rest, &options, recon_options());
  refuse_rest(rest, function, {recon_options()});
  return options;
}

template <class T>
nb::object array_or_none(const Array<T>& array, nb::handle owner) {
  return array.size() > 0 ? view_of(array.ref(), owner) : nb::none();
}

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
          "method", [](const LambdaChoice& self) { return to_string(self.method); },
          "Name of the method that chose it.");

  nb::class_<Reconstruction>(
      m, "Reconstruction",
      "The images of a scan, and how they were made: what reconstruct and reconstruct_subspace return.\n\n"
      "Arrays are views of its memory; those that were not asked for are None.")
      .def_prop_ro(
          "images", [](nb::handle self) { return view_of(nb::cast<const Reconstruction&>(self).images.ref(), self); },
          nb::sig("def images(self) -> numpy.ndarray"), "complex64 [frame, z, y, x], z = 1 in 2D; not a copy.")
      .def_ro("frames", &Reconstruction::frames, "Index and geometry of each image.")
      .def_ro("reports", &Reconstruction::reports, "cg-sense: one for each image.")
      .def_ro("notes", &Reconstruction::notes, "Sentences: choices and findings.")
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
          "standard_deviation",
          [](nb::handle self) {
            return array_or_none(nb::cast<const Reconstruction&>(self).error_bars.standard_deviation, self);
          },
          nb::sig("def standard_deviation(self) -> numpy.ndarray | None"),
          "Of the image by noise, in its unit: float32 [frame, z, y, x].")
      .def_prop_ro(
          "g_factor",
          [](nb::handle self) {
            return array_or_none(nb::cast<const Reconstruction&>(self).error_bars.g_factor, self);
          },
          nb::sig("def g_factor(self) -> numpy.ndarray | None"),
          "What undersampling adds to the noise: float32 [frame, z, y, x].")
      .def_prop_ro(
          "bias",
          [](nb::handle self) { return array_or_none(nb::cast<const Reconstruction&>(self).error_bars.bias, self); },
          nb::sig("def bias(self) -> numpy.ndarray | None"),
          "With the image in place of the object: complex64 [frame, z, y, x].")
      .def_prop_ro(
          "point_spreads",
          [](nb::handle self) {
            return array_or_none(nb::cast<const Reconstruction&>(self).error_bars.point_spreads, self);
          },
          nb::sig("def point_spreads(self) -> numpy.ndarray | None"),
          "Those of the first frame: complex64 [point, z, y, x].")
      .def_prop_ro(
          "spread_widths", [](const Reconstruction& self) { return self.error_bars.spread_widths; },
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

void bind_reference(nb::module_& m) {
  nb::class_<ReferenceImage>(m, "ReferenceImage",
                             "An image of another contrast, for an anatomical prior, and its position.")
      .def(
          "__init__",
          [](ReferenceImage* self, nb::handle values_object, nb::handle affine_object) {
            Input values(values_object, "values");
            ReferenceImage image{"an array of Python", host_copy<float>(values), {}};
            image.affine.in_scanner = !affine_object.is_none();
            if (!affine_object.is_none()) {
              Input affine(affine_object, "affine");
              const auto rows = affine.rounded_to<double>();
              if (rows.rank() != 2 || rows.extent(0) < 3 || rows.extent(1) != 4) {
                throw ShapeError("affine has shape " + to_string(rows.shape()) + ", expected [3, 4] or [4, 4]");
              }
              const auto view = rows.view<2>();
              for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 4; ++j) image.affine.matrix[i][j] = view(i, j);
              }
            }
            new (self) ReferenceImage(std::move(image));
          },
          nb::arg("values"), nb::arg("affine").none() = nb::none(),
          nb::sig("def __init__(self, values: object, affine: object = None) -> None"),
          "values [z, y, x] or [y, x]; affine [3, 4] from voxels (x, y, z) to RAS+ millimeters, without it unknown.\n\n"
          "Raises  ShapeError, TypeError")
      .def_prop_ro(
          "values",
          [](nb::handle self) { return view_of(nb::cast<const ReferenceImage&>(self).values.ref(), self, true); },
          nb::sig("def values(self) -> numpy.ndarray"), "float32 [z, y, x], read only, a view of its memory.");
  m.def(
      "read_reference",
      [](const std::filesystem::path& path) {
        return run(context_of(nb::none()), [&](const Context& ctx) { return read_reference(ctx, path); });
      },
      nb::arg("path"),
      "A reference image from a file of one volume or slice, of any format of arrays; of complex values the "
      "magnitude.\n\n"
      "Raises  ShapeError (several volumes, one axis only), ValueError (a value that is not finite), IoError");
}

}  // namespace

void bind_recon(nb::module_& m) {
  bind_results(m);
  bind_reference(m);
  static const std::vector<OptionsOf> options{recon_options()};
  const std::string last =
      "lambda_: float | typing.Literal['gcv', 'lcurve', 'discrepancy', 'spectrum'] = 0.0001, lambda_search: dict[str, "
      "typing.Any] | None = None, prior: object = None, points: collections.abc.Sequence[tuple[int, int, int]] | None "
      "= "
      "None, filter: str | None = None, field_map: object = None, r2star: object = None, context: Context | str | None "
      "= None";
  m.def(
      "reconstruct",
      [](nb::handle scan_object, nb::handle lambda, nb::handle search, nb::handle prior, nb::handle points,
         nb::handle filter, nb::handle field_map, nb::handle r2_star, nb::handle context, const nb::kwargs& keywords) {
        if (!nb::isinstance<Scan>(scan_object)) {
          throw nb::type_error(
              "recon: scan has to be a whorl.Scan; whorl.read_scan(path) makes one of a file, "
              "whorl.Scan(trajectory, matrix, data) of arrays");
        }
        const auto& scan = nb::cast<const Scan&>(scan_object);
        const Context ctx = context_of(context);
        ReconOptions chosen = options_from_call(ctx, "recon", lambda, search, prior, points, filter, keywords);
        if (!field_map.is_none()) chosen.signal.field_map = reference_from(ctx, field_map, "field_map", &read_map);
        if (!r2_star.is_none()) chosen.signal.r2_star = reference_from(ctx, r2_star, "r2star", &read_map);
        return run(ctx, [&](const Context& c) { return reconstruct(c, scan, chosen); });
      },
      nb::arg("scan").none(), nb::kw_only(), nb::arg("lambda_").none() = nb::none(),
      nb::arg("lambda_search").none() = nb::none(), nb::arg("prior").none() = nb::none(),
      nb::arg("points").none() = nb::none(), nb::arg("filter").none() = nb::none(),
      nb::arg("field_map").none() = nb::none(), nb::arg("r2star").none() = nb::none(),
      nb::arg("context").none() = nb::none(), nb::arg("options"),
      nb::sig(signature("reconstruct", "scan: Scan", options, last, "Reconstruction")),
      with_options(
          "Reconstructs every frame of a scan, which stays as it is.\n\n"
          "lambda_        weight of the penalty, for an encoding operator of norm 1, or the method that chooses it\n"
          "lambda_search  options of that method: probes, seed, lowest, highest, ...\n"
          "prior          a ReferenceImage, an array [(z,) y, x], the path of a file, or a list of these: edges "
          "of\n"
          "               another contrast\n"
          "support        as below, or an image like a prior's: the solver holds voxels at 0 where it is not above "
          "1/2\n"
          "points         voxels (x, y, z) whose point spread functions are wanted\n"
          "filter         a pipeline of filters for the images: 'gibbs'\n"
          "field_map      off-resonance in Hz, and\n"
          "r2star         R2* in 1/s, each a ReferenceImage, an array [(z,) y, x] or the path of a file\n\n"
          "Raises  ValueError, ShapeError, Cancelled\n"
          "Source  Pruessmann et al., Magn Reson Med 46 (2001) 638",
          options));
  m.attr("recon") = m.attr("reconstruct");

  static const std::vector<OptionsOf> map_options{options_of<ReconOptions>(
      {.but = {
           "keep-normals",       "lambda",          "regularize", "solver",        "method",         "iterations",
           "tolerance",          "combine",         "mask",       "dwell",         "readout-start",  "signal-tolerance",
           "larmor-mhz",         "certify",         "penalty",    "prior-noise",   "prior-contrast", "transform",
           "standard-deviation", "g-factor",        "bias",       "stddev-method", "replicas",       "noise-seed",
           "noise-iterations",   "noise-tolerance", "noise",      "batch",         "change",         "keep-maps",
           "keep-parts",         "support"}})};
  m.def(
      "estimate_coil_maps",
      [](const Scan& scan, nb::handle context, const nb::kwargs& keywords) {
        const auto chosen = options_from<ReconOptions>(keywords, "estimate_coil_maps", map_options[0]);
        return to_python(run(context_of(context), [&](const Context& ctx) {
          return std::move(estimate_coil_maps(ctx, clone(ctx, scan), chosen).maps);
        }));
      },
      nb::arg("scan"), nb::kw_only(), nb::arg("context").none() = nb::none(), nb::arg("options"),
      nb::sig(signature("estimate_coil_maps", "scan: Scan", map_options, "context: Context | str | None = None",
                        "numpy.ndarray")),
      with_options("The coil maps that `reconstruct` uses, of the prewhitened and compressed coils.\n\n"
                   "Shapes  complex64 [slice, coil, z, y, x], z = 1 in 2D\n"
                   "Raises  ValueError (no frames, options out of range or without effect), ShapeError, Cancelled",
                   map_options));
  m.def(
      "reconstruction_memory",
      [](const Scan& scan, nb::handle context, const nb::kwargs& keywords) {
        const auto chosen = options_from<ReconOptions>(keywords, "reconstruction_memory", options[0]);
        return run(context_of(context), [&](const Context& ctx) { return reconstruction_memory(ctx, scan, chosen); });
      },
      nb::arg("scan"), nb::kw_only(), nb::arg("context").none() = nb::none(), nb::arg("options"),
      nb::sig(signature("reconstruction_memory", "scan: Scan", options, "context: Context | str | None = None", "int")),
      "Peak bytes of `reconstruct` on the context's device, with the same options.\n\n"
      "Raises  ValueError, ShapeError (what reconstruct refuses before it begins)");
}

}  // namespace whorl::python
