// Kernel family: nonlinear least squares in each voxel of a series. The models and the method are stated once, in
// signal_models-inl.hpp and levenberg_marquardt-inl.hpp, for all backends.
#pragma once

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// The signal of a voxel as a function of its parameters p, and what a row of settings has.
enum class SignalModel {
  decay,      ///< p0 exp(-t p1); t. p1 > 0
  recovery,   ///< p0 (1 - p2 exp(-t p1)); t. p1 > 0
  tensor,     ///< p0 exp(-sum_k x_k p_k), k = 1 ... 6; the six x_k
  water_fat,  ///< (p0 + i p1 + c (p2 + i p3)) exp(-t p5 - 2 pi i t p4); t, Re c, Im c. Two rows: real, imaginary part
};

constexpr int parameters_of(SignalModel model) {
  return model == SignalModel::decay ? 2 : model == SignalModel::recovery ? 3 : model == SignalModel::tensor ? 7 : 6;
}
constexpr int columns_of(SignalModel model) {
  return model == SignalModel::tensor ? 6 : model == SignalModel::water_fat ? 3 : 1;
}
/// Values of a voxel for one row of settings.
constexpr int rows_of(SignalModel model) { return model == SignalModel::water_fat ? 2 : 1; }

enum class FitState : signed char { left_out = 0, fitted = 1, failed = -1 };

struct VoxelFit {
  SignalModel model = SignalModel::decay;
  Index settings = 0;  ///< images of the series; rows_of times as many values in a voxel
  Index voxels = 0;
  Index step = 0;           ///< from a value of a voxel to its next one
  Index errors_step = 0;    ///< the same of their errors; 0: all values of a voxel have the same
  bool magnitudes = false;  ///< recovery: the first values, as many as fit best, have lost their negative sign
  double least = 0;         ///< voxels without a value of larger magnitude are left out
  double variance = 0;      ///< of a value, without errors; 0: what the fit leaves, over values - parameters
  int iterations = 0;       ///< at most
  Index starts = 0;         ///< recovery: the rates to start from
};

/// Minimizes the sum of (value - model)^2 / error^2 in each voxel. Memory of the context's device:
///
///   settings    [settings, columns]
///   starts      [starts, 1 + settings]: a rate R and exp(-R t); of recovery alone
///   series      [value, voxel]
///   errors      [value, voxel] or [voxel], standard deviations; null: all alike. Voxels that have one that is not above 0
///               or not finite are left out
///   parameters  [parameter, voxel]; water_fat starts from the p4 and p5 that it finds here
///   covariance  [pair, voxel], pairs in the order (0,0), (1,0), (1,1), (2,0), ...
///   states      [voxel]. Where it is not `fitted` parameters and covariance are 0
inline Kernel<void(const Context&, const VoxelFit&, const double* settings, const double* starts, const float* series,
                   const float* errors, double* parameters, double* covariance, FitState* states)>
    fit_voxels{"fit of voxels"};

}  // namespace whorl::kernels
