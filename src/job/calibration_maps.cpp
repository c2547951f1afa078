#include "job/calibration_maps.hpp"

#include <algorithm>
#include <complex>
#include <iterator>
#include <utility>
#include <vector>

#include "recon/frame_groups.hpp"
#include "whorl/recon/estimate_coil_maps.hpp"

namespace whorl::job {

namespace {

using Complex = std::complex<float>;

// The maps of the slices of a scan, [coil, slice or z, y, x], from [slice, coil, z, y, x].
Array<Complex> with_coils_first(const Context& ctx, const Array<Complex>& maps, const std::vector<Index>& slices) {
  const Index coils = maps.extent(1);
  const Index voxels = maps.extent(2) * maps.extent(3) * maps.extent(4);
  const auto count = std::ssize(slices);
  Array<Complex> made(ctx.host(), {coils, count * maps.extent(2), maps.extent(3), maps.extent(4)});
  for (Index coil = 0; coil < coils; ++coil) {
    for (Index s = 0; s < count; ++s) {
      const Complex* from = maps.data() + (slices[static_cast<std::size_t>(s)] * coils + coil) * voxels;
      std::copy_n(from, voxels, made.data() + (coil * count + s) * voxels);
    }
  }
  return made;
}

}  // namespace

bool takes_calibration_maps(const ReconRequest& request, const Scan& scan) {
  const ReconOptions& recon = request.recon;
  return !request.maps.given() && !request.says_maps_from && request.joint.empty() && scan.coils > 1 &&
         scan.trajectory_kind == "cartesian" && needs_coil_maps(recon) && recon.coil_maps != CoilMapMethod::file;
}

void take_calibration_maps(const Context& ctx, ReconRequest& request, Scan calibration, Scan& scan) {
  if (calibration.frames.empty() || calibration.matrix != scan.matrix) return;
  const auto calibrated = recon::frames_of_slices(calibration);
  std::vector<Index> slices;
  for (const auto& [slice, frames] : recon::frames_of_slices(scan)) {
    const auto found = calibrated.find(slice);
    if (found == calibrated.end()) return;
    slices.push_back(std::distance(calibrated.begin(), found));
  }
  if (request.corrections.any()) {
    scan.notes.emplace_back(
        "Coil maps: the calibration lines were not used for them, since corrections change the image's data alone.",
        NoteKind::doubt);
    return;
  }
  const ReconOptions& recon = request.recon;
  ReconOptions options{.prewhiten = false};
  options.coil_maps = recon.coil_maps;
  options.calibration = recon.calibration;
  options.espirit = recon.espirit;
  options.walsh = recon.walsh;
  options.nlinv = recon.nlinv;
  options.nlinv.sets = 1;
  EstimatedCoilMaps found = estimate_coil_maps(ctx, std::move(calibration), options);
  scan.coil_maps = with_coils_first(ctx, found.maps, slices);
  scan.notes.insert(scan.notes.end(), found.notes.begin(), found.notes.end());
  request.recon.coil_maps = CoilMapMethod::file;
}

}  // namespace whorl::job
