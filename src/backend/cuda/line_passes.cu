#include "backend/cuda/line_passes.hpp"

#include <algorithm>

#include "backend/cuda/device/column_passes.cuh"
#include "backend/cuda/device/line_passes.cuh"
#include "backend/cuda/runtime.hpp"
#include "backend/cuda/tuning/line_fft.hpp"

namespace whorl::backend::cuda {

namespace {

// Calls f<Plan>() for the plan of a length.
template <class Real, class Function>
void with_plan(int length, const Function& f) {
  const bool fixed = tuning::fixed_lines<Real>::visit(length, [&]<int threads, int... radices>(
                                                                  tuning::FixedLine<threads, radices...>) {
    f.template operator()<StaticPlan<threads, radices...>>();
  });
  if (!fixed) f.template operator()<DynamicPlan>();
}

template <class Kernel, class... Args>
void launch(Kernel* kernel, dim3 blocks, int threads, int shared_bytes, cudaStream_t stream, const Args&... args) {
  constexpr int without_asking = 48 << 10;
  if (shared_bytes > without_asking) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
          "cudaFuncSetAttribute");
  }
  kernel<<<blocks, static_cast<unsigned>(threads), static_cast<std::size_t>(shared_bytes), stream>>>(args...);
  check_launch("line transform");
}

int tile_bytes(int length, int packets) { return (length * packets + 7) / 8 * 8 * 16; }

template <class Real>
KernelTables<Real> kernel_tables(const DeviceLine<Real>& line) {
  return {line.stages, reinterpret_cast<const Complex<Real>*>(line.twiddle), line.head, line.place};
}

int round_up(int n, int by) { return (n + by - 1) / by; }

// Packets of columns that a block takes: rows of 128 bytes, unless these leave multiprocessors without work or do not
// fit.
bool wants_wide(const DeviceLimits& limits, const LineStages& stages, int packets, Index planes) {
  return planes * round_up(packets, 8) >= limits.multiprocessors && 2 * tile_bytes(stages.length, 8) <= limits.shared_bytes &&
         8 * stages.threads <= 512;
}

}  // namespace

template <class Real>
Index longest_line(const DeviceLimits& limits) {
  return limits.shared_bytes / (2 * 16);
}

template <class Real>
void run_lines(cudaStream_t stream, const DeviceLimits& limits, const DeviceLine<Real>& line,
               const LinePass<Real>& pass, Index batch) {
  const int lines = pass.in.y.count;
  const int planes = pass.in.z.count;
  const LineStages& stages = line.stages;
  const int packets = round_up(lines, Packet<Real>::lanes);
  int at_once = 1;
  while (at_once < 8 && 2 * at_once * stages.threads <= 512 &&
         2 * tile_bytes(stages.length, 2 * at_once) <= limits.shared_bytes &&
         batch * planes * round_up(packets, 2 * at_once) >= 2 * limits.multiprocessors) {
    at_once *= 2;
  }
  const dim3 blocks(static_cast<unsigned>(round_up(packets, at_once)), static_cast<unsigned>(planes),
                    static_cast<unsigned>(batch));
  with_plan<Real>(stages.length, [&]<class Plan>() {
    launch(transform_lines<Real, Plan>, blocks, at_once * stages.threads, tile_bytes(stages.length, at_once), stream,
           kernel_tables(line), pass);
  });
}

template <class Real>
void run_columns(cudaStream_t stream, const DeviceLimits& limits, const DeviceLine<Real>& line,
                 const ColumnPass<Real>& pass, Index batch) {
  const LineStages& stages = line.stages;
  const int packets = round_up(pass.columns, Packet<Real>::lanes);
  const bool wide = wants_wide(limits, stages, packets, batch * pass.plane.count);
  const int width = wide ? 8 : 2;
  const dim3 blocks(static_cast<unsigned>(round_up(packets, width)), static_cast<unsigned>(pass.plane.count),
                    static_cast<unsigned>(batch));
  with_plan<Real>(stages.length, [&]<class Plan>() {
    launch(wide ? transform_columns<Real, Plan, 8> : transform_columns<Real, Plan, 2>, blocks, width * stages.threads,
           tile_bytes(stages.length, width), stream, kernel_tables(line), pass);
  });
}

template <class Real>
void run_convolution(cudaStream_t stream, const DeviceLimits& limits, const DeviceLine<Real>& line,
                     const ConvolutionPass<Real>& pass, Index batch) {
  const LineStages& stages = line.stages;
  const int packets = round_up(pass.columns, Packet<Real>::lanes);
  const bool wide = wants_wide(limits, stages, packets, batch * pass.planes);
  const int width = wide ? 8 : 2;
  const dim3 blocks(static_cast<unsigned>(round_up(packets, width)), static_cast<unsigned>(pass.planes),
                    static_cast<unsigned>(batch));
  with_plan<Real>(stages.length, [&]<class Plan>() {
    launch(wide ? convolve_columns<Real, Plan, 8> : convolve_columns<Real, Plan, 2>, blocks, width * stages.threads,
           tile_bytes(stages.length, width), stream, kernel_tables(line), pass);
  });
}

#define WHORL_INSTANTIATE(Real)                                                                                   \
  template Index longest_line<Real>(const DeviceLimits&);                                                         \
  template void run_lines(cudaStream_t, const DeviceLimits&, const DeviceLine<Real>&, const LinePass<Real>&, Index); \
  template void run_columns(cudaStream_t, const DeviceLimits&, const DeviceLine<Real>&, const ColumnPass<Real>&,  \
                            Index);                                                                               \
  template void run_convolution(cudaStream_t, const DeviceLimits&, const DeviceLine<Real>&,                       \
                                const ConvolutionPass<Real>&, Index)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
