// A subspace of all courses is that of the frames: whatever frames can have, coefficients have.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "recon/frame_groups.hpp"
#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/phantom_scan.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/subspace_basis.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

constexpr Index frames_of_slice = 3;

// Two slices that come in turns, of frames on one trajectory, 24 x 20 pixels, 3 coils; slices and frames differ in scale.
Scan two_slices(const Context& host) {
  const auto trajectory = std::make_shared<Trajectory>(radial_trajectory(host, 40, 48, SpokeOrder::golden_angle));
  Scan scan = test::make_phantom_scan(host, trajectory, {24, 20, 1}, {.coils = 3, .noise_standard_deviation = 0.02});
  const ScanFrame first = std::move(scan.frames.front());
  scan.frames.clear();
  for (int frame = 0; frame < frames_of_slice; ++frame) {
    for (int slice = 0; slice < 2; ++slice) {
      ScanFrame& one = scan.frames.emplace_back(ScanFrame{{}, trajectory, nullptr, clone(host, first.data.ref()), {}});
      one.index = {.slice = slice, .repetition = frame};
      one.geometry = first.geometry;
      one.geometry.position_mm[2] += 5 * slice;
      axpby<float>(host, 1.0 + 0.3 * frame + 0.5 * slice, one.data, 0, one.data);
    }
  }
  scan.coil_maps = phantom_coil_maps<float>(host, make_phantom_coils(host, scan.matrix, 3));
  scan.coil_maps.reshape({3, 1, 20, 24});
  return scan;
}

std::shared_ptr<const SubspaceBasis> all_courses(const Context& host) {
  auto basis = std::make_shared<SubspaceBasis>();
  basis->vectors = zeros<std::complex<double>>(host, {frames_of_slice, frames_of_slice});
  for (Index t = 0; t < frames_of_slice; ++t) basis->vectors.data()[t * (frames_of_slice + 1)] = 1;
  return basis;
}

// The numbers of the frames in the order of the coefficients: slice by slice.
std::vector<std::size_t> order_of_coefficients() {
  std::vector<std::size_t> order;
  for (std::size_t slice = 0; slice < 2; ++slice) {
    for (std::size_t frame = 0; frame < frames_of_slice; ++frame) order.push_back(2 * frame + slice);
  }
  return order;
}

template <class T>
Array<T> in_order(const Context& host, const Array<T>& rows) {
  Array<T> sorted(host, rows.shape());
  Index to = 0;
  for (const std::size_t from : order_of_coefficients()) {
    copy<T>(rows.ref().slice(static_cast<Index>(from)), sorted.slice(to++));
  }
  return sorted;
}

class SubspaceFrames : public ::testing::Test {
 protected:
  SubspaceFrames() {
    options_.prewhiten = false;
    options_.noise = 0.02;
    options_.calibration = 12;
    options_.maps_from = CoilMapData::all_frames;
    options_.cg_sense.iterations = 100;
    options_.cg_sense.lambda = 1e-2;
    options_.nufft.tolerance = 1e-6;
  }

  Reconstruction frames() { return reconstruct(ctx_, two_slices(host_), options_); }
  Reconstruction coefficients() {
    ReconOptions within = options_;
    within.subspace = all_courses(host_);
    return reconstruct(ctx_, two_slices(host_), within);
  }
  void expect_equal(double bound) {
    const Reconstruction expected = frames();
    const Reconstruction found = coefficients();
    EXPECT_LT(test::relative_error(found.images, in_order(host_, expected.images)), bound);
    ASSERT_EQ(found.frames.size(), expected.frames.size());
    ASSERT_EQ(found.reports.size(), expected.reports.size());
    EXPECT_EQ(found.frames[4].index.slice, 1);
    EXPECT_EQ(found.frames[4].index.contrast, 1);
    EXPECT_EQ(found.frames[4].geometry.position_mm[2], expected.frames[1].geometry.position_mm[2]);
  }

  Context ctx_ = test::device_context(2);
  Context host_ = ctx_.host();
  ReconOptions options_;
};

