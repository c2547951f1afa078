// Ellipsoids, boxes and cylinders: the transform of the unit figure at A^T k, times |det A|.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "kernels/solid_values.hpp"
#include "phantom/figure_transform.hpp"
#include "phantom/sinc.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::detail {
namespace {

// Semi-axes and angle are those of the field of view's own coordinates; an unequal matrix stretches them, so A is kept
// whole: its transpose takes k in cycles per pixel to the coordinates of the unit figure.
Eigen::Matrix3d stretch(const Solid& solid, const TransformGeometry& geometry) {
  const double cosine = std::cos(solid.angle);
  const double sine = std::sin(solid.angle);
  const auto& half = geometry.half;
  const auto& axes = solid.half_axes;
  Eigen::Matrix3d transposed;
  transposed << half[0] * cosine * axes[0], half[1] * sine * axes[0], 0,  //
      -half[0] * sine * axes[1], half[1] * cosine * axes[1], 0,           //
      0, 0, half[2] * (geometry.dim == 3 ? axes[2] : 1);
  return transposed;
}

const Solid& solid_of(const Region& region) { return std::get<Solid>(region.figure); }

class SolidTransform final : public FigureTransform {
 public:
  // Regions whose solids differ by their place alone.
  SolidTransform(const std::vector<const Region*>& regions, const TransformGeometry& geometry)
      : kind_(solid_of(*regions.front()).kind),
        dim_(geometry.dim),
        to_unit_(stretch(solid_of(*regions.front()), geometry)),
        shift_(two_pi * to_unit_ * geometry.frequencies),
        sine_(shift_.array().sin()),
        cosine_(shift_.array().cos()),
        shift_rows_(Eigen::MatrixX3d::Zero(round_up(shift_.cols(), 8), 3)) {
    shift_rows_.topRows(shift_.cols()) = shift_.transpose();
    const auto count = static_cast<Eigen::Index>(regions.size());
    places_.resize(3, count);
    Eigen::VectorXd weights(count);
    const double volume = geometry.dim == 3 ? to_unit_.determinant() : to_unit_.topLeftCorner<2, 2>().determinant();
    for (Eigen::Index place = 0; place < count; ++place) {
      const Region& region = *regions[static_cast<std::size_t>(place)];
      const auto& center = solid_of(region).center;
      for (Eigen::Index axis = 0; axis < 3; ++axis) {
        const auto d = static_cast<std::size_t>(axis);
        places_(axis, place) = axis < geometry.dim ? geometry.half[d] * center[d] : 0;
      }
      weights(place) = region.added.intensity * volume;
    }
    phases_ = Eigen::MatrixXcd::Zero(shift_rows_.rows(), count);
    phases_.topRows(shift_.cols()) = turned(geometry.frequencies.transpose() * places_) * weights.asDiagonal();
  }

  void add(const Eigen::Matrix3Xd& k, Eigen::MatrixXcd& values) const override {
    const Eigen::MatrixXcd turns = turned(-(places_.transpose() * k));
    const Eigen::Matrix3Xd unit = two_pi * to_unit_ * k;
    if (kind_ == SolidKind::box) {
      add_boxes(unit, phases_ * turns, values);
      return;
    }
    const auto shape = dim_ == 2                       ? kernels::UnitSolid::disk
                       : kind_ == SolidKind::ellipsoid ? kernels::UnitSolid::ball
                                                       : kernels::UnitSolid::cylinder;
    const kernels::SolidValues what{shape, unit.cols(), values.rows(), shift_rows_.rows()};
    if (turns.rows() == 1) {
      kernels::add_solid_values(DeviceKind::cpu, what, unit.data(), shift_rows_.data(), turns.data(), phases_.data(),
                                values.data());
    } else {
      const Eigen::MatrixXcd phases = phases_ * turns;
      kernels::add_solid_values(DeviceKind::cpu, what, unit.data(), shift_rows_.data(), nullptr, phases.data(),
                                values.data());
    }
  }

 private:
  void add_boxes(const Eigen::Matrix3Xd& unit, const Eigen::MatrixXcd& phases, Eigen::MatrixXcd& values) const {
    const Eigen::Matrix3Xd sine = unit.array().sin();
    const Eigen::Matrix3Xd cosine = unit.array().cos();
    for (Eigen::Index sample = 0; sample < values.cols(); ++sample) {
      for (Eigen::Index term = 0; term < values.rows(); ++term) {
        double product = 1;
        for (Eigen::Index axis = 0; axis < dim_; ++axis) {
          product *= 2 * sinc_of_difference(unit(axis, sample) - shift_(axis, term), sine(axis, sample),
                                            cosine(axis, sample), sine_(axis, term), cosine_(axis, term));
        }
        values(term, sample) += phases(term, sample) * product;
      }
    }
  }

  SolidKind kind_;
  int dim_;
  Eigen::Matrix3d to_unit_;         // A^T
  Eigen::Matrix3Xd shift_;          // 2 pi A^T q [3, term]
  Eigen::Matrix3Xd sine_, cosine_;  // of shift_
  Eigen::MatrixX3d shift_rows_;     // shift_ [term, 3], with terms of 0 up to a multiple of 8
  Eigen::Matrix3Xd places_;         // centers in pixels [3, place]
  Eigen::MatrixXcd phases_;         // intensity * |det A| * exp(2 pi i q.center) [term, place], with
                                    // terms of 0 as there
};

bool differ_by_place(const Solid& a, const Solid& b) {
  return a.kind == b.kind && a.half_axes == b.half_axes && a.angle == b.angle;
}

}  // namespace

FigureTransforms make_solid_transforms(std::span<const Region> regions, const TransformGeometry& geometry) {
  std::vector<std::vector<const Region*>> groups;
  for (const Region& region : regions) {
    const Solid* solid = std::get_if<Solid>(&region.figure);
    if (solid == nullptr) continue;
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const std::vector<const Region*>& members) {
      return differ_by_place(solid_of(*members.front()), *solid);
    });
    if (group == groups.end()) {
      groups.push_back({&region});
    } else {
      group->push_back(&region);
    }
  }
  FigureTransforms transforms;
  for (const auto& group : groups) transforms.push_back(std::make_unique<SolidTransform>(group, geometry));
  return transforms;
}

}  // namespace whorl::detail
