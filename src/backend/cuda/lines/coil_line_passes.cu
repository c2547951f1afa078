#include "backend/cuda/lines/coil_line_passes.hpp"

#include "backend/cuda/lines/coil_line_passes.cuh"
#include "backend/cuda/lines/line_launch.hpp"

namespace whorl::backend::cuda {

namespace {

// The work of a block: several coils of the same lines and, if there are few coils, several packets of lines.
struct CoilBlock {
  int coils;
  int lines;
  int packets() const { return coils * lines; }
};

CoilBlock coil_block(const Context& ctx, int length, int packets_of_lines, int planes, int coils) {
  const int wide = tuning::wide(length);
  CoilBlock block{divide_up(coils, divide_up(coils, wide)), 1};
  while (2 * block.packets() <= wide &&
         planes * divide_up(packets_of_lines, 2 * block.lines) >= 2 * properties_of(ctx).multiProcessorCount) {
    block.lines *= 2;
  }
  return block;
}

}  // namespace

template <class Real>
void run_products(const Context& ctx, const DeviceLine<Real>& line, const LinePass<Real>& pass,
                  const CoilMaps<Real>& maps) {
  const LineStages& stages = line.stages;
  const int planes = pass.in.z.count;
  const int packets = divide_up(pass.in.y.count, Packet<Real>::lanes);
  const CoilBlock block = coil_block(ctx, stages.length, packets, planes, maps.count);
  const dim3 blocks = grid_of(divide_up(packets, block.lines), planes, divide_up(maps.count, block.coils));
  with_plan<Real>(stages.length, block.packets(), [&]<class Plan, int>() {
    const int threads = threads_of<Plan>(stages, block.packets());
    launch(ctx, "products with coil maps", transform_products<Real, Plan>,
           {blocks, block.packets() * threads, tile_bytes(stages.length, block.packets())},
           kernel_tables(line, threads), pass, maps, block.coils);
  });
}

template <class Real>
void run_sum(const Context& ctx, const DeviceLine<Real>& line, const LinePass<Real>& pass, const CoilMaps<Real>& maps,
             const kernels::CoilSum<Real>& sum) {
  const LineStages& stages = line.stages;
  const int planes = pass.out.z.count;
  const int packets = divide_up(pass.out.y.count, Packet<Real>::lanes);
  const CoilBlock block = coil_block(ctx, stages.length, packets, planes, maps.count);
  const dim3 blocks = grid_of(divide_up(packets, block.lines), planes);
  with_plan<Real>(stages.length, block.packets(), [&]<class Plan, int>() {
    const int threads = threads_of<Plan>(stages, block.packets());
    launch(ctx, "sum over coils", sum_products<Real, Plan>,
           {blocks, block.packets() * threads, tile_bytes(stages.length, block.packets())},
           kernel_tables(line, threads), pass, maps, block.coils, sum);
  });
}

#define WHORL_INSTANTIATE(Real)                                                                                      \
  template void run_products(const Context&, const DeviceLine<Real>&, const LinePass<Real>&, const CoilMaps<Real>&); \
  template void run_sum(const Context&, const DeviceLine<Real>&, const LinePass<Real>&, const CoilMaps<Real>&,       \
                        const kernels::CoilSum<Real>&)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
