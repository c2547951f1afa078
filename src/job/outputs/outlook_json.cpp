#include "whorl/job/outlook_json.hpp"

#include <nlohmann/json.hpp>

#include "whorl/recon/outlook_figures.hpp"

namespace whorl {

namespace {

using Json = nlohmann::ordered_json;

Json range_json(const Array<float>& values, const ScanOutlook& outlook) {
  const ObjectRange found = range_over(values, outlook.object);
  return {{"median", found.median}, {"percentile_5", found.low}, {"percentile_95", found.high}};
}

Json image_json(const ScanOutlook& outlook, const ImageOutlook& image) {
  const SpreadWidths widths = spread_widths(outlook, image);
  return {{"snr", range_json(image.snr, outlook)},
          {"standard_deviation", range_json(image.standard_deviation, outlook)},
          {"point_spread_widths", widths.values},
          {"point_spread_unit", widths.unit},
          {"side_lobe", image.side_lobe}};
}

}  // namespace

std::string outlook_json(const ScanOutlook& outlook) {
  const auto known = [](double value) { return value > 0 ? Json(value) : Json(); };
  return Json{{"object_voxels", outlook.object.size()},
              {"coils", outlook.coils},
              {"least_squares", image_json(outlook, outlook.least_squares)},
              {"g_factor", range_json(outlook.g_factor, outlook)},
              {"gridding", image_json(outlook, outlook.gridding)},
              {"readouts", known(static_cast<double>(outlook.readouts))},
              {"readout_ms", known(outlook.readout_ms)},
              {"pass_seconds", known(outlook.pass_seconds)},
              {"averages", outlook.averages},
              {"memory_bytes", outlook.bytes},
              {"reconstruction_seconds", outlook.seconds},
              {"iterations", outlook.iterations},
              {"convolution", outlook.convolution}}
      .dump();
}

}  // namespace whorl
