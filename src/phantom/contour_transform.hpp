// Private: transforms of plane regions inside a curve.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "phantom/curve.hpp"

namespace whorl::detail {

/// The region inside a curve, at blocks of samples. Thread-safe once made.
class PlaneTransform {
 public:
  virtual ~PlaneTransform() = default;

  /// values(term, s) = integral exp(-2 pi i (k_s - q_term).r) dr, r in pixels; k [2, sample].
  virtual void evaluate(const Eigen::Matrix2Xd& k, Eigen::MatrixXcd& values) const = 0;
};

/// Straight edges, each in closed form; frequencies q [2, term].
std::unique_ptr<PlaneTransform> make_polygon_transform(const std::vector<CurvePiece>& pieces,
                                                       const Eigen::Matrix2Xd& frequencies);

/// Curved edges by quadrature, for |k| up to largest_k. Throws ValueError when that takes more than 2^17 nodes,
/// or 2^13 for a piece.
std::unique_ptr<PlaneTransform> make_spline_transform(const std::vector<CurvePiece>& pieces,
                                                      const Eigen::Matrix2Xd& frequencies, double largest_k);

/// The transform near k = 0, where the contour integrals cancel: with V = r * integral_0^1 t exp(-2 pi i t k.r) dt,
/// whose divergence is exp(-2 pi i k.r), expanded in powers of k.r.
class TransformNearZero {
 public:
  explicit TransformNearZero(const std::vector<CurvePiece>& pieces);

  /// Whether 2 pi |k.r| <= 0.1 all over the curve, r from its middle. Beyond, the cancellation costs at most one digit.
  bool holds(const Eigen::Vector2d& k) const { return k.norm() * reach_ <= 0.1; }
  std::complex<double> operator()(const Eigen::Vector2d& k) const;

 private:
  Eigen::Vector2d middle_;
  double reach_ = 0;  // 2 pi * largest |r|
  Eigen::Matrix2Xd places_;
  Eigen::VectorXd areas_;  // r x dr
};

}  // namespace whorl::detail
