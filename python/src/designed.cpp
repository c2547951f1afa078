// Trajectories under the limits of gradients, with their waveforms.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "options.hpp"
#include "results/pickles.hpp"
#include "run.hpp"
#include "whorl/io/option_tables.hpp"
#include "whorl/io/pulseq.hpp"
#include "whorl/trajectory/density_adapted_radial.hpp"
#include "whorl/trajectory/option_tables.hpp"
#include "whorl/trajectory/rosette.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl::python {

namespace {

struct PyDesigned {
  std::shared_ptr<Trajectory> trajectory;
  DesignedTrajectory rest;  // without the trajectory
};

}  // namespace

template <>
inline constexpr auto members_of<Gradients> = std::tuple(&Gradients::mt_per_m, &Gradients::raster_us);
template <>
inline constexpr auto members_of<PlayedWaveform> = std::tuple(&PlayedWaveform::waveform, &PlayedWaveform::axes);
template <>
inline constexpr auto members_of<DesignedTrajectory> = std::tuple(&DesignedTrajectory::gradients,
                                                                  &DesignedTrajectory::dwell_us,
                                                                  &DesignedTrajectory::played,
                                                                  &DesignedTrajectory::gamma_mhz_per_t);
template <>
inline constexpr auto members_of<PyDesigned> = std::tuple(&PyDesigned::trajectory, &PyDesigned::rest);

namespace {

constexpr const char* shapes =
    "\n\nThe result has the trajectory, the waveforms gradients_mt_per_m [waveform, time, dim], raster_us and "
    "dwell_us.\n"
    "Sample i of a readout is at i dwell_us.\nRaises  ValueError";

template <class Make>
PyDesigned made_designed(nb::handle context, const Make& make) {
  return run(context_of(context), [&](const Context& ctx) {
    DesignedTrajectory designed = make(ctx);
    auto trajectory = std::make_shared<Trajectory>(std::move(designed.trajectory));
    return PyDesigned{std::move(trajectory), std::move(designed)};
  });
}

void bind_designed_class(Module& m) {
  Class<PyDesigned> designed(m, "DesignedTrajectory",
                             "A trajectory and its gradient waveforms, which keep to the limits of the gradient system "
                             "that were asked for.\n\n"
                             "designed_spiral, designed_rosette, designed_cones, density_adapted_radial and "
                             "twisted_projection return it, and\n"
                             "write_pulseq makes a sequence of it.");
  def_pickle(designed);
  designed
      .def_ro("trajectory", &PyDesigned::trajectory,
              "Positions of the samples, a Trajectory: [sample, dim] in cycles per pixel.")
      .def(property<"gradients_mt_per_m(self) -> Array">(
          [](nb::handle self) {
            return view_of(nb::cast<const PyDesigned&>(self).rest.gradients.mt_per_m.ref(), self, true);
          },
          "float64 [waveform, time, dim]; value i is the gradient at the center of raster cell i, linear between "
          "them."))
      .def_prop_ro(
          "raster_us", [](const PyDesigned& self) { return self.rest.gradients.raster_us; },
          "Time step of the gradients in microseconds.")
      .def_prop_ro("dwell_us", &inner<&PyDesigned::rest, &DesignedTrajectory::dwell_us>, "Sample time in microseconds.")
      .def(method<"slew_rates(self) -> Array">(
          [](const PyDesigned& self) { return to_python(slew_rates(context_of(nb::none()), self.rest.gradients)); },
          "Slew rates in T/m/s, [waveform, time]."))
      .def(method<"peaks(self) -> tuple[float, float]">(
          [](const PyDesigned& self) {
            const GradientPeaks peaks = gradient_peaks(context_of(nb::none()), self.rest.gradients);
            return nb::make_tuple(peaks.amplitude_mt_per_m, peaks.slew_t_per_m_s);
          },
          "Largest |g| in mT/m and largest slew rate in T/m/s."));
}

}  // namespace

