// Private: the Fourier transform of figures at blocks of samples, shifted by the frequencies of coils.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <numbers>
#include <span>
#include <vector>

#include "math/matrix_types.hpp"
#include "phantom/turn.hpp"
#include "whorl/phantom/phantom.hpp"

namespace whorl::detail {

inline constexpr double two_pi = 2 * std::numbers::pi;

/// exp(2 pi i cycles), element by element.
inline Eigen::MatrixXcd turned(const Eigen::MatrixXd& cycles) {
  Eigen::MatrixXcd result(cycles.rows(), cycles.cols());
  for (Eigen::Index i = 0; i < cycles.size(); ++i) {
    double cosine = 0;
    double sine = 0;
    turn(cycles.data()[i], cosine, sine);
    result.data()[i] = {cosine, sine};
  }
  return result;
}

/// What the transforms of a phantom's figures share.
struct TransformGeometry {
  int dim = 2;
  std::array<double, 3> half{};  ///< pixels in half the field of view, along x, y, z; 1 along z in 2D
  Eigen::Matrix3Xd frequencies;  ///< q [3, term] in cycles per pixel; z = 0 in 2D
  double largest_k = 0;          ///< of the samples in the plane: sqrt(kx^2 + ky^2), for quadratures
};

/// One or more figures. Thread-safe once made.
class FigureTransform {
 public:
  virtual ~FigureTransform() = default;

  /// values(term, s) += sum over the figures of intensity * integral exp(-2 pi i (k_s - q_term).r) dr, r in pixels.
  ///
  /// Shapes  k [3, sample]; values [term, sample]
  virtual void add(const Eigen::Matrix3Xd& k, Eigen::MatrixXcd& values) const = 0;
};

using FigureTransforms = std::vector<std::unique_ptr<FigureTransform>>;

/// Solids, those of equal kind, size and angle together: their transforms differ by a sum of phases alone.
FigureTransforms make_solid_transforms(std::span<const Region> regions, const TransformGeometry& geometry);

/// One for each contour.
FigureTransforms make_contour_transforms(std::span<const Region> regions, const TransformGeometry& geometry);

}  // namespace whorl::detail
