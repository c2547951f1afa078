#include "recon/quality/noise_streams.hpp"

#include "whorl/core/random.hpp"

namespace whorl::recon {

namespace {

// The noise of a phantom's scan has the streams of small numbers (phantom/phantom_scan.cpp). A replica does not repeat
// it where both have the same seed.
constexpr std::uint64_t first_stream = std::uint64_t{1} << 63;

}  // namespace

template <class Real>
void fill_white_noise(const Context& ctx, ArrayRef<std::complex<Real>> array, std::uint64_t seed,
                      std::uint64_t stream) {
  fill_random_normal<Real>(ctx, array, stream_seed(seed, first_stream + stream));
}

template <class Real>
void fill_quarter_turns(const Context& ctx, ArrayRef<std::complex<Real>> array, std::uint64_t seed,
                        std::uint64_t stream) {
  fill_random_turns<Real>(ctx, array, stream_seed(seed, first_stream + stream));
}

template void fill_white_noise(const Context&, ArrayRef<std::complex<float>>, std::uint64_t, std::uint64_t);
template void fill_white_noise(const Context&, ArrayRef<std::complex<double>>, std::uint64_t, std::uint64_t);
template void fill_quarter_turns(const Context&, ArrayRef<std::complex<float>>, std::uint64_t, std::uint64_t);
template void fill_quarter_turns(const Context&, ArrayRef<std::complex<double>>, std::uint64_t, std::uint64_t);

}  // namespace whorl::recon
