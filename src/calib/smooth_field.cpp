#include "calib/smooth_field.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "calib/median.hpp"
#include "whorl/core/array.hpp"
#include "whorl/op/differences.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl {

namespace {

using Complex = std::complex<double>;

constexpr double still = 1e-3;  // rad of the longest spacing, root-mean-square in the mask: less than noise can tell

// beta (D^H D)^2 of a field, in units of a pixel, without those of Differences.
class Roughness {
 public:
  Roughness(const std::array<Index, 3>& extent, double beta)
      : axes_{.z = extent[0] > 1, .y = extent[1] > 1, .x = extent[2] > 1},
        differences_(extent[0] > 1 ? Shape{extent[0], extent[1], extent[2]} : Shape{extent[1], extent[2]}, axes_),
        scale_(beta * std::pow(4.0 * axes_.count(), 2)) {}

  const Shape& shape() const { return differences_.domain(); }
  // Diagonal at a voxel within the image: the square of 2 per axis, and 1 for each neighbor.
  double diagonal() const {
    const double axes = axes_.count();
    return scale_ / std::pow(4 * axes, 2) * (4 * axes * axes + 2 * axes);
  }
  void add(const Context& ctx, ArrayRef<const Complex> x, Array<Complex>& scratch, Array<Complex>& twice,
           ArrayRef<Complex> sum) const {
    if (scale_ == 0) return;
    differences_.normal(ctx, x, scratch);
    differences_.normal(ctx, scratch, twice);
    for (Index v = 0; v < x.size(); ++v) sum.data()[v] += scale_ * twice.data()[v];
  }

 private:
  DifferenceAxes axes_;
  Differences<double> differences_;
  double scale_;
};

double median_curvature(const EchoPairs& pairs, const SmoothFit& fit, const std::vector<double>& field) {
  std::vector<double> curvatures;
  for (std::size_t v = 0; v < field.size(); ++v) {
    if (fit.mask[v] != 0) {
      curvatures.push_back(pairs.slope(static_cast<Index>(v), field[v], fit.longest).curvature);
    }
  }
  return median(std::move(curvatures));
}

}  // namespace

void continue_outside(const std::array<Index, 3>& extent, const std::vector<char>& mask, std::vector<double>& field) {
  const std::array<Index, 3> step{extent[1] * extent[2], extent[2], 1};
  std::vector<char> known = mask;
  std::vector<Index> edge;
  const auto each_neighbor = [&](Index v, const auto& work) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Index place = v / step[axis] % extent[axis];
      if (place > 0) work(v - step[axis]);
      if (place < extent[axis] - 1) work(v + step[axis]);
    }
  };
  for (Index v = 0; v < static_cast<Index>(mask.size()); ++v) {
    if (mask[static_cast<std::size_t>(v)] != 0) edge.push_back(v);
  }
  while (!edge.empty()) {
    std::vector<Index> next;
    for (const Index v : edge) {
      each_neighbor(v, [&](Index n) {
        if (known[static_cast<std::size_t>(n)] == 0) next.push_back(n);
      });
    }
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    for (const Index v : next) {
      double sum = 0;
      int count = 0;
      each_neighbor(v, [&](Index n) {
        if (known[static_cast<std::size_t>(n)] == 0) return;
        sum += field[static_cast<std::size_t>(n)];
        ++count;
      });
      field[static_cast<std::size_t>(v)] = sum / count;
    }
    for (const Index v : next) known[static_cast<std::size_t>(v)] = 1;
    edge = std::move(next);
  }
}

void smooth_field(const Context& ctx, const EchoPairs& pairs, const SmoothFit& fit, std::vector<double>& field) {
  const Context host = ctx.host();
  const auto voxels = static_cast<Index>(field.size());
  const double beta = std::pow(fit.smoothness, 4) * median_curvature(pairs, fit, field);
  const Roughness roughness(fit.extent, beta);
  Array<Complex> f(host, roughness.shape());
  Array<Complex> right(host, f.shape());
  Array<Complex> change(host, f.shape());
  Array<Complex> scaled(host, f.shape());
  Array<Complex> scratch(host, f.shape());
  Array<Complex> twice(host, f.shape());
  std::vector<double> curvature(field.size());
  std::vector<double> scale(field.size());
  const double inside = static_cast<double>(std::count(fit.mask.begin(), fit.mask.end(), char{1}));
  for (int iteration = 0; iteration < fit.iterations; ++iteration) {
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
    for (Index v = 0; v < voxels; ++v) {
      const auto i = static_cast<std::size_t>(v);
      const auto slope = fit.mask[i] != 0 ? pairs.slope(v, field[i], fit.longest) : EchoPairs::Slope{};
      curvature[i] = std::max(slope.curvature, 0.0);
      // Scaled by the root of the diagonal: signals of voxels differ by orders of magnitude.
      const double diagonal = curvature[i] + roughness.diagonal();
      scale[i] = diagonal > 0 ? 1 / std::sqrt(diagonal) : 0;
      f.data()[v] = field[i];
      right.data()[v] = slope.first;
    }
    roughness.add(host, f, scratch, twice, right);
    for (Index v = 0; v < voxels; ++v) right.data()[v] *= -scale[static_cast<std::size_t>(v)];
    fill<Complex>(change, 0);
    const auto normal = [&](const Context& run, ArrayRef<const Complex> x, ArrayRef<Complex> z) {
      for (Index v = 0; v < voxels; ++v) {
        scaled.data()[v] = scale[static_cast<std::size_t>(v)] * x.data()[v];
        z.data()[v] = curvature[static_cast<std::size_t>(v)] * scaled.data()[v];
      }
      roughness.add(run, scaled, scratch, twice, z);
      for (Index v = 0; v < voxels; ++v) z.data()[v] *= scale[static_cast<std::size_t>(v)];
    };
    conjugate_gradient<double>(host, normal, right, change, {.iterations = 300, .tolerance = 1e-4});
    double square = 0;
    for (Index v = 0; v < voxels; ++v) {
      const auto i = static_cast<std::size_t>(v);
      const double step = scale[i] * change.data()[v].real();
      field[i] += step;
      if (fit.mask[i] != 0) square += step * step;
    }
    if (2 * std::numbers::pi * fit.longest * std::sqrt(square / inside) < still) return;
  }
}

}  // namespace whorl
