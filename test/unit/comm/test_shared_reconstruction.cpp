// One reconstruction by several threads, each with a device of its own where there are several GPUs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/device.hpp"
#include "support/small_scan.hpp"
#include "unit/recon/within_subspace.hpp"
#include "whorl/core/random.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/subspace_basis.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

std::vector<Context> contexts(int count) {
  const Context first = test::device_context();
  std::vector<Context> all{first};
  for (int index = 1; index < count; ++index) {
    const Device next{first.device().kind, index};
    try {
      all.push_back(first.on(first.device().kind == DeviceKind::cpu ? Device{} : next));
    } catch (const DeviceError&) {  // a GPU for all: their sums go through the host's memory
      all.push_back(first.host().on(first.device()));
    }
  }
  return all;
}

double difference(const Array<Complex>& a, const Array<Complex>& b) {
  double error = 0;
  double size = 0;
  for (Index i = 0; i < b.size(); ++i) {
    error += std::norm(a.data()[i] - b.data()[i]);
    size += std::norm(b.data()[i]);
  }
  return std::sqrt(error / size);
}

Scan single_frame() {
  Scan scan = test::make_small_scan(Context());
  scan.frames.resize(1);
  return scan;
}

// With lambda = 0.5 the condition is at most 3: five roundings of 2^-24, each amplified by that (test/ranks).
ReconOptions well_conditioned() {
  ReconOptions options;
  options.cg_sense.lambda = 0.5;
  options.cg_sense.iterations = 40;
  options.cg_sense.tolerance = 1e-7;
  return options;
}

TEST(SharedReconstruction, FramesAreThoseOfOneDevice) {
  const auto devices = contexts(4);
  const Reconstruction one = reconstruct(devices.front(), test::make_small_scan(Context()), well_conditioned());
  const Reconstruction all = reconstruct(devices, test::make_small_scan(Context()), well_conditioned());
  ASSERT_EQ(all.images.shape(), one.images.shape());
  ASSERT_EQ(all.reports.size(), one.reports.size());
  EXPECT_LT(difference(all.images, one.images), 1e-6);
  if (devices.front().device().kind != DeviceKind::cpu) return;
  EXPECT_TRUE(std::equal(all.images.span().begin(), all.images.span().end(), one.images.span().begin()));
}

TEST(SharedReconstruction, CoilsAddUp) {
  const Reconstruction one = reconstruct(test::device_context(), single_frame(), well_conditioned());
  for (const int count : {2, 3, 4}) {
    const Reconstruction all = reconstruct(contexts(count), single_frame(), well_conditioned());
    EXPECT_LT(difference(all.images, one.images), 1e-6) << count;
  }
}

TEST(SharedReconstruction, ErrorBarsAndChoicesOfAllFrames) {
  ReconOptions options = well_conditioned();
  options.error_bars.standard_deviation = true;
  options.error_bars.bias = true;
  options.cg_sense.lambda_search = LambdaSearchOptions{};
  options.certified_samples = 100;
  options.keep_normals = true;
  const Reconstruction one = reconstruct(test::device_context(), test::make_small_scan(Context()), options);
  const Reconstruction all = reconstruct(contexts(3), test::make_small_scan(Context()), options);
  EXPECT_EQ(all.lambdas.size(), one.lambdas.size());
  EXPECT_EQ(all.certificates.size(), one.certificates.size());
  EXPECT_EQ(all.normals.normals.size(), one.normals.normals.size());
  ASSERT_EQ(all.error_bars.standard_deviation.shape(), one.error_bars.standard_deviation.shape());
  ASSERT_EQ(all.error_bars.bias.shape(), one.error_bars.bias.shape());
  if (test::device_context().device().kind != DeviceKind::cpu) return;
  for (std::size_t slice = 0; slice < one.lambdas.size(); ++slice) {
    EXPECT_EQ(all.lambdas[slice].choice.lambda, one.lambdas[slice].choice.lambda);
  }
  const auto same = [](const auto& a, const auto& b) {
    return std::equal(a.span().begin(), a.span().end(), b.span().begin());
  };
  EXPECT_TRUE(same(all.images, one.images));
  EXPECT_TRUE(same(all.error_bars.standard_deviation, one.error_bars.standard_deviation));
  EXPECT_TRUE(same(all.error_bars.bias, one.error_bars.bias));
}

