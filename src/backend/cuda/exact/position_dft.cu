// The phases are exact: k.r is reduced to a fraction of a turn in double precision. Double precision is fast enough on
// the GPUs that this is for, so positions need no order. Sine and cosine bound the speed of the sums.
#include "kernels/position_dft.hpp"

#include <limits>

#include "backend/cuda/exact/add_parts.cuh"
#include "backend/cuda/exact/parts.hpp"
#include "backend/cuda/exact/position_sums.cuh"
#include "backend/cuda/exact/position_sums_double.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

// planes [3][count] from points [count][dim]
__global__ void to_planes(const double* __restrict__ points, Index count, int dim, double* planes) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index at = Index{blockIdx.x} * blockDim.x + threadIdx.x; at < 3 * count; at += stride) {
    const auto axis = static_cast<int>(at / count);
    planes[at] = axis < dim ? points[at % count * dim + axis] : 0;
  }
}

Array<double> planes_of(const Context& ctx, ArrayRef<const double> points) {
  const Index count = points.extent(0);
  if (count > std::numeric_limits<int>::max() / 2) throw ValueError("position dft: at most 2^30 points on a device");
  Array<double> planes(ctx, {3, count});
  if (count == 0) return planes;
  launch_loop(ctx, "to_planes", to_planes, 3 * count, points.data(), count, static_cast<int>(points.extent(1)),
              planes.data());
  return planes;
}

PointPlanes view_of(const Array<double>& planes) { return {planes.data(), static_cast<int>(planes.extent(1))}; }

// Cuts the terms of a job into parts with memory for their sums, starts the kernel by start(blocks, job), and adds up
// the parts. A block of the kernel has `lanes` lanes and `coils` coils.
template <class Real, class Start>
void run_in_parts(const Context& ctx, PositionJob<Real> job, Index lanes, Index coils, Index at_once,
                  const Start& start) {
  const Index lane_blocks = divide_up(job.lanes.count, lanes);
  const Index coil_groups = divide_up(job.batch, coils);
  const Parts parts = parts_for(lane_blocks * coil_groups, divide_up(job.terms.count, tuning::position_chunk),
                                at_once * properties_of(ctx).multiProcessorCount, 1);
  const Index count = Index{job.batch} * job.lanes.count;
  Array<double> partial(ctx, {parts.count > 1 ? 2 * parts.count * count : 0});
  job.terms_per_part = static_cast<int>(parts.per_part) * tuning::position_chunk;
  job.partial = reinterpret_cast<double2*>(partial.data());
  start(grid_of(lane_blocks, parts.count, coil_groups), job);
  if (parts.count == 1) return;
  launch_loop(ctx, "add_parts", add_parts<double2, Real>, count, job.partial, static_cast<int>(parts.count), 1, count,
              count, count, 1.0, job.sums);
}

template <int kCoils>
void add_up(const Context& ctx, const PositionJob<float>& job) {
  const Index padded = round_up(job.terms.count, tuning::position_chunk);
  Array<double> points(ctx, {4 * padded});
  Array<TermWeight<kCoils>> weights(ctx, {divide_up(job.batch, kCoils) * kCoils * padded});
  const TermTable<kCoils> table{points.data(), weights.data(), static_cast<int>(padded)};
  launch_loop(ctx, "make_terms", make_terms<kCoils>, padded, job, table);
  constexpr Index lanes = tuning::position_threads / 32 * 8 * tuning::position_tiles<kCoils>;
  run_in_parts(ctx, job, lanes, kCoils, tuning::position_blocks, [&](dim3 blocks, const PositionJob<float>& parts) {
    launch(ctx, "position_sums", position_sums<kCoils>, {blocks, tuning::position_threads}, parts, table);
  });
}

template <int kCoils>
void add_up(const Context& ctx, const PositionJob<double>& job) {
  run_in_parts(ctx, job, Index{tuning::position_threads} * tuning::position_lanes_double, kCoils, 4,
               [&](dim3 blocks, const PositionJob<double>& parts) {
                 launch(ctx, "position_sums", position_sums_double<kCoils>, {blocks, tuning::position_threads}, parts);
               });
}

template <class Real>
void sums_of(const Context& ctx, const Array<double>& lanes, const Array<double>& terms,
             const std::complex<Real>* weights, Index batch, bool conjugate, std::complex<Real>* sums) {
  ctx.check_cancel("position dft");
  if (lanes.extent(1) == 0) return;
  const PositionJob<Real> job{.lanes = view_of(lanes),
                              .terms = view_of(terms),
                              .weights = as_device(weights),
                              .batch = static_cast<int>(batch),
                              .terms_per_part = 0,
                              .conjugate = conjugate,
                              .sums = as_device(sums),
                              .partial = nullptr};
  // Up to four coils share a sine and a cosine.
  with_constant<1, 2, 4>(batch, [&](auto coils) { add_up<coils>(ctx, job); });
}

template <class Real>
class Plan final : public kernels::PositionDftPlan<Real> {
 public:
  using Complex = std::complex<Real>;

  Plan(const Context& ctx, ArrayRef<const double> points, ArrayRef<const double> positions)
      : samples_(planes_of(ctx, points)), positions_(planes_of(ctx, positions)) {}

  void forward(const Context& ctx, const Complex* values, Complex* samples, Index batch) const override {
    sums_of(ctx, samples_, positions_, values, batch, true, samples);
  }

  void adjoint(const Context& ctx, const Complex* samples, Complex* values, Index batch) const override {
    sums_of(ctx, positions_, samples_, samples, batch, false, values);
  }

 private:
  Array<double> samples_;
  Array<double> positions_;
};

template <class Real>
std::shared_ptr<const kernels::PositionDftPlan<Real>> make_position_dft_plan(const Context& ctx,
                                                                             ArrayRef<const double> points,
                                                                             ArrayRef<const double> positions) {
  return std::make_shared<const Plan<Real>>(ctx, points, positions);
}

}  // namespace

void register_position_dft() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::make_position_dft_plan<Real>.set(DeviceKind::cuda, make_position_dft_plan<Real>);
  });
}

}  // namespace whorl::backend::cuda
