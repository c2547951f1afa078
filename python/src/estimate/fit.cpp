// Parameters of each voxel from a series of images, with their error bars.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "options.hpp"
#include "run.hpp"
#include "whorl/fit/diffusion.hpp"
#include "whorl/fit/relaxation.hpp"
#include "whorl/fit/water_fat.hpp"

namespace whorl::python {

namespace {

// fit(ctx, series, errors) on the context's device, to which the fits copy what lies on the host.
template <class Fit>
auto fitted(nb::handle series_object, nb::handle errors_object, nb::handle context, const Fit& fit) {
  Input series(series_object, "series");
  const auto values = series.rounded_to<float>();
  std::optional<Input> given;
  SeriesErrors errors;
  if (!errors_object.is_none()) {
    given.emplace(errors_object, "errors");
    errors = given->rounded_to<float>();
  }
  return run(context_of(context, series.device()), [&](const Context& ctx) { return fit(ctx, values, errors); });
}

RelaxationModel relaxation_model(const std::string& name) {
  if (name == "decay") return RelaxationModel::decay;
  if (name == "recovery") return RelaxationModel::recovery;
  throw ValueError("fit_relaxation: model is '" + name + "', expected decay or recovery");
}

std::vector<std::array<double, 3>> gradient_directions(nb::handle object) {
  Input input(object, "directions");
  const Array<double> rows = host_copy<double>(input);
  if (rows.rank() != 2 || rows.extent(1) != 3) {
    throw ShapeError("directions has shape " + to_string(rows.shape()) + ", expected [image, 3]");
  }
  const auto view = rows.view<2>();
  std::vector<std::array<double, 3>> directions;
  for (Index i = 0; i < rows.extent(0); ++i) directions.push_back({view(i, 0), view(i, 1), view(i, 2)});
  return directions;
}

template <class Maps>
void def_counts(Class<Maps>& type) {
  type.def_ro("fitted", &Maps::fitted, "Voxels with a fit.")
      .def_ro("failed", &Maps::failed, "Voxels above the threshold whose values do not determine one.");
}

void bind_relaxation(Module& m) {
  Class<RelaxationMaps> maps(m, "RelaxationMaps",
                             "Maps float32 [(z,) y, x] of fit_relaxation; 0 where a voxel was left out or has no "
                             "fit.");
  def_array<&RelaxationMaps::time>(maps, "time", "T, in the unit of the times.");
  def_array<&RelaxationMaps::time_error>(maps, "time_error", "Standard deviation of T.");
  def_array<&RelaxationMaps::amplitude>(maps, "amplitude", "A, in the unit of the series.");
  def_array<&RelaxationMaps::amplitude_error>(maps, "amplitude_error", "Standard deviation of A.");
  def_array<&RelaxationMaps::inversion>(maps, "inversion", "B of a recovery; None of a decay.");
  def_counts(maps);
  def<"fit_relaxation(series: object, times: object, model: typing.Literal['decay', 'recovery'] = "
      "'decay', *, options, errors: object = None, context) -> RelaxationMaps">(
      m,
      [](nb::handle series, nb::handle times_object, const std::string& model, nb::handle errors, nb::handle context,
         const FitOptions& options) {
        const RelaxationModel which = relaxation_model(model);
        const std::vector<double> times = numbers_from(times_object, "times");
        return fitted(series, errors, context, [&](const Context& ctx, auto values, const SeriesErrors& deviations) {
          return fit_relaxation(ctx, values, times, which, options, deviations);
        });
      },
      R"(Relaxation times of each voxel, and their standard deviations, by least squares (Levenberg and Marquardt).

    decay     S(t) = A exp(-t / T): T2 of spin echoes, T2* of gradient echoes
    recovery  S(t) = A (1 - B exp(-t / T)): T1 after an inversion (B near 2) or a saturation (B near 1);
              without a value below 0 the series is of magnitudes, and the signs are found

Shapes  series [time, (z,) y, x], real; times [time]; errors, standard deviations of the values, of the
        series' shape or of one image
Units   T in that of the times, A in that of the series
Raises  ShapeError, ValueError (too few times; times that are negative, repeated or not finite; values that
        are not finite), Cancelled
Source  Marquardt, J Soc Ind Appl Math 11:431 (1963); polarity: Barral et al., Magn Reson Med 64:1057 (2010))",
      options_of<FitOptions>());
}

void bind_diffusion(Module& m) {
  Class<DiffusionMaps> maps(m, "DiffusionMaps",
                            "Maps float32 [(z,) y, x] of fit_diffusion; 0 where a voxel was left out or has no fit.");
  def_array<&DiffusionMaps::diffusivity>(maps, "diffusivity", "D in mm^2/s.");
  def_array<&DiffusionMaps::diffusivity_error>(maps, "diffusivity_error", "Standard deviation of D.");
  def_array<&DiffusionMaps::amplitude>(maps, "amplitude", "S at b = 0.");
  def_array<&DiffusionMaps::amplitude_error>(maps, "amplitude_error", "Standard deviation of it.");
  def_counts(maps);
  Class<TensorMaps> tensor(m, "TensorMaps", "Maps float32 of fit_diffusion_tensor.");
  tensor.def_ro("mean", &TensorMaps::mean, "Mean diffusivity, a third of the trace, and S at b = 0.");
  def_array<&TensorMaps::anisotropy>(tensor, "anisotropy", "Fractional anisotropy [(z,) y, x].");
  def_array<&TensorMaps::anisotropy_error>(tensor, "anisotropy_error", "Standard deviation of it.");
  def_array<&TensorMaps::eigenvalues>(tensor, "eigenvalues", "[3, (z,) y, x] in mm^2/s, the largest first.");
  def_array<&TensorMaps::eigenvectors>(tensor, "eigenvectors",
                                       "[3 eigenvectors, 3 axes x y z, (z,) y, x]; their signs mean nothing.");
  def_array<&TensorMaps::tensor>(tensor, "tensor", "[6, (z,) y, x]: xx, yy, zz, xy, xz, yz in mm^2/s.");
  def<"fit_diffusion(series: object, b_values: object, *, options, errors: object = None, context) -> "
      "DiffusionMaps">(
      m,
      [](nb::handle series, nb::handle b_object, nb::handle errors, nb::handle context, const FitOptions& options) {
        const std::vector<double> b = numbers_from(b_object, "b_values");
        return fitted(series, errors, context, [&](const Context& ctx, auto values, const SeriesErrors& deviations) {
          return fit_diffusion(ctx, values, b, options, deviations);
        });
      },
      R"(The apparent diffusion coefficient of each voxel, S = S0 exp(-b D), as fit_relaxation fits a decay.

Shapes  series [image, (z,) y, x], real; b_values [image]; errors as for fit_relaxation
Units   b in s/mm^2, D in mm^2/s
Raises  ShapeError, ValueError, Cancelled
Source  Le Bihan et al., Radiology 161:401 (1986))",
      options_of<FitOptions>());
  def<"fit_diffusion_tensor(series: object, b_values: object, directions: object, *, options, errors: "
      "object = None, context) -> TensorMaps">(
      m,
      [](nb::handle series, nb::handle b_object, nb::handle directions_object, nb::handle errors, nb::handle context,
         const FitOptions& options) {
        const std::vector<double> b = numbers_from(b_object, "b_values");
        const auto directions = gradient_directions(directions_object);
        return fitted(series, errors, context, [&](const Context& ctx, auto values, const SeriesErrors& deviations) {
          return fit_diffusion_tensor(ctx, values, b, directions, options, deviations);
        });
      },
      R"(The diffusion tensor of each voxel, S = S0 exp(-b g^T D g), and the errors of its mean and anisotropy.

Shapes  series [image, (z,) y, x], real; b_values [image]; directions [image, 3], unit vectors along the axes
        x, y, z of the image, any where b is 0; errors as for fit_relaxation
Units   b in s/mm^2, D in mm^2/s
Raises  ShapeError, ValueError (directions that are no unit vectors, or that do not determine a tensor),
        Cancelled
Source  Basser, Mattiello, Le Bihan, J Magn Reson B 103:247 (1994); errors: Koay et al., IEEE Trans Med
        Imaging 26:1017 (2007))",
      options_of<FitOptions>());
}

