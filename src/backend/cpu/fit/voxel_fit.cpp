// Nonlinear least squares in each voxel of a series, on a CPU.
//
// Fits of voxels (kernels/fit). The models and the method of Levenberg and Marquardt are stated once, as templates over
// lanes: a vector of Highway with a voxel in each lane, or a thread of a GPU. The backends include these two files in
// their own namespace. All of it is in double, so that devices agree. Complex echoes are two real rows (water and fat).
#include "kernels/fit/voxel_fit.hpp"

#include <omp.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "backend/cpu/fit/voxel_lanes.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

constexpr std::size_t vector_doubles = 8;

void fit(const Context& ctx, const kernels::VoxelFit& what, const double* settings, const double* starts,
         const float* series, const float* errors, double* parameters, double* covariance, kernels::FitState* states) {
  const VoxelArrays arrays{settings, starts, series, errors, parameters, covariance, states};
  const Index groups = divide_up(what.voxels, voxels_together);
  const auto scratch_size = static_cast<std::size_t>(fit_scratch(what));
  const int threads = static_cast<int>(std::clamp<Index>(groups, 1, ctx.threads()));
  const std::size_t room = scratch_size + vector_doubles;
  std::vector<double> scratch(static_cast<std::size_t>(threads) * room);
#pragma omp parallel num_threads(threads)
  {
    void* start = scratch.data() + static_cast<std::size_t>(omp_get_thread_num()) * room;
    std::size_t space = room * sizeof(double);
    auto* const own =
        static_cast<double*>(std::align(vector_doubles * sizeof(double), scratch_size * sizeof(double), start, space));
    // Voxels of an object and those that are left out lie together: small parts in turn.
#pragma omp for schedule(dynamic, 16)
    for (Index group = 0; group < groups; ++group) {
      if (ctx.cancel_requested()) continue;
      const Index first = group * voxels_together;
      fit_together(what, arrays, first, std::min(voxels_together, what.voxels - first), own);
    }
  }
  ctx.check_cancel("fit of voxels");
}

}  // namespace

void register_voxel_fit() { kernels::fit_voxels.set(DeviceKind::cpu, fit); }

}  // namespace whorl::backend::cpu
