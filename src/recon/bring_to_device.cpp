#include "recon/bring_to_device.hpp"

namespace whorl::recon {

void bring_to_device(const Context& ctx, Scan& scan) {
  const auto bring = [&](Array<std::complex<float>>& array) {
    if (array.size() > 0 && !(array.device() == ctx.device())) array = clone<std::complex<float>>(ctx, array);
  };
  for (ScanFrame& frame : scan.frames) bring(frame.data);
  bring(scan.noise);
  bring(scan.coil_maps);
}

}  // namespace whorl::recon
