#include "recon/tiles/spill.hpp"

#include <utility>

#include "whorl/core/mapped_array.hpp"

namespace whorl::recon {

using Complex = std::complex<float>;

Array<Complex> Spill::make(const Shape& shape) const {
  const auto room = static_cast<Index>(host_.spill_room());
  if (!on_host_ && shape.size() * static_cast<Index>(sizeof(Complex)) <= room) return {host_, shape};
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
