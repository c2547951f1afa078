// Sequences of designed trajectories: what is written is what is played.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <vector>

#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/pulseq.hpp"
#include "whorl/trajectory/density_adapted_radial.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

using test::error_of;
using test::TemporaryFolder;
using testing::HasSubstr;

TEST(DesignedSequence, IsReadBack) {
  const Context ctx;
  const TemporaryFolder folder;
  DesignOptions options;
  options.limits.pixel_mm = 2;
  options.end = GradientEnd::rewind;
  const std::vector<std::array<double, 3>> directions{{1, 0, 0}, {0, -0.6, 0.8}, {0.48, 0.6, -0.64}};
  GradientLimits slow = options.limits;
  slow.amplitude_mt_per_m = 8;
  DesignOptions radial = options;
  radial.limits = slow;
  std::vector<DesignedTrajectory> designed;
  designed.push_back(designed_spiral(ctx, 3, 8, 1, options));
  designed.push_back(density_adapted_radial(ctx, directions, 0.5, 3, radial));
  for (const DesignedTrajectory& one : designed) {
    write_pulseq(ctx, one, {.repetition_time_ms = 40, .field_of_view_mm = {64, 64, 64}}, folder / "a.seq");
    const PulseqReadouts found = read_pulseq_readouts(ctx, folder / "a.seq");
    ASSERT_EQ(found.readouts.size(), one.played.size());
    EXPECT_NEAR(found.seconds.data()[found.readouts[2].first] - found.seconds.data()[0], 80e-3, 1e-12);
    // Trajectories are those that the gradients play: what is left is rounding of amplitudes to the digits of the file.
    constexpr double bound = 1e-8;
    double largest = 0;
    for (Index sample = 0; sample < one.trajectory.samples(); ++sample) {
      for (Index axis = 0; axis < one.trajectory.dim(); ++axis) {
        largest = std::max(largest, std::abs(2e-3 * found.positions_per_m.view<2>()(sample, axis) -
                                             one.trajectory.points.view<2>()(sample, axis)));
      }
    }
    EXPECT_LT(largest, bound);
  }
  options.dwell_us = 2.5;
  const DesignedTrajectory odd = designed_spiral(ctx, 3, 8, 1, options);
  EXPECT_THAT(error_of<ValueError>([&] { write_pulseq(ctx, odd, {}, folder / "b.seq"); }), HasSubstr("even number"));
  EXPECT_THAT(error_of<ValueError>([&] {
                write_pulseq(ctx, designed[0], {.repetition_time_ms = 1, .field_of_view_mm = {}}, folder / "b.seq");
              }),
              HasSubstr("a shot takes"));
  EXPECT_FALSE(std::filesystem::exists(folder / "b.seq"));
}

}  // namespace
}  // namespace whorl
