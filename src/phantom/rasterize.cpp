// Images of phantoms: lines along x, cut by every figure.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.hpp"
#include "phantom/checks.hpp"
#include "phantom/chords.hpp"
#include "phantom/raster.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/phantom.hpp"

namespace whorl {
namespace {

constexpr int most_subsamples = 64;

struct Layer {
  detail::Chords chords;
  double value;
};

// The sum of one value of the tissues on the grid of an image.
class Raster {
 public:
  Raster(const Phantom& phantom, const std::array<Index, 3>& matrix, int subsamples, double Tissue::*value)
      : matrix_(matrix), subsamples_(subsamples), dim_(detail::matrix_dim(matrix)) {
    for (const Region& region : phantom.regions) {
      if (region.added.*value != 0) layers_.push_back({detail::Chords(region.figure, dim_), region.added.*value});
    }
  }

  // The means of one row of voxels.
  std::vector<double> row(Index y, Index z) const {
    std::vector<double> sums(static_cast<std::size_t>(matrix_[0]));
    const int planes = dim_ == 3 ? subsamples_ : 1;
    for (int plane = 0; plane < planes; ++plane) {
      for (int line = 0; line < subsamples_; ++line) {
        const double place_y = place(1, y * subsamples_ + line);
        const double place_z = dim_ == 3 ? place(2, z * subsamples_ + plane) : 0;
        for (const Layer& layer : layers_) {
          for (const auto& [enter, leave] : layer.chords.at(place_y, place_z)) add(enter, leave, layer.value, sums);
        }
      }
    }
    for (double& sum : sums) sum /= static_cast<double>(subsamples_) * subsamples_ * planes;
    return sums;
  }

 private:
  // Place of a subsample along an axis, in halves of the field of view.
  double place(std::size_t axis, Index subsample) const {
    const double voxel = (static_cast<double>(subsample) + 0.5) / subsamples_ - 0.5;
    const Index center = matrix_[axis] / 2;
    return (voxel - static_cast<double>(center)) / (static_cast<double>(matrix_[axis]) / 2);
  }

  // The subsample whose place is x, before it is rounded to a whole number.
  double subsample_at(double x) const {
    const Index center = matrix_[0] / 2;
    const double voxel = x * static_cast<double>(matrix_[0]) / 2 + static_cast<double>(center);
    return (voxel + 0.5) * subsamples_ - 0.5;
  }

  void add(double enter, double leave, double value, std::vector<double>& sums) const {
    const auto last = static_cast<double>(matrix_[0] * subsamples_ - 1);
    const double first_inside = std::ceil(std::clamp(subsample_at(enter), 0.0, last + 1));
    const double last_inside = std::floor(std::clamp(subsample_at(leave), -1.0, last));
    for (auto i = static_cast<Index>(first_inside); i <= static_cast<Index>(last_inside); ++i) {
      sums[static_cast<std::size_t>(i / subsamples_)] += value;
    }
  }

  std::array<Index, 3> matrix_;
  int subsamples_;
  int dim_;
  std::vector<Layer> layers_;
};

}  // namespace

template <class Real>
Array<Real> detail::raster_of(const Context& ctx, const Phantom& phantom, const std::array<Index, 3>& matrix,
                              int subsamples, double Tissue::*value) {
  detail::check_phantom(phantom, matrix);
  if (subsamples < 1 || subsamples > most_subsamples) {
    throw ValueError(
        fmt::format("rasterize: expected 1 to {} subsamples along each axis, got {}", most_subsamples, subsamples));
  }
  const Raster raster(phantom, matrix, subsamples, value);
  Array<Real> image(ctx, detail::matrix_shape(matrix));
  Real* out = image.data();
  ProgressStage stage(ctx, "phantom: image", matrix[2]);
  for (Index z = 0; z < matrix[2]; ++z) {
    detail::parallel_for(ctx, "phantom: image", 0, matrix[1], [&](Index y) {
      const std::vector<double> row = raster.row(y, z);
      std::transform(row.begin(), row.end(), out + (z * matrix[1] + y) * matrix[0],
                     [](double mean) { return static_cast<Real>(mean); });
    });
    stage.advance();
  }
  return image;
}

template <Precision Real>
Array<Real> rasterize(const Context& ctx, const Phantom& phantom, const std::array<Index, 3>& matrix, int subsamples) {
  return detail::raster_of<Real>(ctx, phantom, matrix, subsamples, &Tissue::intensity);
}

Array<float> r2_star_map(const Context& ctx, const Phantom& phantom, const std::array<Index, 3>& matrix) {
  return detail::raster_of<float>(ctx, phantom, matrix, 1, &Tissue::r2_star);
}

template Array<float> detail::raster_of(const Context&, const Phantom&, const std::array<Index, 3>&, int,
                                        double Tissue::*);
template Array<double> detail::raster_of(const Context&, const Phantom&, const std::array<Index, 3>&, int,
                                         double Tissue::*);
template Array<float> rasterize(const Context&, const Phantom&, const std::array<Index, 3>&, int);
template Array<double> rasterize(const Context&, const Phantom&, const std::array<Index, 3>&, int);

}  // namespace whorl
