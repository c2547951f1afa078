// What is estimated from data: field maps, and images and coil maps together (NLINV).
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <variant>

#include "arrays.hpp"
#include "bindings.hpp"
#include "copies.hpp"
#include "made.hpp"
#include "operators.hpp"
#include "options.hpp"
#include "points.hpp"
#include "run.hpp"
#include "whorl/calib/field_map.hpp"
#include "whorl/calib/nlinv.hpp"
#include "whorl/calib/option_tables.hpp"
#include "whorl/recon/option_tables.hpp"
#include "whorl/recon/readout_field.hpp"

namespace whorl::python {

namespace {

void bind_field_map(nb::module_& m) {
  nb::class_<FieldMap> map(m, "FieldMap",
                           "What estimate_field_map finds: an off-resonance map, and how far it can be trusted.\n\n"
                           "reconstruct takes `hertz` as field_map.");
  def_array<&FieldMap::hertz>(map, "hertz", "f, float32 [(z,) y, x].");
  def_array<&FieldMap::error>(
      map, "error",
      "Standard deviation of f from the voxel's own values, 0 outside the object; None without\n"
      "`noise`.");
  def_array<&FieldMap::mask>(map, "mask", "1 in the object, 0 where the field is continued from there.");
  map.def_ro("regions", &FieldMap::regions,
             "Connected parts of the object, whose fields are known but for a common multiple of 1 / spacing.")
      .def_ro("coherence", &FieldMap::coherence,
              "Weighted mean of cos(phase difference of neighbors) with the shortest spacing.")
      .def_ro("agreement", &FieldMap::agreement,
              "Weighted mean of cos(measured phase - that of the map) over all pairs of echoes.");
  static const std::vector<OptionsOf> options{options_of<FieldMapOptions>()};
  m.def(
      "estimate_field_map",
      [](nb::handle echoes_object, nb::handle times_object, nb::handle context, const nb::kwargs& keywords) {
        const auto chosen = options_from<FieldMapOptions>(keywords, "estimate_field_map", options[0]);
        const std::vector<double> times = numbers_from(times_object, "times");
        const auto echoes = host_array<std::complex<float>>(Input(echoes_object, "echoes"));
        return run(context_of(context).host(),
                   [&](const Context& ctx) { return estimate_field_map(ctx, echoes, times, chosen); });
      },
      nb::arg("echoes"), nb::arg("times"), nb::kw_only(), nb::arg("context").none() = nb::none(), nb::arg("options"),
      nb::sig(signature("estimate_field_map", "echoes: object, times: object", options,
                        "context: Context | str | None = None", "FieldMap")),
      with_options(
          "The off-resonance f of images of several echoes, s_ec(r) = a_c(r) w_e(r) exp(-2 pi i f(r) t_e), w_e > 0: "
          "phases\n"
          "are unwrapped in space by growing regions and between echoes, and smoothed where the signal is weak. Runs "
          "on\n"
          "the host.\n\n"
          "Shapes  echoes [echo, coil, (z,) y, x], complex; times [echo]; maps [(z,) y, x]\n"
          "Units   times in seconds, f in Hz\n"
          "Raises  ShapeError, ValueError (fewer than two echoes, times that are equal or not finite, values that are "
          "not\n"
          "        finite or all 0, neighbors whose phases have nothing in common), Cancelled\n"
          "Source  Funai et al., IEEE Trans Med Imaging 27:1484 (2008); Herraez et al., Applied Optics 41:7437 (2002)",
          options));
}

void bind_readout_field(nb::module_& m) {
  nb::class_<ReadoutField> found(m, "ReadoutField",
                                 "What readout_field finds: an off-resonance map from the data of one scan, tested on "
                                 "samples that were held out.\n\n"
                                 "reconstruct takes `hertz` as field_map.");
  def_array<&ReadoutField::hertz>(found, "hertz", "f, float32 [(z,) y, x].");
  found.def_ro("geometry", &ReadoutField::geometry, "Where the map lies in the patient.")
      .def_ro("steps", &ReadoutField::steps, "After which the held out samples were predicted best.")
      .def_ro("error_before", &ReadoutField::error_before,
              "|A x - d|^2 / |d|^2 of the held out samples, without a field.")
      .def_ro("error_after", &ReadoutField::error_after, "With it.")
      .def_ro("significance", &ReadoutField::significance,
              "Mean over the standard error of what the field changes in the held out samples.")
      .def_prop_ro(
          "notes", [](const ReadoutField& self) { return with_keywords(self.notes); },
          "Sentences: choices and findings.")
      .def_ro("stage_seconds", &ReadoutField::stage_seconds,
              "Names of the stages in their order, and the time of each in seconds.");
  // What prepares the data, and makes coil maps and transforms.
  static const std::vector<OptionsOf> options{
      options_of<ReadoutFieldOptions>(),
      options_of<ReconOptions>(
          {.but = {"combine", "keep-maps", "keep-parts", "transform", "signal-tolerance", "larmor-mhz"},
           .groups = {"Coils", "Data and density", "Transform"}})};
  m.def(
      "readout_field",
      [](const Scan& scan, nb::handle context, const nb::kwargs& keywords) {
        ReadoutFieldOptions chosen;
        ReconOptions recon;
        nb::dict rest = nb::borrow<nb::dict>(nb::module_::import_("builtins").attr("dict")(keywords));
        take_options(rest, &chosen, options[0]);
        take_options(rest, &recon, options[1]);
        refuse_rest(rest, "readout_field", options);
        return run(context_of(context),
                   [&](const Context& ctx) { return readout_field(ctx, clone(ctx, scan), recon, chosen); });
      },
      nb::arg("scan"), nb::kw_only(), nb::arg("context").none() = nb::none(), nb::arg("options"),
      nb::sig(signature("readout_field", "scan: Scan", options, context_keyword, "ReadoutField")),
      with_options(
          "The off-resonance f of the first frame of a scan from a single readout (autofocus): the field with which "
          "the\n"
          "samples of all coils agree, where those of one place in k-space or of neighbors are taken at different "
          "times,\n"
          "together with the image. A tenth of the samples is held out to judge it. Runs on the host. For "
          "reconstruct:\n\n"
          "    field = whorl.fit.readout_field(scan)\n"
          "    images = whorl.recon(scan, field_map=whorl.io.ReferenceImage(field.hertz)).images\n\n"
          "Shapes  a scan with data, readouts of one length, one slice or volume\n"
          "Units   Hz\n"
          "Raises  ValueError (several slices, times that are not known, samples that cannot decide: held out ones are "
          "not\n"
          "        predicted better with a field, by four standard errors), Cancelled\n"
          "Source  Sutton, Noll, Fessler, Magn Reson Med 51:1194 (2004); Olafsson, Noll, Fessler, IEEE Trans Med "
          "Imaging\n"
          "        27:1177 (2008)",
          options));
}

// whorl.coils.Nlinv in the precision of its data.
struct PyNlinv {
  std::variant<std::unique_ptr<Nlinv<float>>, std::unique_ptr<Nlinv<double>>> solver;
  Context ctx;
  Framework framework = Framework::numpy;
};

template <class Get>
nb::object nlinv_part(const PyNlinv& self, const Get& get) {
  return std::visit(
      [&](const auto& solver) {
        return result_of(self.ctx, run(self.ctx, [&](const Context& ctx) { return get(*solver, ctx); }),
                         self.framework);
      },
      self.solver);
}

NlinvReport solve(PyNlinv& self, const PyOperator& transform, nb::handle data) {
  Input input(data, "data");
  self.framework = input.framework();
  return with_operator(transform, [&](const auto& op) {
    using Real = real_of<decltype(op)>;
    auto* const solver = std::get_if<std::unique_ptr<Nlinv<Real>>>(&self.solver);
    if (solver == nullptr) {
      throw ValueError(op.name() + " and Nlinv compute in different precisions; make both with the same dtype");
    }
    const auto values = input.as<std::complex<Real>>();
    return run(self.ctx, [&](const Context& ctx) { return (*solver)->solve(ctx, *op, values); });
  });
}

void bind_nlinv(nb::module_& m) {
  nb::class_<NlinvStep>(m, "NlinvStep", "One step of Gauss-Newton in Nlinv.solve.")
      .def_ro("alpha", &NlinvStep::alpha, "Weight of the penalty.")
      .def_ro("misfit", &NlinvStep::misfit, "|P G(x) - y| / |y| before the step.")
      .def_ro("iterations", &NlinvStep::iterations, "Of conjugate gradient.");
  nb::class_<NlinvReport>(m, "NlinvReport", "How Nlinv.solve went: its steps and what they left of the data.")
      .def_ro("steps", &NlinvReport::steps, "The steps, in their order.")
      .def_ro("misfit", &NlinvReport::misfit, "After the last step.");
  static const std::vector<OptionsOf> options{options_of<NlinvOptions>()};
  nb::class_<PyNlinv>(
      m, "Nlinv",
      "Images and smooth coil maps together from the same data, y_c = P sum_m rho_m c_mc, by the iteratively "
      "regularized\n"
      "Gauss-Newton method; with several sets m: ENLIVE. No calibration region is needed.\n\n"
      "    nlinv = whorl.coils.Nlinv((y, x), coils)\n"
      "    report = nlinv.solve(A, data)          # A: whorl.Nufft with coils, best with normal='toeplitz'\n"
      "    image, maps = nlinv.image(), nlinv.maps()\n\n"
      "Each further solve takes the next frame and starts where the frame before ended. `alpha` means the same for "
      "any\n"
      "receiver gain, number of samples and matrix: data and P are scaled.\n\n"
      "Raises  ShapeError, ValueError (options out of range, data that are all zero or not finite), Cancelled\n"
      "Source  Uecker et al., Magn Reson Med 60:674 (2008), 63:1456 (2010); sets: Holme et al., Sci Rep 9:3034 (2019)",
      made_by_init())
      .def(
          "__init__",
          [](PyNlinv* self, nb::handle image_shape, Index coils, nb::handle dtype, nb::handle context,
             const nb::kwargs& keywords) {
            const auto chosen = options_from<NlinvOptions>(keywords, "Nlinv", options[0]);
            const Shape image = shape_from(image_shape, "image_shape");
            const Context ctx = context_of(context);
            with_precision(is_double_dtype(dtype), [&](auto real) {
              using Solver = Nlinv<decltype(real)>;
              new (self) PyNlinv{
                  run(ctx, [&](const Context& c) { return std::make_unique<Solver>(c, image, coils, chosen); }), ctx};
            });
          },
          nb::arg("image_shape"), nb::arg("coils"), nb::kw_only(), nb::arg("dtype") = "complex64",
          nb::arg("context").none() = nb::none(), nb::arg("options"),
          nb::sig(signature("__init__", "self, image_shape: collections.abc.Sequence[int], coils: int", options,
                            "dtype: object = 'complex64', context: Context | str | None = None", "None")),
          with_options("Prepares frames of this shape and number of coils.", options))
      .def(NotPickled("nor copied, for it is the state of a solver: keep its image() and maps()"))
      .def("solve", &solve, nb::arg("transform"), nb::arg("data"),
           nb::sig("def solve(self, transform: LinearOperator, data: object) -> NlinvReport"),
           "The next frame. The transform takes images [coil, (z,) y, x] to data [coil, sample], as Nufft and Dft do, "
           "on\n"
           "the same device and with the same dtype.")
      .def(
          "image",
          [](const PyNlinv& self) {
            return nlinv_part(self, [](const auto& solver, const Context& ctx) { return solver.image(ctx); });
          },
          nb::sig("def image(self) -> typing.Any"),
          "Of the last frame, in the unit of the data: rho |c|, or of several sets the root of the sum of squares "
          "over\n"
          "the coils of sum_m rho_m c_mc. Complex [(z,) y, x].\n\nRaises  ValueError (before the first frame)")
      .def(
          "set_images",
          [](const PyNlinv& self) {
            return nlinv_part(self, [](const auto& solver, const Context& ctx) { return solver.set_images(ctx); });
          },
          nb::sig("def set_images(self) -> typing.Any"),
          "rho_m |c_m| of each set: complex [set, (z,) y, x].\n\nRaises  ValueError (before the first frame)")
      .def(
          "maps",
          [](const PyNlinv& self) {
            return nlinv_part(self, [](const auto& solver, const Context& ctx) { return solver.maps(ctx); });
          },
          nb::sig("def maps(self) -> typing.Any"),
          "Coil maps with sum_c |s_c|^2 = 1 in each set: complex [set, coil, (z,) y, x].");
}

}  // namespace

void bind_estimates(nb::module_& m) {
  bind_field_map(m);
  bind_readout_field(m);
  bind_nlinv(m);
}

}  // namespace whorl::python
