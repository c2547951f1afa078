#include "studies/fmri/realign.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/rotation.hpp"
#include "studies/fmri/scan.hpp"

namespace whorl::studies::fmri {

namespace {

using Vector3 = std::array<double, 3>;

constexpr double degree = std::numbers::pi / 180;

// A point of the first image, seen from the middle, is at R u + shift in the volume.
struct Place {
  detail::Rotation rotation = detail::rotation_about_axes(0, 0, 0);
  Vector3 shift{};

  Vector3 operator()(const Vector3& u) const {
    Vector3 to = shift;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) to[i] += rotation[i][j] * u[j];
    }
    return to;
  }
};

Place place_of(const ObjectPose& pose) {
  const auto& angles = pose.rotation_degrees;
  Place place{detail::rotation_about_axes(degree * angles[0], degree * angles[1], degree * angles[2]), {}};
  for (std::size_t i = 0; i < 3; ++i) place.shift[i] = pose.shift_mm[i] / voxel_mm;
  return place;
}

ObjectPose pose_of(const Place& place) {
  const detail::Rotation& r = place.rotation;  // Rz Ry Rx
  ObjectPose pose;
  pose.rotation_degrees = {std::atan2(r[2][1], r[2][2]) / degree, std::asin(std::clamp(-r[2][0], -1.0, 1.0)) / degree,
                           std::atan2(r[1][0], r[0][0]) / degree};
  for (std::size_t i = 0; i < 3; ++i) pose.shift_mm[i] = place.shift[i] * voxel_mm;
  return pose;
}

// Keys' weights of the four neighbors of a place t beyond the second.
std::array<float, 4> cubic(float t) {
  const float s = 1 - t;
  return {-0.5F * t * s * s, 1 + t * t * (1.5F * t - 2.5F), 1 + s * s * (1.5F * s - 2.5F), -0.5F * s * t * t};
}

struct Neighbors {
  std::array<Index, 4> at{};
  std::array<float, 4> weights{};
};

Neighbors neighbors_of(double place, Index extent) {
  const double floor = std::floor(place);
  Neighbors result;
  result.weights = cubic(static_cast<float>(place - floor));
  for (Index i = 0; i < 4; ++i) {
    result.at[static_cast<std::size_t>(i)] = std::clamp<Index>(static_cast<Index>(floor) - 1 + i, 0, extent - 1);
  }
  return result;
}

float interpolated(const View<const float, 3>& volume, const Vector3& place) {
  const Neighbors x = neighbors_of(place[0], volume.extent(2));
  const Neighbors y = neighbors_of(place[1], volume.extent(1));
  const Neighbors z = neighbors_of(place[2], volume.extent(0));
  float sum = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t j = 0; j < 4; ++j) {
      float row = 0;
      for (std::size_t i = 0; i < 4; ++i) row += x.weights[i] * volume(z.at[k], y.at[j], x.at[i]);
      sum += z.weights[k] * y.weights[j] * row;
    }
  }
  return sum;
}

/// Calls work(voxel, x, y, z seen from the middle) for each voxel, by the context's threads.
template <class Work>
void for_voxels(const Context& ctx, const Shape& shape, const Work& work) {
  const Index nz = shape[0];
  const Index ny = shape[1];
  const Index nx = shape[2];
  const std::array<Index, 3> middle{nx / 2, ny / 2, nz / 2};
#pragma omp parallel for num_threads(ctx.threads())
  for (Index z = 0; z < nz; ++z) {
    for (Index y = 0; y < ny; ++y) {
      for (Index x = 0; x < nx; ++x) {
        work((z * ny + y) * nx + x, Vector3{static_cast<double>(x - middle[0]), static_cast<double>(y - middle[1]),
                                            static_cast<double>(z - middle[2])});
      }
    }
  }
}

/// Along one axis: line i has its values `stride` apart.
void smooth_axis(const Context& ctx, const Shape& shape, int axis, const float* from, float* to) {
  constexpr Index reach = 3;
  static const std::array<float, reach + 1> weights = [] {
    std::array<float, reach + 1> w{};
    float sum = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      w[i] = std::exp(-0.5F * static_cast<float>(i * i));
      sum += i == 0 ? w[i] : 2 * w[i];
    }
    for (float& one : w) one /= sum;
    return w;
  }();
  Index stride = 1;
  for (int i = 2; i > axis; --i) stride *= shape[i];
  const Index extent = shape[axis];
  const Index size = shape.size();
#pragma omp parallel for num_threads(ctx.threads())
  for (Index voxel = 0; voxel < size; ++voxel) {
    const Index place = voxel / stride % extent;
    const float* line = from + voxel - place * stride;
    float sum = weights[0] * from[voxel];
    for (Index i = 1; i <= reach; ++i) {
      const Index low = std::max<Index>(0, place - i);
      const Index high = std::min(extent - 1, place + i);
      sum += weights[static_cast<std::size_t>(i)] * (line[low * stride] + line[high * stride]);
    }
    to[voxel] = sum;
  }
}

