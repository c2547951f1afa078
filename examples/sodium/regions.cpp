#include "regions.hpp"

#include <algorithm>
#include <cmath>

namespace sodium {

namespace {

using whorl::ArrayRef;
using whorl::Index;

// True if all voxels at most `reach` away along each axis pass.
template <class Pass>
bool all_around(Index voxel, Index size, Index reach, const Pass& pass) {
  const Index x = voxel % size;
  const Index y = voxel / size % size;
  const Index z = voxel / size / size;
  if (std::min({x, y, z}) < reach || std::max({x, y, z}) >= size - reach) return false;
  for (Index dz = -reach; dz <= reach; ++dz) {
    for (Index dy = -reach; dy <= reach; ++dy) {
      for (Index dx = -reach; dx <= reach; ++dx) {
        if (!pass(voxel + (dz * size + dy) * size + dx)) return false;
      }
    }
  }
  return true;
}

double mean_over(const std::vector<Index>& voxels, ArrayRef<const std::complex<float>> image) {
  double sum = 0;
  for (const Index voxel : voxels) sum += double{image.data()[voxel].real()};
  return sum / static_cast<double>(voxels.size());
}

bool within_coils(Index voxel, Index size) {
  const double half = static_cast<double>(size) / 2;
  return std::hypot(static_cast<double>(voxel % size) - half, static_cast<double>(voxel / size % size) - half) <
         0.9 * half;
}

}  // namespace

Regions find_regions(const Head& head, ArrayRef<const float> portions) {
  constexpr float pure = 0.99F;
  constexpr std::size_t enough = 8;
  const Index size = portions.extent(-1);
  const Index voxels = size * size * size;
  Regions regions;
  for (std::size_t k = 0; k < head.tissues.size(); ++k) {
    const float* portion = portions.data() + static_cast<Index>(k) * voxels;
    const auto is_pure = [&](Index voxel) { return portion[voxel] >= pure; };
    PureRegion inner{head.tissues[k].name, head.tissues[k].concentration, {}, true};
    PureRegion all{head.tissues[k].name, head.tissues[k].concentration, {}, false};
    for (Index voxel = 0; voxel < voxels; ++voxel) {
      if (is_pure(voxel)) all.voxels.push_back(voxel);
      if (is_pure(voxel) && all_around(voxel, size, 1, is_pure)) inner.voxels.push_back(voxel);
    }
    if (inner.voxels.size() >= enough) {
      regions.tissues.push_back(std::move(inner));
    } else if (!all.voxels.empty()) {
      regions.tissues.push_back(std::move(all));
    }
  }
  const auto is_air = [&](Index voxel) {
    for (std::size_t k = 0; k < head.tissues.size(); ++k) {
      if (portions.data()[static_cast<Index>(k) * voxels + voxel] > 0) return false;
    }
    return true;
  };
  for (Index voxel = 0; voxel < voxels; ++voxel) {
    if (within_coils(voxel, size) && all_around(voxel, size, 2, is_air)) regions.air.push_back(voxel);
  }
  return regions;
}

Calibration calibrate(const Regions& regions, ArrayRef<const std::complex<float>> image) {
  std::vector<std::pair<double, double>> points{{mean_over(regions.air, image), 0.0}};
  for (const PureRegion& region : regions.tissues) {
    if (region.tissue.starts_with("vial")) points.emplace_back(mean_over(region.voxels, image), region.truth);
  }
  double x = 0;
  double y = 0;
  for (const auto& [value, truth] : points) {
    x += value / static_cast<double>(points.size());
    y += truth / static_cast<double>(points.size());
  }
  double xx = 0;
  double xy = 0;
  for (const auto& [value, truth] : points) {
    xx += (value - x) * (value - x);
    xy += (value - x) * (truth - y);
  }
  const double slope = xy / xx;
  return {slope, y - slope * x};
}

}  // namespace sodium
