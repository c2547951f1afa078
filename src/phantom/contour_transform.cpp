#include "phantom/contour_transform.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "phantom/figure_transform.hpp"
#include "phantom/sinc.hpp"

namespace whorl::detail {
namespace {

// A prism along z, or its cross section in 2D. Coils have few different frequencies in the plane: the region is
// transformed once for each of these.
class ContourTransform final : public FigureTransform {
 public:
  ContourTransform(const Contour& contour, double intensity, const TransformGeometry& geometry)
      : intensity_(intensity), is_prism_(geometry.dim == 3), frequencies_z_(geometry.frequencies.row(2)) {
    const Eigen::Vector2d half(geometry.half[0], geometry.half[1]);
    center_z_ = is_prism_ ? geometry.half[2] * contour.center_z : 0;
    half_length_ = geometry.half[2] * contour.half_length;
    Eigen::Matrix2Xd plane(2, 0);
    for (Eigen::Index term = 0; term < geometry.frequencies.cols(); ++term) {
      const Eigen::Vector2d q = geometry.frequencies.col(term).head<2>();
      Eigen::Index same = 0;
      while (same < plane.cols() && plane.col(same) != q) ++same;
      if (same == plane.cols()) {
        plane.conservativeResize(2, same + 1);
        plane.col(same) = q;
      }
      plane_term_.push_back(same);
    }
    plane_terms_ = plane.cols();
    const std::vector<CurvePiece> pieces = curve_pieces(contour, half);
    plane_ = contour.kind == ContourKind::polygon ? make_polygon_transform(pieces, plane)
                                                  : make_spline_transform(pieces, plane, geometry.largest_k);
  }

  void add(const Eigen::Matrix3Xd& k, Eigen::MatrixXcd& values) const override {
    Eigen::MatrixXcd plane(plane_terms_, k.cols());
    plane_->evaluate(k.topRows<2>(), plane);
    for (Eigen::Index sample = 0; sample < values.cols(); ++sample) {
      for (Eigen::Index term = 0; term < values.rows(); ++term) {
        const auto part = plane(plane_term_[static_cast<std::size_t>(term)], sample);
        values(term, sample) += part * along_z(k(2, sample) - frequencies_z_(term));
      }
    }
  }

 private:
  std::complex<double> along_z(double k) const {
    if (!is_prism_) return intensity_;
    return std::polar(intensity_ * 2 * half_length_ * sinc(two_pi * k * half_length_), -two_pi * k * center_z_);
  }

  double intensity_;
  bool is_prism_;
  double center_z_ = 0;
  double half_length_ = 0;
  Eigen::RowVectorXd frequencies_z_;
  std::vector<Eigen::Index> plane_term_;  // which of the plane's frequencies a term has
  Eigen::Index plane_terms_ = 0;
  std::unique_ptr<PlaneTransform> plane_;
};

}  // namespace

TransformNearZero::TransformNearZero(const std::vector<CurvePiece>& pieces) {
  // Eight nodes are exact to degree 15, that is to the third power of k.r. The remainder is below 1e-6 of the area
  // times an error of the quadrature.
  const CurveNodes nodes = curve_nodes(pieces, std::vector<int>(pieces.size(), 8));
  middle_ = nodes.places.rowwise().mean();
  places_ = nodes.places.colwise() - middle_;
  reach_ = two_pi * places_.colwise().norm().maxCoeff();
  areas_ = places_.row(0).cwiseProduct(nodes.steps.row(1)) - places_.row(1).cwiseProduct(nodes.steps.row(0));
}

std::complex<double> TransformNearZero::operator()(const Eigen::Vector2d& k) const {
  std::complex<double> sum = 0;
  for (Eigen::Index node = 0; node < areas_.size(); ++node) {
    const std::complex<double> u(0, -two_pi * k.dot(places_.col(node)));
    // integral_0^1 t exp(u t) dt = sum_j u^j / (j! (j + 2)); the term left out is below 0.1^9 / 4e6.
    std::complex<double> power = 1;
    for (int j = 0; j <= 8; ++j) {
      sum += areas_(node) * power / (j + 2.0);
      power *= u / (j + 1.0);
    }
  }
  return sum * std::polar(1.0, -two_pi * k.dot(middle_));
}

FigureTransforms make_contour_transforms(std::span<const Region> regions, const TransformGeometry& geometry) {
  FigureTransforms transforms;
  for (const Region& region : regions) {
    const Contour* contour = std::get_if<Contour>(&region.figure);
    if (contour == nullptr) continue;
    transforms.push_back(std::make_unique<ContourTransform>(*contour, region.added.intensity, geometry));
  }
  return transforms;
}

}  // namespace whorl::detail
