#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/io/atomic_file.hpp"
#include "whorl/io/nifti.hpp"
#include "whorl/plot/caption.hpp"
#include "whorl/plot/colorbar.hpp"

namespace sodium {

namespace {

using whorl::Array;
using whorl::ArrayRef;
using whorl::Context;
using whorl::Index;
using whorl::Picture;

const MethodResult& method_of(const Study& study, const std::string& name) {
  return *std::find_if(study.methods.begin(), study.methods.end(),
                       [&](const MethodResult& method) { return method.name == name; });
}

// What the values of a picture are, and which colors stand for them.
struct Scale {
  whorl::Colormap colormap;
  whorl::DisplayWindow window;
  std::string unit;
};

// The axial slice through the lesions, with its colorbar and a title below it.
Picture panel(const Context& ctx, const std::string& title, ArrayRef<const float> volume, const Scale& scale) {
  const Index size = volume.extent(0);
  const auto slice = static_cast<Index>(0.61 * static_cast<double>(size));
  const Index zoom = std::max<Index>(1, 200 / size);
  const Picture picture = whorl::montage_picture(ctx, volume.slice(slice),
                                                 {.colormap = scale.colormap, .window = scale.window, .zoom = zoom});
  return whorl::with_caption(whorl::with_colorbar(picture, scale.colormap, scale.window, scale.unit), {title});
}

std::string csv_of(const Study& study) {
  std::string text =
      "method,tissue,voxels,homogeneous,truth_mmol_per_l,mean_mmol_per_l,bias_mmol_per_l,bias_percent,"
      "sd_mmol_per_l,sd_percent,predicted_sd_mmol_per_l,truth_covered_percent,mean_covered_percent,"
      "truth_in_bar_percent,truth_in_bound_percent\n";
  for (const MethodResult& method : study.methods) {
    for (const TissueResult& tissue : method.tissues) {
      const double truth = tissue.region->truth;
      text += fmt::format("\"{}\",{},{},{},{},{:.3f},{:.3f},{:.2f},{:.3f},{:.2f},", method.name, tissue.region->tissue,
                          tissue.region->voxels.size(), tissue.region->homogeneous ? 1 : 0, truth, tissue.mean,
                          tissue.bias(), 100 * tissue.bias() / truth, tissue.standard_deviation,
                          100 * tissue.standard_deviation / truth);
      text += method.predicted.size() == 0
                  ? ",,,,\n"
                  : fmt::format("{:.3f},{:.2f},{:.2f},{:.2f},{:.2f}\n", tissue.predicted, 100 * tissue.covered,
                                100 * tissue.covered_mean, 100 * tissue.covered_by_bar, 100 * tissue.covered_by_bound);
    }
  }
  return text;
}

}  // namespace

std::string table_of(const Study& study) {
  std::string text = fmt::format("{:<22}{:<22}{:>7}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>20}\n", "tissue", "method",
                                 "voxels", "mmol/L", "bias", "%", "sd", "%", "pred.", "covered %");
  for (std::size_t k = 0; k < study.regions.tissues.size(); ++k) {
    for (const MethodResult& method : study.methods) {
      const TissueResult& tissue = method.tissues[k];
      const double truth = tissue.region->truth;
      text += fmt::format("{:<22}{:<22}{:>7}{:>8.0f}{:>+8.1f}{:>+8.1f}{:>8.1f}{:>8.1f}", tissue.region->tissue,
                          method.name, tissue.region->voxels.size(), truth, tissue.bias(), 100 * tissue.bias() / truth,
                          tissue.standard_deviation, 100 * tissue.standard_deviation / truth);
      text += method.predicted.size() == 0
                  ? "\n"
                  : fmt::format("{:>8.1f}{:>5.0f} {:>4.0f} {:>4.0f} {:>4.0f}\n", tissue.predicted, 100 * tissue.covered,
                                100 * tissue.covered_mean, 100 * tissue.covered_by_bar, 100 * tissue.covered_by_bound);
    }
  }
  return text;
}

void write_report(const Context& ctx, const Study& study, const std::filesystem::path& folder) {
  whorl::write_file(folder / "sodium.csv", csv_of(study));
  const MethodResult& gridding = method_of(study, "gridding");
  const MethodResult& plain = method_of(study, "least squares, decay");
  const MethodResult& prior = method_of(study, "prior, decay");
  const Scale concentration{whorl::Colormap::blue_yellow, {0, 150}, "mmol/L"};
  const Scale deviation{whorl::Colormap::hot, {0, 10}, "mmol/L"};
  const Scale intensity{whorl::Colormap::gray, {0, 1}, "relative intensity"};
  const std::vector<Picture> panels{
      panel(ctx, "sodium, truth", study.truth, concentration),
      panel(ctx, "gridding", gridding.first, concentration),
      panel(ctx, "least squares", plain.first, concentration),
      panel(ctx, "with proton prior", prior.first, concentration),
      panel(ctx, "proton image", study.proton, intensity),
      panel(ctx, "deviation, gridding (scatter)", gridding.standard_deviation, deviation),
      panel(ctx, "deviation, least squares", plain.predicted, deviation),
      panel(ctx, "deviation, with proton prior", prior.predicted, deviation),
  };
  constexpr Index columns = 4;
  constexpr Index gap = 6;
  whorl::write_picture(ctx, folder / "sodium.png", whorl::in_rows(panels, columns, gap));
  const double edge = field_of_view_mm;
  const whorl::Geometry geometry{{edge, edge, edge}};
  whorl::write_nifti(ctx, folder / "truth.nii.gz", study.truth, geometry);
  whorl::write_nifti(ctx, folder / "concentration.nii.gz", prior.first, geometry);
  whorl::write_nifti(ctx, folder / "standard_deviation.nii.gz", prior.predicted, geometry);
}

}  // namespace sodium
