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

template <class Real>
Array<std::complex<Real>> adjoints_of_noise(const Context& ctx, const LinearOperator<Real>& A, Index count,
                                            std::uint64_t seed, Index first) {
  using Complex = std::complex<Real>;
  Array<Complex> b(ctx, A.domain().with_front(count));
  Array<Complex> noise(ctx, A.range());
  for (Index i = 0; i < count; ++i) {
    fill_white_noise<Real>(ctx, noise, seed, static_cast<std::uint64_t>(first + i));
    A.adjoint(ctx, noise, b.slice(i));
  }
  return b;
}

template Array<std::complex<float>> adjoints_of_noise(const Context&, const LinearOperator<float>&, Index,
                                                      std::uint64_t, Index);
template Array<std::complex<double>> adjoints_of_noise(const Context&, const LinearOperator<double>&, Index,
                                                       std::uint64_t, Index);
template void fill_white_noise(const Context&, ArrayRef<std::complex<float>>, std::uint64_t, std::uint64_t);
template void fill_white_noise(const Context&, ArrayRef<std::complex<double>>, std::uint64_t, std::uint64_t);
template void fill_quarter_turns(const Context&, ArrayRef<std::complex<float>>, std::uint64_t, std::uint64_t);
template void fill_quarter_turns(const Context&, ArrayRef<std::complex<double>>, std::uint64_t, std::uint64_t);

}  // namespace whorl::recon