// Frames of one trajectory that no term joins are solved in groups of 32, which have one rule for their end. Ranks share the
// groups; that with the second one finds the weight from the data of the first.
TEST(SharedReconstruction, RegularizedGroupsAreShared) {
  const auto make = [] {
    Scan scan = test::make_small_scan(Context());
    scan.frames.resize(1);
    for (int repetition = 1; repetition < 40; ++repetition) {
      const ScanFrame& first = scan.frames.front();
      ScanFrame frame{first.index, first.trajectory, nullptr, Array<Complex>(Context(), first.data.shape()),
                      first.geometry};
      frame.index.repetition = repetition;
      fill_random_normal<float>(frame.data, static_cast<std::uint64_t>(100 + repetition));
      scan.frames.push_back(std::move(frame));
    }
    return scan;
  };
  ReconOptions options;
  options.cg_sense.lambda = 0.5;
  options.cg_sense.iterations = 8;
  options.regularized.terms = {parse_regularizer("wavelet:auto")};
  options.error_bars.standard_deviation = true;
  options.error_bars.noise.count = 2;
  const Reconstruction one = reconstruct(test::device_context(), make(), options);
  const Reconstruction all = reconstruct(contexts(2), make(), options);
  ASSERT_EQ(all.images.shape(), one.images.shape());
  ASSERT_EQ(all.reports.size(), one.reports.size());
  ASSERT_EQ(all.lambdas.size(), 1U);
  EXPECT_NE(std::find_if(all.notes.begin(), all.notes.end(),
                         [](const std::string& note) { return note.find("2 of 40 frames at a time.") != note.npos; }),
            all.notes.end());
  EXPECT_LT(difference(all.images, one.images), 1e-6);
  ASSERT_EQ(all.error_bars.standard_deviation.shape(), one.error_bars.standard_deviation.shape());
  if (test::device_context().device().kind != DeviceKind::cpu) return;
  EXPECT_TRUE(std::equal(all.images.span().begin(), all.images.span().end(), one.images.span().begin()));
  const auto bars = all.error_bars.standard_deviation.span();
  EXPECT_TRUE(std::equal(bars.begin(), bars.end(), one.error_bars.standard_deviation.span().begin()));
}

// Each device has the data of its own frames, and those of its slices for the maps.
TEST(SharedReconstruction, MapsOfAllFrames) {
  for (const bool regularized : {false, true}) {
    ReconOptions options = well_conditioned();
    options.cg_sense.iterations = 8;
    options.maps_from = CoilMapData::all_frames;
    if (regularized) options.regularized.terms = {parse_regularizer("tv:0.05,unit=largest,axes=t")};
    const Reconstruction one = reconstruct(test::device_context(), test::make_small_scan(Context()), options);
    const Reconstruction all = reconstruct(contexts(2), test::make_small_scan(Context()), options);
    EXPECT_LT(difference(all.images, one.images), 1e-6) << regularized;
  }
}

// Slices first, then their coils; with regularizers the coils alone. Roundings of some steps add up there, as in test/ranks.
TEST(SharedReconstruction, SubspacesAreShared) {
  const auto reconstructed = [](const std::vector<Context>& devices, const ReconOptions& options) {
    Scan scan = test::make_small_scan(Context());
    const SubspaceBasis basis = low_resolution_basis(Context(), scan, 2, 8);
    return reconstruct(devices, std::move(scan), test::within(basis, options));
  };
  ReconOptions options = well_conditioned();
  for (const char* term : {"", "wavelet:0.05,unit=largest"}) {
    if (*term != 0) options.regularized.terms = {parse_regularizer(term)};
    const Reconstruction one = reconstructed(contexts(1), options);
    for (const int count : {2, 4}) {
      const Reconstruction all = reconstructed(contexts(count), options);
      ASSERT_EQ(all.images.shape(), one.images.shape());
      ASSERT_EQ(all.reports.size(), one.reports.size());
      ASSERT_EQ(all.frames.size(), one.frames.size());
      EXPECT_LT(difference(all.images, one.images), *term != 0 ? 4e-6 : 1e-6) << count << " devices " << term;
    }
  }
}

TEST(SharedReconstruction, AFailureEndsAllThreads) {
  ReconOptions options = well_conditioned();
  options.cg_sense.iterations = -1;
  EXPECT_THROW(reconstruct(contexts(3), test::make_small_scan(Context()), options), Error);
}

}  // namespace
}  // namespace whorl
