#include "recon/encoding/coil_transform.hpp"

#include <utility>

#include "whorl/op/sense.hpp"
#include "whorl/op/sense_nufft.hpp"

namespace whorl::recon {

namespace {

EvolutionFactors<float> shared(EvolutionFactors<float>& factors) {
  return {factors.maps.share(), factors.courses.share(), factors.error};
}

}  // namespace

CoilTransform::CoilTransform(std::shared_ptr<const Nufft<float>> nufft)
    : of_coils_(nufft), nufft_(std::move(nufft)), resting_(of_coils_) {}

CoilTransform::CoilTransform(std::shared_ptr<const Dft<float>> dft)
    : of_coils_(dft), dft_(std::move(dft)), resting_(of_coils_) {}

CoilTransform CoilTransform::evolving(EvolutionFactors<float> factors,
                                      std::shared_ptr<const SubspaceSpectra<float>> spectra) const {
  CoilTransform made(*this);
  made.factors_ = std::make_shared<EvolutionFactors<float>>(std::move(factors));
  made.spectra_ = std::move(spectra);
  made.of_coils_ = SignalEvolution<float>(resting_, shared(*made.factors_));
  return made;
}

CoilTransform CoilTransform::taking_single_coils() const {
  CoilTransform made(*this);
  made.single_ = true;
  return made;
}

CoilTransform CoilTransform::in_files(const std::string& folder) const {
  CoilTransform made(*this);
  made.files_ = folder;
  made.of_coils_ = made.placed(of_coils_);
  return made;
}

Operator<float> CoilTransform::of_image(Array<std::complex<float>> maps) const {
  return placed(encoding_of(std::move(maps)));
}

Operator<float> CoilTransform::encoding_of(Array<std::complex<float>> maps) const {
  const Index coils = maps.extent(0);
  const CoilsOfSum sum = coils < of_coils_->range()[0] ? CoilsOfSum::part : CoilsOfSum::all;  // part: of a rank
  if (nufft_ != nullptr && (single_ || maps.device() != nufft_->device())) {                  // spilled
    return SenseNufft<float>(Nufft<float>(*nufft_, coils), std::move(maps), coils_at_once(), sum);
  }
  Operator<float> encoding = nufft_ != nullptr
                                 ? Operator<float>(SenseNufft<float>(Nufft<float>(*nufft_, coils), maps.share(), sum))
                                 : Dft<float>(*dft_, coils) * Sense<float>(maps.share());
  if (factors_ == nullptr) return encoding;
  if (spectra_ == nullptr) return SignalEvolution<float>(std::move(encoding), shared(*factors_));
  return SignalEvolution<float>(std::move(encoding), shared(*factors_), std::move(maps), spectra_);
}

Index CoilTransform::coils_at_once() const {
  if (single_) return 1;
  return nufft_ != nullptr ? nufft_->coils_at_once() : of_coils_->range()[0];
}

}  // namespace whorl::recon
