#include "recon/encoding/coil_transform.hpp"

#include <utility>

#include "whorl/op/sense.hpp"
#include "whorl/op/sense_nufft.hpp"

namespace whorl::recon {

CoilTransform::CoilTransform(std::shared_ptr<const Nufft<float>> nufft) : of_coils_(nufft), nufft_(std::move(nufft)) {}

CoilTransform::CoilTransform(std::shared_ptr<const Dft<float>> dft) : of_coils_(std::move(dft)) {}

Operator<float> CoilTransform::of_image(Array<std::complex<float>> maps) const {
  if (nufft_ != nullptr) return std::make_shared<const SenseNufft<float>>(*nufft_, std::move(maps));
  return of_coils_ * Sense<float>(std::move(maps));
}

Index CoilTransform::coils_at_once() const {
  return nufft_ != nullptr ? nufft_->coils_at_once() : of_coils_->range()[0];
}

}  // namespace whorl::recon
