#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "prior/resample_at.hpp"
#include "whorl/core/error.hpp"
#include "whorl/prior/reference_image.hpp"

namespace whorl {

namespace {

using Vector = std::array<double, 3>;  // along x, y, z

// From the voxels of the image to those of the reference: a + M (i, j, k).
struct IndexMap {
  std::array<Vector, 3> column{};
  Vector offset{};
};

Vector column_of(const Affine& affine, std::size_t column) {
  return {affine.matrix[0][column], affine.matrix[1][column], affine.matrix[2][column]};
}

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

double length(const Vector& a) { return std::sqrt(dot(a, a)); }

// The inverse of `to`, after `from`, by Cramer's rule.
IndexMap index_map(const Affine& from, const Affine& to, const std::string& source) {
  const Vector i = column_of(to, 0);
  const Vector j = column_of(to, 1);
  const Vector k = column_of(to, 2);
  const double volume = dot(i, cross(j, k));
  // With a volume below this part of the edges' product, the position has no correct digits.
  if (!(std::abs(volume) > 1e-6 * length(i) * length(j) * length(k))) {
    throw ValueError(
        fmt::format("reference '{}': its voxels have edges that lie in one plane or are 0; repair the "
                    "file's orientation",
                    source));
  }
  const auto solve = [&](const Vector& b) {
    return Vector{dot(b, cross(j, k)) / volume, dot(i, cross(b, k)) / volume, dot(i, cross(j, b)) / volume};
  };
  IndexMap map;
  for (std::size_t axis = 0; axis < 3; ++axis) map.column[axis] = solve(column_of(from, axis));
  Vector origin = column_of(from, 3);
  for (std::size_t row = 0; row < 3; ++row) origin[row] -= to.matrix[row][3];
  map.offset = solve(origin);
  return map;
}

// Points along each edge of a voxel of the image.
std::array<int, 3> subsamples(const IndexMap& map, const std::string& source) {
  constexpr double most = 64;
  std::array<int, 3> counts{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // Headers hold affines in float: without the margin, a ratio of 2 would sometimes give 3 points.
    const double steps = std::ceil(length(map.column[axis]) * (1 - 1e-4));
    if (!(steps <= most)) {
      throw ValueError(
          fmt::format("reference '{}': its voxels are less than 1/{} of the image's; check the units of "
                      "both geometries",
                      source, most));
    }
    counts[axis] = std::max(1, static_cast<int>(steps));
  }
  return counts;
}

// The reference with linear interpolation between the centers of its voxels, constant in the outer half of the outer.
class Interpolated {
 public:
  Interpolated(const Array<float>& values, const IndexMap& map) : values_(values.data()) {
    const int rank = values.rank();
    extent_ = {values.extent(rank - 1), values.extent(rank - 2), rank == 3 ? values.extent(0) : 1};
    // All slices together may be thinner than a voxel of the image: then they stand for as much as it is thick.
    double thickness = 0;  // of the voxel, in slices
    for (const Vector& column : map.column) thickness += std::abs(column[2]);
    beyond_ = std::max(0.0, (thickness - static_cast<double>(extent_[2])) / 2);
  }

  bool covers(const Vector& at) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double outer = 0.5 + (axis == 2 ? beyond_ : 0);
      if (!(at[axis] >= -outer && at[axis] <= static_cast<double>(extent_[axis]) - 1 + outer)) return false;
    }
    return true;
  }

  double operator()(const Vector& at) const {
    std::array<Index, 3> first{};
    std::array<Index, 3> step{};
    Vector part{};
    Index stride = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double inside = std::clamp(at[axis], 0.0, static_cast<double>(extent_[axis] - 1));
      const auto below = std::min(static_cast<Index>(inside), std::max<Index>(extent_[axis] - 2, 0));
      first[axis] = below * stride;
      step[axis] = extent_[axis] > 1 ? stride : 0;
      part[axis] = inside - static_cast<double>(below);
      stride *= extent_[axis];
    }
    const float* corner = values_ + first[0] + first[1] + first[2];
    const auto along_x = [&](Index offset) {
      return (1 - part[0]) * corner[offset] + part[0] * corner[offset + step[0]];
    };
    const auto along_y = [&](Index offset) {
      return (1 - part[1]) * along_x(offset) + part[1] * along_x(offset + step[1]);
    };
    return (1 - part[2]) * along_y(0) + part[2] * along_y(step[2]);
  }

 private:
  const float* values_;
  std::array<Index, 3> extent_{};
  double beyond_ = 0;  // slices that are covered beyond the outer ones
};