// The unit of lambda, an eigenvalue, is known to 0.1 % of it, which changes an image by no more than that of it. Transforms and
// residuals of 1e-6, times a condition of at most 1 / lambda, are less.
TEST_F(SubspaceFrames, LeastSquares) {
  options_.cg_sense.tolerance = 1e-6;
  for (const PenaltyKind penalty : {PenaltyKind::tikhonov, PenaltyKind::smoothness}) {
    options_.cg_sense.penalty = penalty;
    expect_equal(1e-3);
  }
}

// One solver in the place of one for each slice ends elsewhere: by a sum of residuals of 1e-4.
TEST_F(SubspaceFrames, Regularizers) {
  options_.regularized.terms = {parse_regularizer("tv:medium")};
  expect_equal(5e-3);
  options_.regularized.terms = {parse_regularizer("llr:medium,shift=no")};
  expect_equal(5e-3);
}

TEST_F(SubspaceFrames, ChoosesLambdaAndWeights) {
  options_.cg_sense.iterations = 15;
  options_.cg_sense.lambda_search = LambdaSearchOptions{
      .method = LambdaMethod::gcv, .sweep = {.lowest = 1e-3, .highest = 1e-1, .per_decade = 2, .probes = 1}};
  const Reconstruction found = coefficients();
  ASSERT_EQ(found.lambdas.size(), 2U);
  options_.cg_sense.lambda_search.reset();
  options_.cg_sense.lambda = found.lambdas[0].choice.lambda;
  const Reconstruction given = coefficients();
  EXPECT_EQ(found.lambdas[1].slice, 1);
  EXPECT_LT(test::relative_error(clone(host_, found.images.ref().slice(0)), clone(host_, given.images.ref().slice(0))),
            1e-3);

  options_.cg_sense.lambda = 0;
  options_.regularized.terms = {parse_regularizer("tv:gcv")};
  const Reconstruction chosen = coefficients();
  ASSERT_EQ(chosen.lambdas.size(), 2U);
  EXPECT_GT(chosen.lambdas[1].choice.lambda, 0);
}

// low-rank-sparse gives two parts, whose sum is the image.
TEST_F(SubspaceFrames, KeepsParts) {
  options_.regularized.terms = {parse_regularizer("low-rank-sparse:medium")};
  options_.regularized.keep_parts = true;
  const Reconstruction found = coefficients();
  ASSERT_EQ(found.parts.shape(), (Shape{6, 2, 1, 20, 24}));
  Array<Complex> sum(host_, found.images.shape());
  for (Index i = 0; i < 6; ++i) {
    copy<Complex>(found.parts.slice(i).slice(0), sum.slice(i));
    axpby<float>(host_, 1, found.parts.slice(i).slice(1), 1, sum.slice(i));
  }
  EXPECT_LT(test::relative_error(sum, found.images), 1e-5);
}

// A filter has the images of all coefficients, and those that are told of are those of the result.
TEST_F(SubspaceFrames, FiltersAndTellsOfImages) {
  std::map<Index, Complex> told;
  options_.resources.on_image = [&](Index image, ArrayRef<const Complex> values) { told[image] = values.data()[250]; };
  const Reconstruction plain = coefficients();
  ASSERT_EQ(told.size(), 6U);
  for (const auto& [image, value] : told) EXPECT_EQ(value, plain.images.data()[image * 480 + 250]);
  options_.resources.on_image = {};
  Shape checked{0};
  options_.filter = ImageHook{.name = "twice",
                              .check = [&](const Shape& images) { checked = images; },
                              .apply =
                                  [](const Context& ctx, const Array<Complex>& images) {
                                    Array<Complex> twice = clone<Complex>(ctx, images.ref());
                                    axpby<float>(ctx, 2, twice, 0, twice);
                                    return twice;
                                  }};
  const Reconstruction filtered = coefficients();
  EXPECT_EQ(checked, (Shape{6, 1, 20, 24}));
  for (Index i = 0; i < plain.images.size(); ++i) {
    ASSERT_EQ(filtered.images.data()[i], 2.0F * plain.images.data()[i]);
  }
}

