// Nonlinear least squares in each voxel of a series, on a GPU: a thread for each voxel. The normal equations stay in
// registers, and neighbors read neighboring values.
#include "kernels/fit/voxel_fit.hpp"

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "whorl/core/integer.hpp"

#define WHORL_LANE_FUNCTION __device__ __forceinline__
#define WHORL_LANE_UNROLL _Pragma("unroll")

namespace whorl::backend::cuda {

namespace {

// One lane.
struct Lane {
  using Value = double;
  using Mask = bool;

  __device__ static double set(double value) { return value; }
  __device__ static double exp(double value) { return ::exp(fmin(value, 700.0)); }
  __device__ static double log(double value) { return ::log(value); }
  __device__ static double cosine(double value) { return ::cos(value); }
  __device__ static double sine(double value) { return ::sin(value); }
  __device__ static double magnitude(double value) { return fabs(value); }
  __device__ static bool less(double a, double b) { return a < b; }
  __device__ static bool less_or_equal(double a, double b) { return a <= b; }
  __device__ static bool both(bool a, bool b) { return a && b; }
  __device__ static bool either(bool a, bool b) { return a || b; }
  __device__ static bool without(bool a, bool b) { return a && !b; }
  __device__ static bool none() { return false; }
  __device__ static bool any(bool mask) { return mask; }
  __device__ static double select(bool mask, double yes, double no) { return mask ? yes : no; }
};

#include "kernels/fit/signal_models-inl.hpp"
// The method needs the models.
#include "kernels/fit/levenberg_marquardt-inl.hpp"

struct VoxelArrays {
  const double* __restrict__ settings;
  const double* __restrict__ starts;
  const float* __restrict__ series;
  const float* __restrict__ errors;
  double* parameters;
  double* covariance;
  kernels::FitState* states;
};

template <class Model>
class VoxelData {
 public:
  __device__ VoxelData(const kernels::VoxelFit& what, const VoxelArrays& arrays, Index voxel)
      : what_(what), arrays_(arrays), voxel_(voxel) {}

  __device__ int settings() const { return static_cast<int>(what_.settings); }
  __device__ int starts() const { return static_cast<int>(what_.starts); }
  __device__ const double* setting(int i) const { return arrays_.settings + i * kernels::columns_of(what_.model); }
  __device__ const double* start(int n) const { return arrays_.starts + n * (1 + what_.settings); }
  __device__ bool has_errors() const { return arrays_.errors != nullptr; }
  __device__ double value(int i) const {
    const double value = arrays_.series[i * what_.step + voxel_];
    return i < flipped_ ? -value : value;
  }
  __device__ double weight(int i) const {
    if (!has_errors()) return 1;
    const double error = arrays_.errors[i * what_.errors_step + voxel_];
    return error > 0 ? 1 / (error * error) : 0;
  }
  __device__ void flip(int flipped) { flipped_ = flipped; }
  __device__ void load_start(double (&p)[Model::parameters]) const {
#pragma unroll
    for (int k = 0; k < Model::parameters; ++k) p[k] = arrays_.parameters[k * what_.voxels + voxel_];
  }
  __device__ void leave_out() const {
    for (int k = 0; k < Model::parameters; ++k) arrays_.parameters[k * what_.voxels + voxel_] = 0;
    for (int k = 0; k < pairs; ++k) arrays_.covariance[k * what_.voxels + voxel_] = 0;
    arrays_.states[voxel_] = kernels::FitState::left_out;
  }
  __device__ void store(const double (&p)[Model::parameters],
                        const double (&covariance)[NormalEquations<Lane, Model::parameters>::pairs], bool inside,
                        bool good) const {
#pragma unroll
    for (int k = 0; k < Model::parameters; ++k) arrays_.parameters[k * what_.voxels + voxel_] = p[k];
#pragma unroll
    for (int k = 0; k < pairs; ++k) arrays_.covariance[k * what_.voxels + voxel_] = covariance[k];
    arrays_.states[voxel_] = !inside ? kernels::FitState::left_out
                             : good  ? kernels::FitState::fitted
                                     : kernels::FitState::failed;
  }

 private:
  static constexpr int pairs = NormalEquations<Lane, Model::parameters>::pairs;

  const kernels::VoxelFit& what_;
  const VoxelArrays& arrays_;
  Index voxel_;
  int flipped_ = 0;
};

constexpr int fit_threads = 64;  // small blocks spread an image of 256 x 256 over all multiprocessors

template <class Model>
__global__ void __launch_bounds__(fit_threads) fit_kernel(kernels::VoxelFit what, VoxelArrays arrays) {
  const Index voxel = blockIdx.x * Index{fit_threads} + threadIdx.x;
  if (voxel >= what.voxels) return;
  VoxelData<Model> data(what, arrays, voxel);
  fit_lanes<Lane, Model>(what, data);
}

template <class Model>
void start_fit(const Context& ctx, const kernels::VoxelFit& what, const VoxelArrays& arrays) {
  launch(ctx, "fit of voxels", fit_kernel<Model>, {grid_of(divide_up(what.voxels, fit_threads)), fit_threads}, what,
         arrays);
}

void fit(const Context& ctx, const kernels::VoxelFit& what, const double* settings, const double* starts,
         const float* series, const float* errors, double* parameters, double* covariance, kernels::FitState* states) {
  const VoxelArrays arrays{settings, starts, series, errors, parameters, covariance, states};
  switch (what.model) {
    case kernels::SignalModel::decay:
      return start_fit<Exponential<Lane, 1>>(ctx, what, arrays);
    case kernels::SignalModel::recovery:
      return start_fit<Recovery<Lane>>(ctx, what, arrays);
    case kernels::SignalModel::tensor:
      return start_fit<Exponential<Lane, 6>>(ctx, what, arrays);
    case kernels::SignalModel::water_fat:
      return start_fit<WaterFat<Lane>>(ctx, what, arrays);
  }
}

}  // namespace

void register_voxel_fit() { kernels::fit_voxels.set(DeviceKind::cuda, fit); }

}  // namespace whorl::backend::cuda