struct VoxelMean {
  double value = 0;
  bool covered = false;
};

VoxelMean mean_of_voxel(const Interpolated& reference, const IndexMap& map, const std::array<int, 3>& counts,
                        const Vector& voxel) {
  double sum = 0;
  int inside = 0;
  for (int c = 0; c < counts[2]; ++c) {
    for (int b = 0; b < counts[1]; ++b) {
      for (int a = 0; a < counts[0]; ++a) {
        const Vector point{voxel[0] + (a + 0.5) / counts[0] - 0.5, voxel[1] + (b + 0.5) / counts[1] - 0.5,
                           voxel[2] + (c + 0.5) / counts[2] - 0.5};
        Vector at = map.offset;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          for (std::size_t row = 0; row < 3; ++row) at[row] += map.column[axis][row] * point[axis];
        }
        if (!reference.covers(at)) continue;
        sum += reference(at);
        ++inside;
      }
    }
  }
  if (inside == 0 || 2 * inside < counts[0] * counts[1] * counts[2]) return {};
  return {sum / inside, true};
}

ResampledReference by_index(const Context& ctx, const ReferenceImage& reference, const Shape& image) {
  if (reference.values.shape() != image) {
    throw ValueError(
        fmt::format("reference '{}': it or the scan has no place in the scanner (no orientation code, no "
                    "field of view), so that only an image of shape {} can be taken, voxel by voxel; got {}",
                    reference.source, to_string(image), to_string(reference.values.shape())));
  }
  return {clone(ctx.host(), reference.values.ref()), 1, true};
}

}  // namespace

ResampledReference prior::resample_at(const Context& ctx, const ReferenceImage& reference, const Affine& there,
                                      const Geometry& geometry, const std::array<Index, 3>& matrix) {
  const Affine affine = voxel_affine(geometry, matrix);
  const auto [nx, ny, nz] = matrix;
  const Shape image = nz > 1 ? Shape{nz, ny, nx} : Shape{ny, nx};
  if (!affine.in_scanner || !there.in_scanner) return by_index(ctx, reference, image);
  const IndexMap map = index_map(affine, there, reference.source);
  const std::array<int, 3> counts = subsamples(map, reference.source);
  const Interpolated values(reference.values, map);
  ResampledReference result{Array<float>(ctx.host(), image)};
  const Index width = matrix[0];
  const Index height = matrix[1];
  Index covered = 0;
#pragma omp parallel for schedule(static) num_threads(ctx.threads()) reduction(+ : covered)
  for (Index line = 0; line < height * matrix[2]; ++line) {
    if (ctx.cancel_requested()) continue;
    const Index y = line % height;
    const Index z = line / height;
    for (Index x = 0; x < width; ++x) {
      const VoxelMean mean =
          mean_of_voxel(values, map, counts, {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
      result.values.data()[line * width + x] = static_cast<float>(mean.value);
      covered += mean.covered ? 1 : 0;
    }
  }
  ctx.check_cancel("reference");
  result.covered = static_cast<double>(covered) / static_cast<double>(image.size());
  return result;
}

void prior::check_covered(const ResampledReference& resampled, const ReferenceImage& reference,
                          const Geometry& geometry) {
  if (resampled.covered > 0) return;
  throw ValueError(
      fmt::format("reference '{}': it covers nothing of the image at ({:.4g}, {:.4g}, {:.4g}) mm (LPS); "
                  "take one of the same place, or check both geometries",
                  reference.source, geometry.position_mm[0], geometry.position_mm[1], geometry.position_mm[2]));
}

ResampledReference resample(const Context& ctx, const ReferenceImage& reference, const Geometry& geometry,
                            const std::array<Index, 3>& matrix) {
  ResampledReference result = prior::resample_at(ctx, reference, reference.affine, geometry, matrix);
  prior::check_covered(result, reference, geometry);
  return result;
}

}  // namespace whorl
