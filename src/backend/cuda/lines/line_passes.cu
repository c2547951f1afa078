#include "backend/cuda/lines/line_passes.hpp"

#include "backend/cuda/lines/column_passes.cuh"
#include "backend/cuda/lines/line_launch.hpp"
#include "backend/cuda/lines/line_passes.cuh"

namespace whorl::backend::cuda {

namespace {

// The number of packets of columns in a block: few if wide blocks would leave multiprocessors without work.
template <class Real>
int column_width(const Context& ctx, const LineStages& stages, int columns, Index planes) {
  const int packets = divide_up(columns, Packet<Real>::lanes);
  const int wide = tuning::wide(stages.length);
  return planes * divide_up(packets, wide) >= properties_of(ctx).multiProcessorCount ? wide : tuning::narrow;
}

dim3 column_blocks(int columns, int lanes, int width, int planes, Index batch) {
  return grid_of(divide_up(divide_up(columns, lanes), width), planes, batch);
}

}  // namespace

template <class Real>
Index longest_line(const Context& ctx) {
  return static_cast<Index>(properties_of(ctx).sharedMemPerBlockOptin) / (tuning::narrow * 16);
}

template <class Real>
void run_lines(const Context& ctx, const DeviceLine<Real>& line, const LinePass<Real>& pass, Index batch) {
  const int planes = pass.in.z.count;
  const LineStages& stages = line.stages;
  const int packets = divide_up(pass.in.y.count, Packet<Real>::lanes);
  int at_once = 1;
  while (at_once < tuning::wide(stages.length) &&
         batch * planes * divide_up(packets, 2 * at_once) >= 2 * properties_of(ctx).multiProcessorCount) {
    at_once *= 2;
  }
  const dim3 blocks = grid_of(divide_up(packets, at_once), planes, batch);
  with_plan<Real>(stages.length, at_once, [&]<class Plan, int>() {
    const int threads = threads_of<Plan>(stages, at_once);
    launch(ctx, "transform of lines", transform_lines<Real, Plan>,
           {blocks, at_once * threads, tile_bytes(stages.length, at_once)}, kernel_tables(line, threads), pass);
  });
}

template <class Real>
void run_columns(const Context& ctx, const DeviceLine<Real>& line, const ColumnPass<Real>& pass, Index batch) {
  const LineStages& stages = line.stages;
  const int width = column_width<Real>(ctx, stages, pass.columns, batch * pass.plane.count);
  const dim3 blocks = column_blocks(pass.columns, Packet<Real>::lanes, width, pass.plane.count, batch);
  with_plan<Real>(stages.length, width, [&]<class Plan, int known_width>() {
    const int threads = threads_of<Plan>(stages, width);
    launch(ctx, "transform of columns", transform_columns<Real, Plan, known_width>,
           {blocks, width * threads, tile_bytes(stages.length, width)}, kernel_tables(line, threads), pass, width);
  });
}

template <class Real>
void run_convolution(const Context& ctx, const DeviceLine<Real>& line, const ConvolutionPass<Real>& pass, Index batch) {
  const LineStages& stages = line.stages;
  const int width = column_width<Real>(ctx, stages, pass.columns, batch * pass.planes);
  const dim3 blocks = column_blocks(pass.columns, Packet<Real>::lanes, width, pass.planes, batch);
  with_plan<Real>(stages.length, width, [&]<class Plan, int known_width>() {
    const int threads = threads_of<Plan>(stages, width);
    launch(ctx, "convolution of columns", convolve_columns<Real, Plan, known_width>,
           {blocks, width * threads, tile_bytes(stages.length, width)}, kernel_tables(line, threads), pass, width);
  });
}

#define WHORL_INSTANTIATE(Real)                                                                       \
  template Index longest_line<Real>(const Context&);                                                  \
  template void run_lines(const Context&, const DeviceLine<Real>&, const LinePass<Real>&, Index);     \
  template void run_columns(const Context&, const DeviceLine<Real>&, const ColumnPass<Real>&, Index); \
  template void run_convolution(const Context&, const DeviceLine<Real>&, const ConvolutionPass<Real>&, Index)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