std::vector<FatPeak> peaks_from(nb::handle object) {
  if (object.is_none()) return liver_fat();
  std::vector<FatPeak> peaks;
  for (const auto& [ppm, amplitude] : nb::cast<std::vector<std::pair<double, double>>>(object)) {
    peaks.push_back({ppm, amplitude});
  }
  return peaks;
}

void bind_water_fat(Module& m) {
  Class<WaterFatMaps> maps(m, "WaterFatMaps",
                           "Maps float32 [(z,) y, x] of fit_water_fat; 0 where a voxel was left out or has no fit.");
  def_array<&WaterFatMaps::water>(maps, "water", "|W|, in the unit of the echoes.");
  def_array<&WaterFatMaps::water_error>(maps, "water_error", "Standard deviation of |W|.");
  def_array<&WaterFatMaps::fat>(maps, "fat", "|F|, in the unit of the echoes.");
  def_array<&WaterFatMaps::fat_error>(maps, "fat_error", "Standard deviation of |F|.");
  def_array<&WaterFatMaps::fraction>(maps, "fraction", "Of fat in the density of protons, 0 to 1 but for noise.");
  def_array<&WaterFatMaps::fraction_error>(maps, "fraction_error", "Standard deviation of the fraction.");
  def_array<&WaterFatMaps::r2_star>(maps, "r2_star", "R2* in 1/s; noise may make it negative.");
  def_array<&WaterFatMaps::r2_star_error>(maps, "r2_star_error", "Standard deviation of R2*.");
  def_array<&WaterFatMaps::field>(maps, "field", "f in Hz.");
  def_array<&WaterFatMaps::field_error>(maps, "field_error", "Standard deviation of f.");
  def_counts(maps);
  def<"fit_water_fat(echoes: object, times: object, peaks: Sequence[tuple[float, float]] | None = "
      "None, *, options, context) -> WaterFatMaps">(
      m,
      [](nb::handle echoes_object, nb::handle times_object, nb::handle peaks_object, nb::handle context,
         const WaterFatOptions& chosen) {
        const std::vector<double> times = numbers_from(times_object, "times");
        const std::vector<FatPeak> peaks = peaks_from(peaks_object);
        Input input(echoes_object, "echoes");
        const Array<std::complex<float>> echoes = host_array<std::complex<float>>(input);
        return run(context_of(context, input.device()),
                   [&](const Context& ctx) { return fit_water_fat(ctx, echoes, times, peaks, chosen); });
      },
      R"(Water, fat, their fraction, field map and R2* of each voxel, and their standard deviations:

    s(t) = (W + F sum_p a_p exp(-2 pi i d_p t)) exp(-R2* t - 2 pi i f t),  d_p = gamma B0 ppm_p

The field is chosen for all voxels together, so that it is smooth; then each voxel is fitted by itself.

Shapes  echoes [echo, (z,) y, x], complex; times [echo]; peaks: pairs of ppm from water and amplitude, whose
        sum is 1; None: liver_fat()
Units   times in seconds, f in Hz, R2* in 1/s
Raises  ShapeError, ValueError (fewer than four echoes, or three with `noise`; times that are negative, equal
        or not finite; values that are not finite or all 0), Cancelled
Source  Yu et al., Magn Reson Med 60:1122 (2008); Hernando et al., Magn Reson Med 63:79 (2010))",
      options_of<WaterFatOptions>());
  def<"without_fat(echoes: object, times: object, maps: WaterFatMaps, peaks: Sequence[tuple[float, "
      "float]] | None = None, *, options, context) -> Array">(
      m,
      [](nb::handle echoes_object, nb::handle times_object, const WaterFatMaps& found, nb::handle peaks_object,
         nb::handle context, const WaterFatOptions& chosen) {
        const std::vector<double> times = numbers_from(times_object, "times");
        const std::vector<FatPeak> peaks = peaks_from(peaks_object);
        const auto echoes = host_array<std::complex<float>>(Input(echoes_object, "echoes"));
        return to_python(run(context_of(context).host(), [&](const Context& ctx) {
          return without_fat(ctx, echoes, times, peaks, found, chosen);
        }));
      },
      R"(The echoes without what fat does to their phases: what is left turns by exp(-2 pi i f t) in voxels of water, of fat
and of both, so that estimate_field_map makes one smooth field of it. 0 where the maps have no fit. Runs on the host.

echoes, times, peaks and the options are those that fit_water_fat had, maps is what it found.

Shapes  echoes and result complex64 [echo, (z,) y, x]; times [echo]
Units   times in seconds
Raises  ShapeError)",
      options_of<WaterFatOptions>());
  m.def(
      "liver_fat",
      [] {
        std::vector<std::pair<double, double>> peaks;
        for (const FatPeak& peak : liver_fat()) peaks.emplace_back(peak.ppm, peak.amplitude);
        return peaks;
      },
      "Six peaks of liver fat: pairs of ppm from water, at 4.7 ppm, and amplitude.\n\n"
      "Source  Hamilton et al., NMR Biomed 24:784 (2011)");
}

}  // namespace

void bind_fit(Module& m) {
  bind_relaxation(m);
  bind_diffusion(m);
  bind_water_fat(m);
}

}  // namespace whorl::python