Array<float> smoothed(const Context& ctx, ArrayRef<const float> volume) {
  Array<float> a(ctx.host(), volume.shape());
  Array<float> b(ctx.host(), volume.shape());
  smooth_axis(ctx, volume.shape(), 0, volume.data(), a.data());
  smooth_axis(ctx, volume.shape(), 1, a.data(), b.data());
  smooth_axis(ctx, volume.shape(), 2, b.data(), a.data());
  return a;
}

Array<float> seen_at(const Context& ctx, const Place& place, ArrayRef<const float> volume) {
  Array<float> result(ctx.host(), volume.shape());
  const auto from = volume.view<3>();
  Vector3 middle{};
  for (int axis = 0; axis < 3; ++axis) {
    const Index half = volume.extent(2 - axis) / 2;
    middle[static_cast<std::size_t>(axis)] = static_cast<double>(half);
  }
  for_voxels(ctx, volume.shape(), [&](Index voxel, const Vector3& u) {
    Vector3 at = place(u);
    for (std::size_t i = 0; i < 3; ++i) at[i] += middle[i];
    result.data()[voxel] = interpolated(from, at);
  });
  return result;
}

}  // namespace

Realign::Realign(const Context& ctx, ArrayRef<const float> first) : first_(smoothed(ctx, first)) {
  slopes_.resize(static_cast<std::size_t>(first.size()));
  const auto image = first_.view<3>();
  const auto slope = [&](Index z, Index y, Index x, std::size_t axis) {
    std::array<Index, 3> low{x, y, z};
    std::array<Index, 3> high{x, y, z};
    const Index extent = image.extent(static_cast<int>(2 - axis));
    low[axis] = std::max<Index>(0, low[axis] - 1);
    high[axis] = std::min<Index>(extent - 1, high[axis] + 1);
    return 0.5F * (image(high[2], high[1], high[0]) - image(low[2], low[1], low[0]));
  };
  for_voxels(ctx, first.shape(), [&](Index voxel, const Vector3& u) {
    const Index x = voxel % first.extent(2);
    const Index y = voxel / first.extent(2) % first.extent(1);
    const Index z = voxel / (first.extent(2) * first.extent(1));
    const std::array<float, 3> g{slope(z, y, x, 0), slope(z, y, x, 1), slope(z, y, x, 2)};
    const std::array<float, 3> r{static_cast<float>(u[0]), static_cast<float>(u[1]), static_cast<float>(u[2])};
    // A turn about an axis moves u by the product of axis and u.
    slopes_[static_cast<std::size_t>(voxel)] = {
        g[0], g[1], g[2], g[2] * r[1] - g[1] * r[2], g[0] * r[2] - g[2] * r[0], g[1] * r[0] - g[0] * r[1]};
  });
  Eigen::Matrix<double, 6, 6> products = Eigen::Matrix<double, 6, 6>::Zero();
  for (const std::array<float, 6>& row : slopes_) {
    const Eigen::Matrix<double, 6, 1> v = Eigen::Map<const Eigen::Matrix<float, 6, 1>>(row.data()).cast<double>();
    products += v * v.transpose();
  }
  const Eigen::Matrix<double, 6, 6> inverse = products.inverse();
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) inverse_[i][j] = inverse(static_cast<int>(i), static_cast<int>(j));
  }
}

ObjectPose Realign::estimate(const Context& ctx, ArrayRef<const float> volume) const {
  constexpr int most_steps = 20;
  constexpr double least_step = 1e-4;  // voxels; radians at a distance of a voxel
  const Array<float> smooth = smoothed(ctx, volume);
  Place place;
  for (int step = 0; step < most_steps; ++step) {
    const Array<float> seen = seen_at(ctx, place, smooth);
    Vector6 sums{};
    for (std::size_t voxel = 0; voxel < slopes_.size(); ++voxel) {
      const double difference = static_cast<double>(seen.data()[voxel]) - first_.data()[voxel];
      for (std::size_t i = 0; i < 6; ++i) sums[i] += slopes_[voxel][i] * difference;
    }
    Vector6 change{};
    double largest = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) change[i] += inverse_[i][j] * sums[j];
      largest = std::max(largest, std::abs(change[i]));
    }
    // The first image moved by `change` is what is seen: the place is followed by the inverse of that.
    const detail::Rotation forth = detail::rotation_about_axes(change[3], change[4], change[5]);
    Place back;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        back.rotation[i][j] = forth[j][i];
        back.shift[i] -= forth[j][i] * change[j];
      }
    }
    place = {detail::product(place.rotation, back.rotation), place(back.shift)};
    if (largest < least_step) break;
  }
  return pose_of(place);
}

Array<float> Realign::undo(const Context& ctx, const ObjectPose& pose, ArrayRef<const float> volume) const {
  return seen_at(ctx, place_of(pose), volume);
}

}  // namespace whorl::studies::fmri
