// Memory is stated by the code that takes it: X_memory beside each stage gives kept bytes and the peak
// (recon/stage_memory.hpp), by the name under which the stage runs (recon/stage.hpp). recon/memory.cpp adds the stages in their order, and chooses how many frames and replicas
// are solved together; recon/recon_plan.cpp says so to callers, and refuses what does not fit. recon/tiles/plan_tiles
// spills one array after the other until the sum fits; Spill makes the spilled arrays: on a CPU in mapped files, which
// all code reads as memory, on a GPU on the host. There SenseNufft and gridding take maps and data in tiles of coils,
// and FrameImages has the images of one group. The arrays of a solver with regularizers come from a second pool
// (Context::spilled: files, or host memory that a GPU reaches), and staged operators work on copies in the device's
// memory. The host has what the machine and the process's groups have left (available_memory). On a GPU the memory of
// gridding depends on where the samples crowd: kernels::gridding_memory counts them in the tiles of the grid, by the
// same functions as the plan (backend/cuda/nufft/spread_parts.hpp).
#include "recon/tiles/spill.hpp"

#include <utility>

#include "recon/stage_memory.hpp"
#include "whorl/core/mapped_array.hpp"

namespace whorl::recon {

using Complex = std::complex<float>;

Array<Complex> Spill::make(const Shape& shape) const {
  const auto room = static_cast<Index>(host_.spill_room());
  if (!on_host_ && shape.size() * complex_bytes <= room) return {host_, shape};
  return mapped_array<Complex>(temporary_folder(options_.folder), shape);
}

Array<Complex> Spill::move(const Context& ctx, Array<Complex> array) const {
  Array<Complex> spilled = make(array.shape());
  copy<Complex>(ctx, array, spilled);
  return spilled;
}

void Spill::move_data(Scan& scan) const {
  if (!on_host_ || options_.data_in_file) return;
  for (ScanFrame& frame : scan.frames) frame.data = move(host_, std::move(frame.data));
}

}  // namespace whorl::recon
