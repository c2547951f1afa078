#include "studies/fmri/reconstructor.hpp"

#include <chrono>
#include <functional>
#include <utility>

#include "whorl/op/sense_nufft.hpp"

namespace whorl::studies::fmri {

namespace {

double seconds_of(const Context& ctx, const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  ctx.synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Reconstructor::Reconstructor(const Context& ctx, const Protocol& protocol, int iterations)
    : ctx_(ctx), image_{protocol.size, protocol.size, protocol.size}, iterations_(iterations) {
  const NufftOptions options{.tolerance = 1e-3, .normal = NormalMethod::toeplitz};
  NormalSpectrum<float> spectrum;
  preparation_.spectrum =
      seconds_of(ctx, [&] { spectrum = nufft_normal<float>(ctx, protocol.trajectory.points, image_, options); });
  preparation_.plan = seconds_of(ctx, [&] {
    const Nufft<float> nufft(ctx, protocol.trajectory.points, image_, protocol.maps.extent(0), options, spectrum);
    model_.encoding = SenseNufft<float>(nufft, clone(ctx, protocol.maps.ref()));
    model_.eigenvalue = normal_eigenvalue<float>(ctx, model_.encoding);
  });
}

Array<float> Reconstructor::magnitude(ArrayRef<const std::complex<float>> samples) const {
  Array<std::complex<float>> data(ctx_, samples.shape());
  copy<std::complex<float>>(ctx_, samples, data);
  Array<std::complex<float>> image(ctx_, image_);
  static_cast<void>(least_squares<float>(ctx_, "conjugate gradient", model_, data,
                                         {.iterations = iterations_, .tolerance = 0, .lambda = 1e-3}, image));
  const Array<std::complex<float>> here = to_host(ctx_, image.ref());
  Array<float> result(ctx_.host(), image_);
  for (Index i = 0; i < here.size(); ++i) result.data()[i] = std::abs(here.data()[i]);
  return result;
}

}  // namespace whorl::studies::fmri
