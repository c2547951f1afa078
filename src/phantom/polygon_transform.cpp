#include <cmath>
#include <numbers>
#include <utility>

#include "phantom/contour_transform.hpp"
#include "phantom/figure_transform.hpp"
#include "phantom/sinc.hpp"

namespace whorl::detail {
namespace {

using std::numbers::pi;

// F = i / (2 pi |k|^2) sum over the edges e of (k_x e_y - k_y e_x) sinc(pi k.e) exp(-2 pi i k.middle).
class PolygonTransform final : public PlaneTransform {
 public:
  PolygonTransform(const std::vector<CurvePiece>& pieces, Eigen::Matrix2Xd frequencies)
      : frequencies_(std::move(frequencies)), near_zero_(pieces) {
    const auto count = static_cast<Eigen::Index>(pieces.size());
    edges_.resize(2, count);
    middles_.resize(2, count);
    for (Eigen::Index edge = 0; edge < count; ++edge) {
      const CurvePiece& piece = pieces[static_cast<std::size_t>(edge)];
      edges_.col(edge) = piece.col(1);
      middles_.col(edge) = piece.col(0) + piece.col(1) / 2;
    }
    const Eigen::MatrixXd shift = pi * edges_.transpose() * frequencies_;
    sine_ = shift.array().sin();
    cosine_ = shift.array().cos();
    phases_ = turned(middles_.transpose() * frequencies_);
  }

  void evaluate(const Eigen::Matrix2Xd& k, Eigen::MatrixXcd& values) const override {
    const Eigen::MatrixXd angles = pi * edges_.transpose() * k;
    const Eigen::MatrixXd sine = angles.array().sin();
    const Eigen::MatrixXd cosine = angles.array().cos();
    const Eigen::MatrixXcd phases = turned(-(middles_.transpose() * k));
    for (Eigen::Index sample = 0; sample < values.cols(); ++sample) {
      for (Eigen::Index term = 0; term < values.rows(); ++term) {
        const Eigen::Vector2d moved = k.col(sample) - frequencies_.col(term);
        if (near_zero_.holds(moved)) {
          values(term, sample) = near_zero_(moved);
          continue;
        }
        std::complex<double> sum = 0;
        for (Eigen::Index edge = 0; edge < edges_.cols(); ++edge) {
          const double across = moved.x() * edges_(1, edge) - moved.y() * edges_(0, edge);
          const double along = sinc_of_difference(pi * moved.dot(edges_.col(edge)), sine(edge, sample),
                                                  cosine(edge, sample), sine_(edge, term), cosine_(edge, term));
          sum += across * along * phases(edge, sample) * phases_(edge, term);
        }
        values(term, sample) = std::complex<double>(0, 1 / (2 * pi * moved.squaredNorm())) * sum;
      }
    }
  }

 private:
  Eigen::Matrix2Xd frequencies_;
  TransformNearZero near_zero_;
  Eigen::Matrix2Xd edges_;
  Eigen::Matrix2Xd middles_;
  Eigen::MatrixXd sine_, cosine_;  // of pi edge.q [edge, term]
  Eigen::MatrixXcd phases_;        // exp(2 pi i middle.q) [edge, term]
};

}  // namespace

std::unique_ptr<PlaneTransform> make_polygon_transform(const std::vector<CurvePiece>& pieces,
                                                       const Eigen::Matrix2Xd& frequencies) {
  return std::make_unique<PolygonTransform>(pieces, frequencies);
}

}  // namespace whorl::detail
