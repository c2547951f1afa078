#include "whorl/recon/outlook_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace whorl {

ObjectRange range_over(const Array<float>& values, const std::vector<Index>& object) {
  std::vector<float> inside;
  for (const Index voxel : object) inside.push_back(values.data()[voxel]);
  std::sort(inside.begin(), inside.end());
  const auto at = [&](double part) {
    return inside[static_cast<std::size_t>(part * static_cast<double>(inside.size() - 1))];
  };
  return {at(0.5), at(0.05), at(0.95)};
}

SpreadWidths spread_widths(const ScanOutlook& outlook, const ImageOutlook& image) {
  SpreadWidths widths;
  widths.values.assign(image.widths.rbegin(), image.widths.rend());
  const std::array<double, 3>& mm = outlook.voxel_mm;
  const bool is_mean = widths.values.size() == 1;
  if (!(mm[0] > 0) || (is_mean && std::abs(mm[1] / mm[0] - 1) > 1e-3)) {
    widths.unit = "voxels";
    return widths;
  }
  for (std::size_t axis = 0; axis < widths.values.size(); ++axis) widths.values[axis] *= mm[axis];
  return widths;
}

}  // namespace whorl
