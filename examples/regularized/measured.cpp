#include <algorithm>
#include <utility>

#include "cases.hpp"
#include "whorl/io/convert.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/recon/estimate_coil_maps.hpp"
#include "whorl/scan/regroup.hpp"

namespace regularized {

using Complex = std::complex<float>;
using whorl::Array;
using whorl::Context;
using whorl::Index;

namespace {

// Every `step`-th readout of a scan with one frame.
whorl::Scan some_readouts(const Context& ctx, const whorl::Scan& scan, Index step) {
  const Index readouts = whorl::readouts_of(scan.frames.front(), "example");
  std::vector<int> bins;
  for (Index r = 0; r < readouts; ++r) bins.push_back(r % step == 0 ? 0 : -1);
  return whorl::bin_frames(ctx, whorl::clone(ctx, scan), {bins}, 1);
}

void add_object(const Context& ctx, const Settings& settings, const std::string& name, whorl::Scan scan, Index step,
                Study& study, std::vector<whorl::Picture>& panels) {
  const Context host = ctx.host();
  whorl::ReconOptions options = known_maps(settings);
  if (scan.coils > 1) {
    whorl::ReconOptions calibrating = options;
    calibrating.coil_maps = whorl::CoilMapMethod::espirit;
    Array<Complex> maps = whorl::estimate_coil_maps(host, whorl::clone(host, scan), calibrating).maps;
    maps.reshape(maps.shape().tail());
    scan.coil_maps = std::move(maps);
  } else {
    options.coil_maps = whorl::CoilMapMethod::espirit;
  }
  options.cg_sense.lambda = 1e-3;
  const Array<float> truth = whorl::magnitude<float>(host, whorl::reconstruct(ctx, scan, options).images);
  const double high = *std::max_element(truth.span().begin(), truth.span().end());
  panels.push_back(panel(host, "all readouts", truth.slice(0).slice(0), 0.7 * high, 1));
  const whorl::Scan few = some_readouts(host, scan, step);
  const std::vector<double> weights{3e-4, 1e-3, 3e-3, 1e-2, 3e-2};
  for (const Candidates& candidates :
       {Candidates{"", {1e-3, 1e-2, 1e-1}}, Candidates{"tv:{:g},unit=largest", weights},
        Candidates{"wavelet:{:g},unit=largest,taps=4", weights}, Candidates{"tgv:{:g},unit=largest", weights}}) {
    const Result best = best_of(host, name, candidates, options, truth, of_scan(ctx, few));
    study.rows.push_back(best.row);
    // Images of fewer samples have the same scale: that of the object.
    panels.push_back(panel(host, caption_of(best), best.magnitude.slice(0).slice(0), 0.7 * high, 1));
  }
}

}  // namespace

Study measured_images(const Context& ctx, const Settings& settings, const std::filesystem::path& folder) {
  const Context host = ctx.host();
  Study study{"measured", {}, {}};
  std::vector<whorl::Picture> panels;
  whorl::ConvertOptions liver;
  liver.matrix = {256, 256, 1};
  liver.readout_length = 2250;
  liver.trajectory_kind = "spiral";
  whorl::Scan scan = whorl::convert_scan(host,
                                         {folder / "liver.trj", folder / "liver.0.data", folder / "liver.1.data",
                                          folder / "liver.2.data", folder / "liver.3.data"},
                                         liver);
  scan.frames.erase(scan.frames.begin() + 1, scan.frames.end());
  add_object(ctx, settings, "liver, 4 of 16 arms", std::move(scan), 4, study, panels);
  whorl::ConvertOptions heart;
  heart.matrix = {128, 128, 1};
  heart.trajectory_kind = "spiral";
  add_object(ctx, settings, "real-time spiral, 2 of 6 arms",
             whorl::convert_scan(host, {folder / "rt_spiral_03.mat"}, heart), 3, study, panels);
  study.picture = whorl::in_rows(panels, 5, 6);
  return study;
}

}  // namespace regularized
