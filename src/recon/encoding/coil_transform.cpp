#include "recon/encoding/coil_transform.hpp"

#include <utility>

#include "whorl/op/sense.hpp"
#include "whorl/op/sense_nufft.hpp"

namespace whorl::recon {

namespace {

Operator<float> evolved(Operator<float> transform, EvolutionFactors<float>& factors) {
  return SignalEvolution<float>(std::move(transform), {factors.maps.share(), factors.courses.share(), factors.error});
}

}  // namespace

CoilTransform::CoilTransform(std::shared_ptr<const Nufft<float>> nufft)
    : of_coils_(nufft), nufft_(std::move(nufft)), resting_(of_coils_) {}

CoilTransform::CoilTransform(std::shared_ptr<const Dft<float>> dft) : of_coils_(std::move(dft)), resting_(of_coils_) {}

CoilTransform CoilTransform::evolving(EvolutionFactors<float> factors) const {
  CoilTransform made(*this);
  made.factors_ = std::make_shared<EvolutionFactors<float>>(std::move(factors));
  made.of_coils_ = evolved(resting_, *made.factors_);
  return made;
}

Operator<float> CoilTransform::of_image(Array<std::complex<float>> maps) const {
  Operator<float> encoding = nufft_ != nullptr
                                 ? Operator<float>(std::make_shared<const SenseNufft<float>>(*nufft_, std::move(maps)))
                                 : resting_ * Sense<float>(std::move(maps));
  return factors_ == nullptr ? encoding : evolved(std::move(encoding), *factors_);
}

Index CoilTransform::coils_at_once() const {
  return nufft_ != nullptr ? nufft_->coils_at_once() : of_coils_->range()[0];
}

}  // namespace whorl::recon
