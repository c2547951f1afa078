// Whole reconstructions.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>

#include "arrays.hpp"
#include "bindings.hpp"
#include "made.hpp"
#include "operators.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "run.hpp"
#include "scan/make_scan.hpp"
#include "solve/prox.hpp"
#include "whorl/filter/complex_images.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/reference_file.hpp"
#include "whorl/recon/estimate_coil_maps.hpp"
#include "whorl/recon/option_tables.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/usual_lambda.hpp"

namespace whorl::python {

namespace {

const OptionsOf& recon_options() {
  // Saved normals are files of the command line.
  static const OptionsOf options = options_of<ReconOptions>({.but = {"keep-normals", "lambda", "maps"}});
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
    const auto word = nb::cast<std::string>(lambda);
    option_table<LambdaSearchOptions>().set(chosen, "method", word == "auto" ? "gcv" : word);
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

// Terms that are functions of the caller's, beside texts: (g, weight) or g alone. Without any the list stays among the keywords.
void take_own_terms(nb::dict& keywords, ReconOptions& options) {
  if (!keywords.contains("regularize")) return;
  const nb::object given = keywords["regularize"];
  const bool is_list = nb::isinstance<nb::list>(given);
  nb::list texts;
  std::vector<Regularizer> own;
  const auto take = [&](nb::handle item) {
    const auto pair =
        nb::isinstance<nb::tuple>(item) ? nb::borrow<nb::tuple>(item) : nb::make_tuple(nb::borrow(item), 1.0);
    if (pair.size() != 2 || !nb::isinstance<PyProximal>(pair[0])) return texts.append(item);
    Regularizer term{.kind = RegularizerKind::own};
    const auto* function = std::get_if<ProximalPointer<float>>(&nb::cast<const PyProximal&>(pair[0]).function);
    if (function == nullptr) throw ValueError("recon: regularize has a function of complex128, expected complex64");
    term.function = *function;
    if (!nb::try_cast(pair[1], term.weight) || !(term.weight > 0) || !std::isfinite(term.weight)) {
      throw ValueError("recon: regularize has the weight " + nb::cast<std::string>(nb::repr(pair[1])) +
                       ", expected a number above 0");
    }
    own.push_back(std::move(term));
  };
  if (is_list) {
    for (const nb::handle item : given) take(item);
  } else {
    take(given);
  }
  if (own.empty()) return;
  nb::del(keywords["regularize"]);
  if (nb::len(texts) > 0) {
    nb::dict named;
    named["regularize"] = texts;
    take_options(named, &options, recon_options());
  }
  options.regularizers.insert(options.regularizers.end(), own.begin(), own.end());
}

// The scan, and what the call changes of it.
Scan scan_of_call(const Context& ctx, nb::handle object, nb::handle maps, nb::handle sample_weights,
                  ReconOptions& options) {
  std::filesystem::path path;
  if (!nb::isinstance<Scan>(object) && !nb::try_cast(object, path)) {
    throw nb::type_error(
        "recon: scan has to be a whorl.Scan or the path of a file; whorl.Scan(trajectory, image_shape, data) makes one "
        "of "
        "arrays");
  }
  const Context host = ctx.host();
  Scan scan = run(host, [&](const Context& c) {
    return path.empty() ? clone(c, nb::cast<const Scan&>(object)) : read_scan(c, path, {});
  });
  if (!maps.is_none() && !nb::isinstance<nb::str>(maps)) set_maps(scan, maps);
  if (!sample_weights.is_none()) set_sample_weights(scan, sample_weights);
  return run(host, [&](const Context& c) { return weighed(c, std::move(scan), options); });
}

// What has no place in a table, and the options of the table.
ReconOptions options_from_call(const Context& ctx, const char* function, nb::handle lambda, nb::handle search,
                               nb::handle maps, nb::handle prior, nb::handle points, nb::handle filter,
                               const nb::kwargs& keywords) {
  ReconOptions options;
  const OptionTable<ReconOptions>& table = option_table<ReconOptions>();
  take_lambda(options, lambda, search);
  if (!maps.is_none()) table.set(options, "maps", nb::isinstance<nb::str>(maps) ? nb::cast<std::string>(maps) : "file");
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
  take_own_terms(rest, options);
  take_options(rest, &options, recon_options());
  refuse_rest(rest, function, {recon_options()});
  if (const std::size_t at = table.index_of("maps"); !maps.is_none() && !table.applies_to(&options, at)) {
    throw ValueError("reconstruction: maps has an effect only with " + table.bindings()[at].what.applies +
                     "; leave it out");
  }
  return options;
}

void bind_reference(nb::module_& m) {
  nb::class_<ReferenceImage>(m, "ReferenceImage",
                             "An image of another contrast, for an anatomical prior, and its position.", made_by_init())
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
  bind_reference(m);
  static const std::vector<OptionsOf> options{recon_options()};
  const std::string last =
      "lambda_: float | typing.Literal['auto', 'gcv', 'lcurve', 'discrepancy', 'spectrum'] | None = None, "
      "lambda_search: "
      "dict[str, typing.Any] | None = None, maps: object = 'espirit', sample_weights: object = None, prior: object = "
      "None, psf: collections.abc.Sequence[tuple[int, int, int]] | None "
      "= "
      "None, filter: str | None = None, field_map: object = None, r2star: object = None, progress: object = None, "
      "context: Context | str | "
      "None "
      "= None";
  m.def(
      "recon",
      [](nb::handle scan_object, nb::handle lambda, nb::handle search, nb::handle maps, nb::handle sample_weights,
         nb::handle prior, nb::handle points, nb::handle filter, nb::handle field_map, nb::handle r2_star,
         nb::handle progress, nb::handle context, const nb::kwargs& keywords) {
        const Context given = context_of(context);
        const Context ctx = progress.is_none() ? given : given.with(progress_to(progress));
        ReconOptions chosen = options_from_call(ctx, "recon", lambda, search, maps, prior, points, filter, keywords);
        if (!field_map.is_none()) chosen.signal.field_map = reference_from(ctx, field_map, "field_map", &read_map);
        if (!r2_star.is_none()) chosen.signal.r2_star = reference_from(ctx, r2_star, "r2star", &read_map);
        Scan scan = scan_of_call(ctx, scan_object, maps, sample_weights, chosen);
        if (lambda.is_none()) use_usual_lambda(chosen, chosen.signal.weights != nullptr, false);
        return run(ctx, [&](const Context& c) { return reconstruct(c, std::move(scan), chosen); });
      },
      nb::arg("scan").none(), nb::kw_only(), nb::arg("lambda_").none() = nb::none(),
      nb::arg("lambda_search").none() = nb::none(), nb::arg("maps").none() = nb::none(),
      nb::arg("sample_weights").none() = nb::none(), nb::arg("prior").none() = nb::none(),
      nb::arg("psf").none() = nb::none(), nb::arg("filter").none() = nb::none(),
      nb::arg("field_map").none() = nb::none(), nb::arg("r2star").none() = nb::none(),
      nb::arg("progress").none() = nb::none(), nb::arg("context").none() = nb::none(), nb::arg("options"),
      nb::sig(signature("recon", "scan: Scan | str | os.PathLike", options, last, "Reconstruction")),
      with_options(
          "Reconstructs every frame of a scan, or of a file, which stays as it is.\n\n"
          "lambda_        weight of the penalty, for an encoding operator of norm 1, or the method that chooses it; "
          "None: as\n"
          "               the program, 0 beside regularize, 0.1 for penalties of differences, else spectrum\n"
          "lambda_search  options of that method: probes, seed, lowest, highest, ...\n"
          "prior          a ReferenceImage, an array [(z,) y, x], the path of a file, or a list of these: edges "
          "of\n"
          "               another contrast\n"
          "maps           coil maps: espirit, walsh, nlinv, file (those of the scan), or an array [coil, (z,) y, x]\n"
          "sample_weights as Scan.sample_weights, in their place\n"
          "psf            voxels (x, y, z) whose point spread functions are wanted\n"
          "filter         a pipeline of filters for the images: 'gibbs'\n"
          "field_map      off-resonance in Hz, and\n"
          "r2star         R2* in 1/s, each a ReferenceImage, an array [(z,) y, x] or the path of a file\n\n"
          "Raises  ValueError, ShapeError, Cancelled\n"
          "Source  Pruessmann et al., Magn Reson Med 46 (2001) 638",
          options));

  static const std::vector<OptionsOf> map_options{options_of<ReconOptions>(
      {.but = {
           "keep-normals",     "lambda",          "regularize", "solver",        "method",         "iterations",
           "tolerance",        "combine",         "mask",       "dwell",         "readout-start",  "signal-tolerance",
           "larmor-mhz",       "certify",         "penalty",    "prior-noise",   "prior-contrast", "transform",
           "stddev",           "gfactor",         "bias",       "stddev-method", "replicas",       "noise-seed",
           "noise-iterations", "noise-tolerance", "noise",      "batch",         "change",         "keep-maps",
           "keep-parts"}})};
  m.def(
      "estimate_coil_maps",
      [](const Scan& scan, nb::handle context, const nb::kwargs& keywords) {
        auto chosen = options_from<ReconOptions>(keywords, "estimate_coil_maps", map_options[0]);
        return to_python(run(context_of(context), [&](const Context& ctx) {
          Scan copy = weighed(ctx, clone(ctx, scan), chosen);
          return std::move(estimate_coil_maps(ctx, std::move(copy), chosen).maps);
        }));
      },
      nb::arg("scan"), nb::kw_only(), nb::arg("context").none() = nb::none(), nb::arg("options"),
      nb::sig(signature("estimate_coil_maps", "scan: Scan", map_options, "context: Context | str | None = None",
                        "numpy.ndarray")),
      with_options("The coil maps that `recon` uses, of the prewhitened and compressed coils.\n\n"
                   "Shapes  complex64 [slice, coil, z, y, x], z = 1 in 2D\n"
                   "Raises  ValueError (no frames, options out of range or without effect), ShapeError, Cancelled",
                   map_options));
  m.def(
      "reconstruction_memory",
      [](const Scan& scan, nb::handle context, const nb::kwargs& keywords) {
        auto chosen = options_from<ReconOptions>(keywords, "reconstruction_memory", options[0]);
        use_usual_lambda(chosen, scan.sample_weights.size() > 0, false);
        return run(context_of(context), [&](const Context& ctx) { return reconstruction_memory(ctx, scan, chosen); });
      },
      nb::arg("scan"), nb::kw_only(), nb::arg("context").none() = nb::none(), nb::arg("options"),
      nb::sig(signature("reconstruction_memory", "scan: Scan", options, "context: Context | str | None = None", "int")),
      "Peak bytes of `recon` on the context's device, with the same options.\n\n"
      "Raises  ValueError, ShapeError (what reconstruct refuses before it begins)");
}

}  // namespace whorl::python