// The error of 12 replicas is 1 / sqrt(24), 20 %, at each voxel, and that of the mean over 480 voxels some 1 %.
TEST_F(SubspaceFrames, StandardDeviationOfRegularizedImages) {
  options_.prewhiten = true;
  options_.regularized.terms = {parse_regularizer("tv:weak")};
  options_.error_bars.standard_deviation = true;
  options_.error_bars.noise.count = 12;
  options_.cg_sense.iterations = 30;
  const Reconstruction expected = frames();
  const Reconstruction found = coefficients();
  ASSERT_EQ(found.error_bars.standard_deviation.shape(), (Shape{6, 1, 20, 24}));
  const auto mean = [](const Array<float>& values) {
    return std::accumulate(values.span().begin(), values.span().end(), 0.0) / static_cast<double>(values.size());
  };
  EXPECT_NEAR(mean(found.error_bars.standard_deviation), mean(expected.error_bars.standard_deviation),
              0.05 * mean(expected.error_bars.standard_deviation));
  options_.regularized.terms.clear();
  EXPECT_THROW(coefficients(), ValueError);
}

class Store : public FrameStore {
 public:
  std::optional<FinishedFrame> find(Index frame) override {
    const auto found = kept_.find(frame);
    if (found == kept_.end()) return {};
    return FinishedFrame{clone(Context(), found->second.image.ref()), found->second.report};
  }
  void keep(Index frame, const FinishedFrame& finished) override {
    kept_[frame] = {clone(Context(), finished.image.ref()), finished.report};
  }

  std::map<Index, FinishedFrame> kept_;
};

TEST_F(SubspaceFrames, KeepsFinishedCoefficients) {
  const auto store = std::make_shared<Store>();
  options_.resources.finished = store;
  const Reconstruction first = coefficients();
  ASSERT_EQ(store->kept_.size(), 6U);
  fill<Complex>(host_, store->kept_[4].image, 7);
  const Reconstruction again = coefficients();
  EXPECT_EQ(again.images.data()[3 * 480 + 100], first.images.data()[3 * 480 + 100]);
  EXPECT_NE(again.images.data()[4 * 480 + 100], first.images.data()[4 * 480 + 100]);
}

// Slices that come in turns have their coefficients one slice after another: so it is said before, and so they come.
TEST_F(SubspaceFrames, LieWhereItIsSaidBefore) {
  ReconOptions options = options_;
  options.subspace = all_courses(host_);
  const std::vector<ImageFrame> said = recon::places_of_images(two_slices(host_), options);
  const std::vector<ImageFrame> made = coefficients().frames;
  ASSERT_EQ(said.size(), made.size());
  for (std::size_t i = 0; i < said.size(); ++i) {
    EXPECT_EQ(said[i].index.slice, static_cast<int>(i) / frames_of_slice);
    EXPECT_EQ(said[i].index.slice, made[i].index.slice);
    EXPECT_EQ(said[i].index.contrast, made[i].index.contrast);
    EXPECT_EQ(said[i].geometry, made[i].geometry);
  }
}

// What does not fit lies in files: the bits are the same.
TEST_F(SubspaceFrames, FitsIntoLessMemory) {
  if (ctx_.device().kind != DeviceKind::cpu) GTEST_SKIP() << "files are a CPU's";
  const Array<Complex> expected = coefficients().images;
  ReconOptions within = options_;
  within.subspace = all_courses(host_);
  const ReconPlan whole = plan_reconstruction(ctx_, two_slices(host_), within);
  const Context small(
      {.threads = 2, .max_memory = static_cast<std::size_t>(whole.bytes)});  // nine tenths may be planned with
  const ReconPlan plan = plan_reconstruction(small, two_slices(host_), within);
  EXPECT_FALSE(plan.spilled.empty());
  const Array<Complex> found = reconstruct(small, two_slices(host_), within).images;
  EXPECT_TRUE(std::equal(found.span().begin(), found.span().end(), expected.span().begin()));
}

}  // namespace
}  // namespace whorl
