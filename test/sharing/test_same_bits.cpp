// Images have the same bits with any number of threads, and with vectors of AVX2 and AVX-512: sums are taken in an order that depends
// on neither. SSE2 differs by rounding: it does not multiply and add at once.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/phantom_scan.hpp"
#include "support/simd_targets.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

struct Call {
  const char* name;
  bool volume;
  Index frames;
  std::function<void(ReconOptions&)> set;
};

// Two frames of 60 x 52 pixels in the plane; a volume of 16 x 12 x 14.
Scan make_scan(const Call& call) {
  const Context ctx({.threads = 2});
  const auto trajectory = call.volume
                              ? std::make_shared<Trajectory>(kooshball_trajectory(ctx, 160, 32))
                              : std::make_shared<Trajectory>(radial_trajectory(ctx, 45, 120, SpokeOrder::golden_angle));
  Scan scan = test::make_phantom_scan(ctx, trajectory,
                                      call.volume ? std::array<Index, 3>{16, 12, 14} : std::array<Index, 3>{60, 52, 1},
                                      {.coils = 5, .noise_standard_deviation = 0.05});
  for (Index f = 1; f < call.frames; ++f) {
    const ScanFrame& first = scan.frames.front();
    FrameIndex index = first.index;
    index.repetition = static_cast<int>(f);
    scan.frames.push_back(
        {index, first.trajectory, first.weights, clone<std::complex<float>>(ctx, first.data.ref()), first.geometry});
  }
  return scan;
}

class SameBits : public testing::TestWithParam<Call> {};

Array<std::complex<float>> images_of(const Call& call, const Scan& scan, int threads) {
  ReconOptions options{.cg_sense = {.iterations = 12}};
  if (call.volume) {  // small kernels, for matrices of the maps that are quickly decomposed
    options.calibration = 12;
    options.espirit.kernel = 3;
  }
  call.set(options);
  const Context ctx({.threads = threads});
  return reconstruct(ctx, clone(ctx, scan), options).images;
}

void expect_same(const Array<std::complex<float>>& other, const Array<std::complex<float>>& one) {
  ASSERT_EQ(other.shape(), one.shape());
  EXPECT_EQ(std::memcmp(other.data(), one.data(), one.span().size_bytes()), 0);
}

TEST_P(SameBits, WithAnyNumberOfThreads) {
  const Scan scan = make_scan(GetParam());
  const auto one = images_of(GetParam(), scan, 1);
  for (const int threads : {2, 5}) {
    SCOPED_TRACE(threads);
    expect_same(images_of(GetParam(), scan, threads), one);
  }
}

TEST_P(SameBits, WithVectorsOfAvx2AndAvx512) {
  if ((hwy::SupportedTargets() & HWY_AVX2) == 0 || (hwy::SupportedTargets() & HWY_AVX3) == 0) {
    GTEST_SKIP() << "needs a processor with AVX2 and AVX-512";
  }
  const Scan scan = make_scan(GetParam());
  const auto widest = images_of(GetParam(), scan, 2);
  test::for_each_simd_target([&] {
    if ((hwy::SupportedTargets() & HWY_AVX2) != 0) expect_same(images_of(GetParam(), scan, 2), widest);
  });
}

void regularize(ReconOptions& options, const std::string& text) {
  options.cg_sense.lambda = 0;
  options.regularized.terms = {parse_regularizer(text)};
}

INSTANTIATE_TEST_SUITE_P(
    Methods, SameBits,
    testing::Values(Call{"Gridding", false, 1, [](ReconOptions& o) { o.method = ReconMethod::gridding; }},
                    Call{"GriddingOfAVolume", true, 1, [](ReconOptions& o) { o.method = ReconMethod::gridding; }},
                    Call{"LeastSquares", false, 2, [](ReconOptions&) {}},
                    Call{"LeastSquaresOfAVolume", true, 1, [](ReconOptions&) {}},
                    Call{"WalshsMaps", false, 1, [](ReconOptions& o) { o.coil_maps = CoilMapMethod::walsh; }},
                    Call{"CompressedCoils", true, 1, [](ReconOptions& o) { o.virtual_coils = 3; }},
                    Call{"TotalVariation", false, 1, [](ReconOptions& o) { regularize(o, "tv:1"); }},
                    Call{"TotalVariationInTime", false, 3, [](ReconOptions& o) { regularize(o, "tv:1,axes=t"); }},
                    Call{"Wavelets", true, 1, [](ReconOptions& o) { regularize(o, "wavelet:1"); }},
                    Call{"LowRankPatches", false, 3, [](ReconOptions& o) { regularize(o, "llr:1"); }},
                    Call{"Nlinv", false, 2, [](ReconOptions& o) { o.method = ReconMethod::nlinv; }},
                    Call{"StandardDeviations", false, 1,
                         [](ReconOptions& o) {
                           o.error_bars.standard_deviation = true;
                           o.error_bars.noise.count = 4;
                           o.error_bars.noise.iterations = 12;
                         }}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace whorl
