#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/io/atomic_file.hpp"
#include "whorl/io/nifti.hpp"
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

// The axial slice through the lesions of each volume, side by side.
Array<float> slices(const Context& ctx, const std::vector<ArrayRef<const float>>& volumes) {
  const Index size = volumes.front().extent(0);
  const auto slice = static_cast<Index>(0.61 * static_cast<double>(size));
  const auto count = static_cast<Index>(volumes.size());
  Array<float> row(ctx, {size, count * size});
  for (Index number = 0; number < count; ++number) {
    const auto plane = volumes[static_cast<std::size_t>(number)].slice(slice);
    for (Index y = 0; y < size; ++y) {
      std::copy_n(plane.data() + y * size, size, row.data() + (y * count + number) * size);
    }
  }
  return row;
}

Picture picture_of(const Context& ctx, const std::vector<ArrayRef<const float>>& volumes, whorl::Colormap colormap,
                   const whorl::DisplayWindow& window) {
  const Index zoom = std::max<Index>(1, 200 / volumes.front().extent(0));
  return whorl::montage_picture(ctx, slices(ctx, volumes), {.colormap = colormap, .window = window, .zoom = zoom});
}

Picture beside(const Picture& left, const Picture& right) {
  Picture both = whorl::blank_picture(left.width + right.width, left.height, {0, 0, 0});
  for (Index y = 0; y < left.height; ++y) {
    std::copy_n(&left.at(y, 0), left.width, &both.at(y, 0));
    std::copy_n(&right.at(y, 0), right.width, &both.at(y, left.width));
  }
  return both;
}

std::string csv_of(const Study& study) {
  std::string text =
      "method,tissue,voxels,homogeneous,truth_mmol_per_l,mean_mmol_per_l,bias_mmol_per_l,bias_percent,"
      "sd_mmol_per_l,sd_percent,predicted_sd_mmol_per_l,truth_covered_percent,mean_covered_percent\n";
  for (const MethodResult& method : study.methods) {
    for (const TissueResult& tissue : method.tissues) {
      const double truth = tissue.region->truth;
      text += fmt::format("\"{}\",{},{},{},{},{:.3f},{:.3f},{:.2f},{:.3f},{:.2f},", method.name, tissue.region->tissue,
                          tissue.region->voxels.size(), tissue.region->homogeneous ? 1 : 0, truth, tissue.mean,
                          tissue.bias(), 100 * tissue.bias() / truth, tissue.standard_deviation,
                          100 * tissue.standard_deviation / truth);
      text += method.predicted.size() == 0 ? ",,\n"
                                           : fmt::format("{:.3f},{:.2f},{:.2f}\n", tissue.predicted,
                                                         100 * tissue.covered, 100 * tissue.covered_mean);
    }
  }
  return text;
}

}  // namespace

std::string table_of(const Study& study) {
  std::string text = fmt::format("{:<22}{:<22}{:>7}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>10}\n", "tissue", "method",
                                 "voxels", "mmol/L", "bias", "%", "sd", "%", "pred.", "covered %");
  for (std::size_t k = 0; k < study.regions.tissues.size(); ++k) {
    for (const MethodResult& method : study.methods) {
      const TissueResult& tissue = method.tissues[k];
      const double truth = tissue.region->truth;
      text += fmt::format("{:<22}{:<22}{:>7}{:>8.0f}{:>+8.1f}{:>+8.1f}{:>8.1f}{:>8.1f}", tissue.region->tissue,
                          method.name, tissue.region->voxels.size(), truth, tissue.bias(), 100 * tissue.bias() / truth,
                          tissue.standard_deviation, 100 * tissue.standard_deviation / truth);
      text += method.predicted.size() == 0 ? "\n"
                                           : fmt::format("{:>8.1f}{:>5.0f} {:>4.0f}\n", tissue.predicted,
                                                         100 * tissue.covered, 100 * tissue.covered_mean);
    }
  }
  return text;
}

void write_report(const Context& ctx, const Study& study, const std::filesystem::path& folder) {
  whorl::write_file(folder / "sodium.csv", csv_of(study));
  const MethodResult& gridding = method_of(study, "gridding");
  const MethodResult& plain = method_of(study, "least squares, decay");
  const MethodResult& prior = method_of(study, "prior, decay");
  constexpr whorl::DisplayWindow concentration{0, 150};
  constexpr whorl::DisplayWindow deviation{0, 10};
  const auto shown = whorl::Colormap::blue_yellow;
  const Picture top = picture_of(ctx, {study.truth, gridding.first, plain.first, prior.first}, shown, concentration);
  const Picture bottom = beside(picture_of(ctx, {study.proton}, whorl::Colormap::gray, {0, 1}),
                                picture_of(ctx, {gridding.standard_deviation, plain.predicted, prior.predicted},
                                           whorl::Colormap::hot, deviation));
  const Picture both =
      whorl::stacked(whorl::with_colorbar(top, shown, concentration, "mmol/L"),
                     whorl::with_colorbar(bottom, whorl::Colormap::hot, deviation, "standard deviation, mmol/L"), 6);
  whorl::write_picture(ctx, folder / "sodium.png", both);
  const double edge = field_of_view_mm;
  const whorl::Geometry geometry{{edge, edge, edge}};
  whorl::write_nifti<float>(ctx, folder / "truth.nii.gz", study.truth, geometry);
  whorl::write_nifti<float>(ctx, folder / "concentration.nii.gz", prior.first, geometry);
  whorl::write_nifti<float>(ctx, folder / "standard_deviation.nii.gz", prior.predicted, geometry);
}

}  // namespace sodium
