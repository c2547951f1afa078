// Private: the center of k-space as the transform of an object within the field of view.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "correct/center_waves.hpp"
#include "math/matrix_types.hpp"
#include "whorl/core/context.hpp"
#include "whorl/core/view.hpp"

namespace whorl::detail {

/// Samples near the center of k-space.
struct CenterSamples {
  int dim = 2;
  CenterPlaces places;
  Matrix<double> values;  ///< [sample, coil]

  /// The values after a move of the object by so many fields of view.
  Matrix<double> moved(const std::array<double, 3>& by) const;
};

struct CenterFit {
  double residual = 1;   ///< |y - fit| / |y| of the samples that were held out
  Index held = 0;        ///< their number
  Index grid = 0;        ///< voxels along each axis; voxel (grid - 1) / 2 lies in the middle of the field of view
  Matrix<double> image;  ///< [voxel, coil], x fastest
};

/// The radius up to which fits take few enough voxels for dense matrices.
double center_radius(int dim);

/// Voxels along each axis of a fit.
Index center_grid(int dim);

enum class SampleUse { fitted, held, none };

/// An image on a grid over the field of view, fitted to four fifths of the samples in least squares. The others
/// measure how well it predicts them. An object within it leaves noise and about 0.3 % of the signal. An object that
/// is larger, or samples whose places contradict each other, leave more. Any rotation, mirroring or shift of all
/// places by the same amount fits alike: it is an image too.
///
/// Matrices are made and factored once for the places, and serve any values.
class CenterModel {
 public:
  /// Places as those of CenterSamples, within center_radius. Fewer than 50 are too few: the model is empty.
  CenterModel(const Context& ctx, int dim, const CenterPlaces& places);
  /// What each sample is for: those that are fitted and those that are held out are given. `ridge`: of the mean square of the
  /// rows, as far below 1 as the noise of a sample is.
  CenterModel(const Context& ctx, int dim, const CenterPlaces& places, const std::vector<SampleUse>& uses,
              double ridge);

  bool is_empty() const { return grid_ == 0; }

  /// An image for each coil; values [sample, coil]. An empty model: the residual is 1, the grid 0.
  CenterFit fit(const Matrix<double>& values) const;

  /// One object that the coils see through their maps [voxel, coil]: its factor is for these maps.
  Matrix<double> factor(const Matrix<double>& maps) const;
  CenterFit fit(const Matrix<double>& values, const Matrix<double>& maps, const Matrix<double>& factor) const;

 private:
  std::vector<std::size_t> fitted_;
  std::vector<std::size_t> held_;
  Index grid_ = 0;
  double ridge_ = 0;
  std::unique_ptr<const CenterGram> gram_;
  Eigen::MatrixXd encode_fitted_;
  Eigen::MatrixXd held_rows_;  // [wave, sample]
  Eigen::MatrixXd plain_;      // lower triangular
};

/// The lower factor of A^H A + ridge for waves, by which solve_factored solves. Throws ValueError (positions that are not finite)
Eigen::MatrixXd factor_of_waves(const CenterGram& gram, double ridge);
Eigen::MatrixXd solve_factored(const Eigen::MatrixXd& lower, const Eigen::MatrixXd& right);

/// The fit of a CenterModel whose samples are fitted once.
CenterFit fit_center(const Context& ctx, const CenterSamples& samples);

}  // namespace whorl::detail
