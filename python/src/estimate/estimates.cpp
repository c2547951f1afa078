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
#include "described.hpp"
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

void bind_field_map(Module& m) {
  Class<FieldMap> map(m, "FieldMap",
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
  def<"estimate_field_map(echoes: object, times: object, *, options, context) -> FieldMap">(
      m,
      [](nb::handle echoes_object, nb::handle times_object, nb::handle context, const FieldMapOptions& chosen) {
        const std::vector<double> times = numbers_from(times_object, "times");
        const auto echoes = host_array<std::complex<float>>(Input(echoes_object, "echoes"));
        return run(context_of(context).host(),
                   [&](const Context& ctx) { return estimate_field_map(ctx, echoes, times, chosen); });
      },
      R"(The off-resonance f of images of several echoes, s_ec(r) = a_c(r) w_e(r) exp(-2 pi i f(r) t_e), w_e > 0: phases
are unwrapped in space by growing regions and between echoes, and smoothed where the signal is weak. Runs on
the host.

Shapes  echoes [echo, coil, (z,) y, x], complex; times [echo]; maps [(z,) y, x]
Units   times in seconds, f in Hz
Raises  ShapeError, ValueError (fewer than two echoes, times that are equal or not finite, values that are not
        finite or all 0, neighbors whose phases have nothing in common), Cancelled
Source  Funai et al., IEEE Trans Med Imaging 27:1484 (2008); Herraez et al., Applied Optics 41:7437 (2002))",
      options_of<FieldMapOptions>());
}

void bind_readout_field(Module& m) {
  Class<ReadoutField> found(m, "ReadoutField",
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
  def<"readout_field(scan: Scan, *, options, context) -> ReadoutField">(
      m,
      [](const Scan& scan, nb::handle context, const ReadoutFieldOptions& chosen, const ReconOptions& recon) {
        return run(context_of(context),
                   [&](const Context& ctx) { return readout_field(ctx, clone(ctx, scan), recon, chosen); });
      },
      R"(The off-resonance f of the first frame of a scan from a single readout (autofocus): the field with which the
samples of all coils agree, where those of one place in k-space or of neighbors are taken at different times,
together with the image. A tenth of the samples is held out to judge it. Runs on the host. For reconstruct:

    field = whorl.fit.readout_field(scan)
    images = whorl.recon(scan, field_map=whorl.io.ReferenceImage(field.hertz)).images

Shapes  a scan with data, readouts of one length, one slice or volume
Units   Hz
Raises  ValueError (several slices, times that are not known, samples that cannot decide: held out ones are not
        predicted better with a field, by four standard errors), Cancelled
Source  Sutton, Noll, Fessler, Magn Reson Med 51:1194 (2004); Olafsson, Noll, Fessler, IEEE Trans Med Imaging
        27:1177 (2008))",
      options_of<ReadoutFieldOptions>(),
      // What prepares the data, and makes coil maps and transforms.
      options_of<ReconOptions>(
          {.but = {"combine", "keep-maps", "keep-parts", "transform", "signal-tolerance", "larmor-mhz"},
           .groups = {"Coils", "Data and density", "Transform"}}));
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

void bind_nlinv(Module& m) {
  Class<NlinvStep>(m, "NlinvStep", "One step of Gauss-Newton in Nlinv.solve.")
      .def_ro("alpha", &NlinvStep::alpha, "Weight of the penalty.")
      .def_ro("misfit", &NlinvStep::misfit, "|P G(x) - y| / |y| before the step.")
      .def_ro("iterations", &NlinvStep::iterations, "Of conjugate gradient.");
  Class<NlinvReport>(m, "NlinvReport", "How Nlinv.solve went: its steps and what they left of the data.")
      .def_ro("steps", &NlinvReport::steps, "The steps, in their order.")
      .def_ro("misfit", &NlinvReport::misfit, "After the last step.");
  Class<PyNlinv>(
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
      .def(method<"__init__(self, image_shape: Shape, coils: int, *, options, dtype: object = 'complex64', "
                  "context) -> None">(
          [](PyNlinv* self, nb::handle image_shape, Index coils, nb::handle dtype, nb::handle context,
             const NlinvOptions& chosen) {
            const Shape image = shape_from(image_shape, "image_shape");
            const Context ctx = context_of(context);
            with_precision(is_double_dtype(dtype), [&](auto real) {
              using Solver = Nlinv<decltype(real)>;
              new (self) PyNlinv{
                  run(ctx, [&](const Context& c) { return std::make_unique<Solver>(c, image, coils, chosen); }), ctx};
            });
          },
          "Prepares frames of this shape and number of coils.", options_of<NlinvOptions>()))
      .def(NotPickled("nor copied, for it is the state of a solver: keep its image() and maps()"))
      .def(method<"solve(self, transform: LinearOperator, data: object) -> NlinvReport">(
          &solve,
          R"(The next frame. The transform takes images [coil, (z,) y, x] to data [coil, sample], as Nufft and Dft do, on
the same device and with the same dtype.)"))
      .def(method<"image(self) -> Any">(
          [](const PyNlinv& self) {
            return nlinv_part(self, [](const auto& solver, const Context& ctx) { return solver.image(ctx); });
          },
          R"(Of the last frame, in the unit of the data: rho |c|, or of several sets the root of the sum of squares over
the coils of sum_m rho_m c_mc. Complex [(z,) y, x].

Raises  ValueError (before the first frame))"))
      .def(method<"set_images(self) -> Any">(
          [](const PyNlinv& self) {
            return nlinv_part(self, [](const auto& solver, const Context& ctx) { return solver.set_images(ctx); });
          },
          R"(rho_m |c_m| of each set: complex [set, (z,) y, x].

Raises  ValueError (before the first frame))"))
      .def(method<"maps(self) -> Any">(
          [](const PyNlinv& self) {
            return nlinv_part(self, [](const auto& solver, const Context& ctx) { return solver.maps(ctx); });
          },
          "Coil maps with sum_c |s_c|^2 = 1 in each set: complex [set, coil, (z,) y, x]."));
}

}  // namespace

void bind_estimates(Module& m) {
  bind_field_map(m);
  bind_readout_field(m);
  bind_nlinv(m);
}

}  // namespace whorl::python
