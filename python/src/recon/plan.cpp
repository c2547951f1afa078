// What images of a trajectory will be like, before the scan.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "options.hpp"
#include "recon/request.hpp"
#include "run.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/job/outlook_json.hpp"
#include "whorl/recon/outlook.hpp"

namespace whorl::python {

namespace {

OutlookOptions with_arrays(OutlookOptions options, nb::handle maps, nb::handle covariance, bool has_coils) {
  if (!covariance.is_none()) {
    Input input(covariance, "noise_covariance");
    options.covariance = std::make_shared<const Array<std::complex<double>>>(host_copy<std::complex<double>>(input));
  }
  if (maps.is_none()) return options;
  if (has_coils) throw ValueError("plan: maps and coils exclude each other; leave one out");
  Array<std::complex<float>> given = host_array<std::complex<float>>(Input(maps, "maps"));
  // [coil, y, x] has a plane.
  if (given.rank() == 3) given.reshape({given.extent(0), 1, given.extent(1), given.extent(2)});
  options.maps = std::make_shared<const Array<std::complex<float>>>(std::move(given));
  return options;
}

}  // namespace

void bind_plan(Module& m) {
  Class<ImageOutlook> image(m, "ImageOutlook", "Images by one method, before they are measured.");
  def_array<&ImageOutlook::snr>(image, "snr", "float32 [z, y, x]: |mean| over the noise, of a uniform object.");
  def_array<&ImageOutlook::standard_deviation>(image, "stddev",
                                               "float32 [z, y, x]: of the noise, in the unit of the signal.");
  image.def_ro("widths", &ImageOutlook::widths,
               "Of the point spread at half maximum, along (z,) y, x, in voxels; of gridding the mean of the axes.");
  image.def_ro("side_lobe", &ImageOutlook::side_lobe, "Largest beyond 3 voxels from the peak, over the peak.");

  Class<ScanOutlook> outlook(m, "ScanOutlook", "What images of a trajectory will be like: what plan returns.");
  outlook.def_ro("least_squares", &ScanOutlook::least_squares, nb::rv_policy::reference_internal, "Images by cg-sense.")
      .def_ro("gridding", &ScanOutlook::gridding, nb::rv_policy::reference_internal, "Images by gridding.")
      .def_ro("coils", &ScanOutlook::coils, "Number of receive coils.")
      .def_ro("readouts", &ScanOutlook::readouts, "Number of readouts; 0: not known.")
      .def_ro("readout_ms", &ScanOutlook::readout_ms, "Duration of a readout in ms; 0: not known.")
      .def_ro("scan_seconds", &ScanOutlook::pass_seconds, "Of all readouts once; 0: not known.")
      .def_ro("averages", &ScanOutlook::averages, "Of such scans, with `scan_time`.")
      .def_ro("bytes", &ScanOutlook::bytes, "Peak memory of the reconstruction by least squares.")
      .def_ro("seconds", &ScanOutlook::seconds, "That this reconstruction took on this device: measured.")
      .def_ro("iterations", &ScanOutlook::iterations, "Of conjugate gradient, to a relative residual of 1e-6.")
      .def(property<"figures(self) -> dict[str, Any]">(
          [](const ScanOutlook& self) { return nb::module_::import_("json").attr("loads")(outlook_json(self)); },
          "What `whorl plan --json` says: medians and percentiles over the object, widths in mm, times and work."));
  def_array<&ScanOutlook::g_factor>(outlook, "gfactor", "float32 [z, y, x]: what undersampling adds to the noise.");
  def_array<&ScanOutlook::point_spread>(outlook, "psf", "complex64 [z, y, x]: of least squares, in the middle.");

  def<"plan(scan: Scan | Path, *, options, maps: object = None, noise_covariance: object = None, "
      "context) -> ScanOutlook">(
      m,
      [](nb::handle scan, nb::handle maps, nb::handle covariance, nb::handle context, OutlookOptions options,
         const nb::kwargs& keywords) {
        const OutlookOptions chosen = with_arrays(std::move(options), maps, covariance, keywords.contains("coils"));
        const Context ctx = context_of(context);
        if (nb::isinstance<Scan>(scan)) {
          const auto& held = nb::cast<const Scan&>(scan);
          return run(ctx, [&](const Context& c) { return scan_outlook(c, held, chosen); });
        }
        if (!is_file(scan)) {
          throw nb::type_error(
              "plan: scan has to be a whorl.Scan or the path of a file; whorl.Scan(trajectory, image_shape) makes one");
        }
        const auto path = nb::cast<std::filesystem::path>(scan);
        return run(ctx, [&](const Context& c) { return scan_outlook(c, read_scan(c.host(), path, {}), chosen); });
      },
      R"(Noise, resolution, time and memory of a trajectory before the scan: the work of `whorl plan` with the
same options, and the same figures. Data of the scan are not used, and of its frames the first alone.

Shapes  maps [coil, (z,) y, x]; noise_covariance E[n n^H] [coil, coil], in place of noise
Raises  ValueError (no trajectory, no noise or two), ShapeError, IoError, Cancelled)",
      options_of<OutlookOptions>());
}

}  // namespace whorl::python