void bind_sequences(Module& m) {
  def<"write_pulseq(designed: DesignedTrajectory, path: Path, *, options, field_of_view_mm: Vector = "
      "(0.0, 0.0, 0.0), context) -> None">(
      m,
      [](PyDesigned& designed, const std::filesystem::path& path, const std::array<double, 3>& field_of_view_mm,
         nb::handle context, PulseqShot shot) {
        shot.field_of_view_mm = field_of_view_mm;
        DesignedTrajectory& rest = designed.rest;
        const DesignedTrajectory whole{
            {Array<double>::refer_to(designed.trajectory->points), designed.trajectory->readout_length},
            {Array<double>::refer_to(rest.gradients.mt_per_m), rest.gradients.raster_us},
            rest.dwell_us,
            rest.played,
            rest.gamma_mhz_per_t};
        run(context_of(context), [&](const Context& ctx) { write_pulseq(ctx.host(), whole, shot, path); });
      },
      R"(Writes a designed trajectory as a Pulseq sequence of version 1.5: a block pulse before each readout.

It plays the positions of the trajectory: gradients are linear between the centers of raster cells.

Raises  ValueError (a dwell time that is no even number of microseconds), IoError, Cancelled)",
      options_of<PulseqShot>());
}

void bind_designed(Module& m) {
  bind_designed_class(m);
  bind_sequences(m);
  def<"designed_spiral(arms: int, turns: float, power: float = 1.0, *, options, context) -> "
      "DesignedTrajectory">(
      m,
      [](Index arms, double turns, double power, nb::handle context, const DesignOptions& options) {
        return made_designed(context,
                             [&](const Context& ctx) { return designed_spiral(ctx, arms, turns, power, options); });
      },
      std::string("Interleaved spirals in the least time that gradient amplitude and slew rate allow.") + shapes,
      options_of<DesignOptions>());
  def<"designed_rosette(shots: int, swings: float, rotations: float, *, options, context) -> "
      "DesignedTrajectory">(
      m,
      [](Index shots, double swings, double rotations, nb::handle context, const DesignOptions& options) {
        return made_designed(
            context, [&](const Context& ctx) { return designed_rosette(ctx, shots, swings, rotations, options); });
      },
      std::string("Rosettes in the least time that gradient amplitude and slew rate allow.") + shapes,
      options_of<DesignOptions>());

  def<"designed_cones(*, options, context) -> DesignedTrajectory">(
      m,
      [](nb::handle context, const ConesOptions& own, const DesignOptions& options) {
        return made_designed(context, [&](const Context& ctx) { return designed_cones(ctx, own, options); });
      },
      std::string("Spirals on cones in the least time that gradient amplitude and slew rate allow.") + shapes,
      options_of<ConesOptions>(), options_of<DesignOptions>());

  def<"twisted_projection(*, options, context) -> DesignedTrajectory">(
      m,
      [](nb::handle context, const TwistedProjectionOptions& own, const DesignOptions& options) {
        return made_designed(context, [&](const Context& ctx) { return twisted_projection(ctx, own, options); });
      },
      std::string("Twisted projections: readouts that leave the center straight, then wind about cones.") + shapes,
      options_of<TwistedProjectionOptions>(), options_of<DesignOptions>());

  def<"density_adapted_radial(directions: object, fraction: float, *, options, context) -> "
      "DesignedTrajectory">(
      m,
      [](nb::handle directions_object, double fraction, nb::handle context, const DesignOptions& options) {
        Input input(directions_object, "directions");
        const auto given = input.as<double>();
        if (given.rank() != 2 || given.extent(1) < 2 || given.extent(1) > 3) {
          throw ShapeError("directions has shape " + to_string(given.shape()) +
                           ", expected [readout, 2] or [readout, 3]");
        }
        const auto values = given.view<2>();
        std::vector<std::array<double, 3>> directions;
        for (Index i = 0; i < given.extent(0); ++i) {
          directions.push_back({values(i, 0), values(i, 1), given.extent(1) == 3 ? values(i, 2) : 0});
        }
        const int dim = static_cast<int>(given.extent(1));
        return made_designed(context, [&](const Context& ctx) {
          return density_adapted_radial(ctx, directions, fraction, dim, options);
        });
      },
      std::string(R"(Readouts along unit vectors [readout, dim], which slow down so that the density of their
samples is constant beyond `fraction` of the radius.)") +
          shapes,
      options_of<DesignOptions>());
}

}  // namespace whorl::python
