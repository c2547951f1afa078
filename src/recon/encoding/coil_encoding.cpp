#include "recon/encoding/coil_encoding.hpp"

#include "whorl/op/compose.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/op/sense_nufft.hpp"

namespace whorl::recon {

CoilEncoding::CoilEncoding(const LinearOperator<float>& transform, ArrayRef<const std::complex<float>> maps) {
  if (const auto* nufft = dynamic_cast<const Nufft<float>*>(&transform)) {
    encoding_ = std::make_unique<const SenseNufft<float>>(*nufft, maps);
  } else {
    sensitivities_ = std::make_unique<const Sense<float>>(maps);
    encoding_ = std::make_unique<const Composition<float>>(transform, *sensitivities_);
  }
}

}  // namespace whorl::recon
