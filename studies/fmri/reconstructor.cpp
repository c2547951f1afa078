#include "studies/fmri/reconstructor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "whorl/core/mapped_array.hpp"
#include "whorl/io/normal_file.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/trajectory/fingerprint.hpp"

namespace whorl::studies::fmri {

namespace {

double seconds_of(const Context& ctx, const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  ctx.synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What a later session of the protocol has: the spectrum from a file.
NormalSpectrum<float> by_file(const Context& ctx, const Protocol& protocol, const NormalSpectrum<float>& spectrum) {
  const Context host = ctx.host();
  const std::filesystem::path file = temporary_folder() / fmt::format("whorl_fmri_{}.npz", ::getpid());
  SavedNormals saved{.image = spectrum.image, .normals = {}};
  saved.normals.push_back({.trajectory = trajectory_fingerprint(protocol.trajectory.points),
                           .samples = protocol.trajectory.samples(),
                           .origin = "NUFFT",
                           .spectrum = to_host(ctx, spectrum.values.ref())});
  write_normals(host, file, saved);
  SavedNormals read = read_normals(host, file);
  std::filesystem::remove(file);
  return {read.image, std::move(read.normals.front().spectrum)};
}

}  // namespace

Reconstructor::Reconstructor(const Context& ctx, const Protocol& protocol, int iterations)
    : ctx_(ctx), image_{protocol.size, protocol.size, protocol.size}, iterations_(iterations) {
  const NufftOptions options{.tolerance = 1e-3, .normal = NormalMethod::toeplitz};
  NormalSpectrum<float> spectrum;
  preparation_.spectrum =
      seconds_of(ctx, [&] { spectrum = nufft_normal<float>(ctx, protocol.trajectory.points, image_, options); });
  preparation_.file = seconds_of(ctx, [&] { spectrum = by_file(ctx, protocol, spectrum); });
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
