// The sodium example in small: its head, its calibration, and what it claims.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/phantom/phantom.hpp"

namespace sodium {
namespace {

// Figures are put into others: if one stuck out of what it is in, a portion would be negative there.
TEST(SodiumHead, FiguresLieWithinEachOther) {
  const whorl::Context ctx({.threads = 2});
  const Head head = make_head();
  std::vector<double> ones(head.tissues.size(), 1);
  const auto all = whorl::rasterize<float>(ctx, weighted_head(head, ones), {40, 40, 40}, 2);
  for (const float value : all.span()) {
    // Sums of small whole numbers, divided by 8: exact.
    ASSERT_GE(value, 0);
    ASSERT_LE(value, 1);
  }
  for (const whorl::Phantom& portion : head.portions) {
    const auto values = whorl::rasterize<float>(ctx, portion, {40, 40, 40}, 2);
    EXPECT_GE(*std::min_element(values.span().begin(), values.span().end()), 0) << portion.name;
    EXPECT_GT(*std::max_element(values.span().begin(), values.span().end()), 0.99) << portion.name;
  }
}

TEST(SodiumHead, TheVialsAndTheAirGiveTheScale) {
  const whorl::Context ctx;
  Regions regions;
  regions.air = {0, 1};
  regions.tissues = {{"vial 40", 40, {2}, false}, {"gray matter", 40, {3}, false}, {"vial 120", 120, {4, 5}, false}};
  whorl::Array<std::complex<float>> image(ctx, {6});
  // Air 3 and vials 23 and 63 lie on the line 2 (x - 3). Gray matter does not, and has no say, nor has the phase.
  const std::vector<std::complex<float>> values{{2, 7}, {4, 1}, {23, 0}, {99, 0}, {62, 5}, {64, 0}};
  std::copy(values.begin(), values.end(), image.data());
  const Calibration line = calibrate(regions, image);
  EXPECT_NEAR(line.slope, 2, 1e-12);
  EXPECT_NEAR(line.offset, -6, 1e-10);
}

// One small study for all that follows: 24^3 voxels, 4 coils.
class SodiumStudy : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test_folder();
    StudySettings settings;
    settings.scan.size = 24;
    settings.scan.coils = 4;
    settings.replicas = 4;
    settings.predictions = 4;
    const whorl::Context ctx;
    study_ = new Study(run_study(ctx, settings, folder_->path()));
    write_report(ctx, *study_, folder_->path());
  }
  static void TearDownTestSuite() {
    delete study_;
    delete folder_;
  }

  static const MethodResult& method(const std::string& name) {
    return *std::find_if(study_->methods.begin(), study_->methods.end(),
                         [&](const MethodResult& one) { return one.name == name; });
  }
  static const TissueResult& result(const std::string& name, const std::string& tissue) {
    const auto& tissues = method(name).tissues;
    return *std::find_if(tissues.begin(), tissues.end(),
                         [&](const TissueResult& one) { return one.region->tissue == tissue; });
  }

  using test_folder = whorl::test::TemporaryFolder;
  static inline test_folder* folder_ = nullptr;
  static inline Study* study_ = nullptr;
};

}  // namespace
}  // namespace sodium
