// Gradient delays of phantoms whose spokes were shifted by known ones.
#include "whorl/correct/estimate_delays.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/phantom_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/spiral.hpp"
#include "whorl/trajectory/stack.hpp"

namespace whorl {
namespace {

// The phantom measured along the delayed spokes with an SNR of 20 in the mean of the object, as a full image would have.
Array<std::complex<float>> measure(const Context& ctx, const Phantom& phantom, const Trajectory& nominal,
                                   const GradientDelays& delays, const std::array<Index, 3>& matrix, Index coils) {
  const Array<float> object = rasterize<float>(ctx, phantom, matrix, 2);
  double sum = 0;
  Index count = 0;
  for (const float value : object.span()) {
    sum += value;
    count += value != 0 ? 1 : 0;
  }
  auto trajectory = std::make_shared<const Trajectory>(delayed(ctx, nominal, delays));
  Scan scan = phantom_scan(ctx, phantom, test::make_trajectory_scan(std::move(trajectory), matrix),
                           {.coils = coils, .noise_standard_deviation = sum / static_cast<double>(count) / 20});
  return std::move(scan.frames.front().data);
}

double largest_difference(const GradientDelays& a, const GradientDelays& b) {
  double most = 0;
  for (const auto member : {&GradientDelays::x, &GradientDelays::y, &GradientDelays::z, &GradientDelays::xy,
                            &GradientDelays::xz, &GradientDelays::yz}) {
    most = std::max(most, std::abs(a.*member - b.*member));
  }
  return most;
}

// The goal for an SNR of 20.
constexpr double goal = 0.02;

TEST(EstimateDelays, FindsThoseOfSpokesInAPlane) {
  const Context ctx({.threads = 2});
  const std::array<Index, 3> matrix{64, 56, 1};
  for (const auto& [spokes, order] : {std::pair{Index{13}, SpokeOrder::golden_angle}, {60, SpokeOrder::uniform}}) {
    for (const GradientDelays& delays : {GradientDelays{}, GradientDelays{.x = 0.3, .y = -0.2, .xy = 0.1},
                                         GradientDelays{.x = -2.4, .y = 1.3, .xy = 0.5}}) {
      for (const Index coils : {0, 4}) {
        const Trajectory nominal = radial_trajectory(ctx, spokes, 128, order);
        const auto data = measure(ctx, brain_phantom(2), nominal, delays, matrix, coils);
        const DelayEstimate found = estimate_delays(ctx, nominal, data, {56, 64});
        EXPECT_LT(largest_difference(found.delays, delays), goal)
            << spokes << " spokes, " << coils << " coils: " << found.delays.x << ", " << found.delays.y << ", "
            << found.delays.xy;
        EXPECT_LT(found.standard_error, goal);
      }
    }
  }
}

// Steps of half a cycle put samples of every spoke at the very edge of the fit, 1.5 cycles, where they come and go.
TEST(EstimateDelays, SettlesWithSamplesAtTheEdgeOfTheFit) {
  const Context ctx({.threads = 2});
  const std::array<Index, 3> matrix{64, 64, 1};
  for (const Phantom& phantom : {brain_phantom(2), shepp_logan(2, PhantomContrast::modified)}) {
    for (const GradientDelays& delays : {GradientDelays{}, GradientDelays{.x = 0.3, .y = -0.2, .xy = 0.1}}) {
      const Trajectory nominal = radial_trajectory(ctx, 151, 128, SpokeOrder::uniform);
      const auto data = measure(ctx, phantom, nominal, delays, matrix, 4);
      EXPECT_LT(largest_difference(estimate_delays(ctx, nominal, data, {64, 64}).delays, delays), goal) << phantom.name;
    }
  }
}

TEST(EstimateDelays, FindsThoseOfAKooshballAndAStack) {
  const Context ctx({.threads = 2});
  const std::array<Index, 3> matrix{24, 20, 22};
  const GradientDelays delays{.x = 0.6, .y = -0.35, .z = 0.2, .xy = 0.1, .xz = -0.05, .yz = 0.15};
  const Trajectory koosh = kooshball_trajectory(ctx, 300, 48);
  const auto data = measure(ctx, brain_phantom(3), koosh, delays, matrix, 3);
  const DelayEstimate found = estimate_delays(ctx, koosh, data, {22, 20, 24});
  EXPECT_LT(largest_difference(found.delays, delays), goal);

  // Spokes without a component along z leave nothing to find there.
  const GradientDelays flat{.x = 0.6, .y = -0.35, .xy = 0.1};
  const Trajectory stack =
      stack_trajectory(ctx, radial_trajectory(ctx, 40, 48, SpokeOrder::golden_angle), {.partitions = 22});
  const auto planes = measure(ctx, brain_phantom(3), stack, flat, matrix, 3);
  EXPECT_LT(largest_difference(estimate_delays(ctx, stack, planes, {22, 20, 24}).delays, flat), goal);
}

// What was moved beyond |k| = 1/2 lies at 1/2, so that spokes end in standing samples. They are spokes still.
TEST(EstimateDelays, FindsWhatIsLeftOfDelayedSpokes) {
  const Context ctx({.threads = 2});
  const std::array<Index, 3> matrix{64, 56, 1};
  const Trajectory straight = radial_trajectory(ctx, 40, 128, SpokeOrder::golden_angle);
  const Trajectory nominal = delayed(ctx, straight, {.x = 2, .y = -1.5, .xy = 0.4});
  EXPECT_TRUE(has_spokes(nominal));
  const GradientDelays left{.x = 0.3, .y = -0.2, .xy = 0.1};
  const auto data = measure(ctx, brain_phantom(2), nominal, left, matrix, 4);
  EXPECT_LT(largest_difference(estimate_delays(ctx, nominal, data, {56, 64}).delays, left), goal);
}

// A sample is one step farther along a spoke of direction x where x is 1, and the ends stay within k-space.
TEST(GradientDelays, MoveSpokesAlongAndAcross) {
  const Context ctx;
  const Trajectory nominal = radial_trajectory(ctx, 4, 16, SpokeOrder::uniform);  // 0, 45, 90, 135 degrees
  const Trajectory moved = delayed(ctx, nominal, {.x = 1, .y = 0.5, .xy = 0.25});
  const auto before = nominal.points.view<2>();
  const auto after = moved.points.view<2>();
  const double step = before(1, 0) - before(0, 0);
  // Sums of numbers below 1: 1e-15
  EXPECT_NEAR(after(5, 0), before(5, 0) + step, 1e-15);
  EXPECT_NEAR(after(5, 1), before(5, 1) + 0.25 * step, 1e-15);
  const Index up = 2 * 16 + 5;  // along y
  EXPECT_NEAR(after(up, 0), before(up, 0) + 0.25 * step, 1e-15);
  EXPECT_NEAR(after(up, 1), before(up, 1) + 0.5 * step, 1e-15);
  EXPECT_EQ(delayed(ctx, nominal, {.x = -3}).points.data()[0], -0.5);
}

// The delayed spiral has the positions of other times, along each axis.
TEST(EstimateDelays, FindsTimesOfASpiral) {
  const Context ctx({.threads = 2});
  const std::array<Index, 3> matrix{64, 56, 1};
  const Trajectory nominal = spiral_trajectory(ctx, 8, 1000, 5);
  EXPECT_FALSE(has_spokes(nominal));
  for (const GradientDelays& delays : {GradientDelays{}, GradientDelays{.x = 1.5, .y = -1.25}}) {
    const auto data = measure(ctx, brain_phantom(2), nominal, delays, matrix, 4);
    const DelayEstimate found = estimate_delays(ctx, nominal, data, {56, 64});
    // The center is sampled every 0.04 cycles per field of view: noise leaves some hundredths of a sample of all arms, and
    // parts of 6 of the 8 arms, whose gaps are wider, differ by 0.13.
    EXPECT_LT(found.standard_error, 0.25);
    EXPECT_EQ(found.doubt, "");
    EXPECT_LT(largest_difference(found.delays, delays), 5 * found.standard_error)
        << found.delays.x << ", " << found.delays.y << ", standard error " << found.standard_error;
  }
}

TEST(GradientDelays, DelayOtherReadoutsInTime) {
  const Context ctx;
  const Trajectory nominal = spiral_trajectory(ctx, 2, 11, 0.7);
  const Trajectory moved = delayed(ctx, nominal, {.x = 0.25, .y = -2});
  const auto before = nominal.points.view<2>();
  const auto after = moved.points.view<2>();
  for (const Index first : {Index{0}, Index{11}}) {
    // Sums of numbers below 1: 1e-15
    EXPECT_NEAR(after(first + 4, 0), 0.75 * before(first + 4, 0) + 0.25 * before(first + 5, 0), 1e-15);
    EXPECT_NEAR(after(first + 4, 1), before(first + 2, 1), 1e-15);
    EXPECT_NEAR(after(first + 1, 1), before(first, 1), 1e-15) << "it stands still before its first sample";
    EXPECT_NEAR(after(first + 10, 0), before(first + 10, 0), 1e-15) << "and after its last";
  }
  EXPECT_THROW(delayed(ctx, nominal, {.x = 1, .xy = 0.5}), ValueError);
}

TEST(EstimateDelays, RefusesWhatDoesNotDetermineThem) {
  const Context ctx;
  const Shape image{56, 64};
  const Trajectory spiral = spiral_trajectory(ctx, 4, 100, 5);
  Array<std::complex<float>> data(ctx, {1, 400});
  fill<std::complex<float>>(data, 1);
  EXPECT_THROW(estimate_delays(ctx, spiral, data, image), ValueError);
  const Trajectory few = radial_trajectory(ctx, 3, 128, SpokeOrder::uniform);
  Array<std::complex<float>> little(ctx, {1, 384});
  EXPECT_THROW(estimate_delays(ctx, few, data, image), ShapeError);
  fill<std::complex<float>>(little, 0);
  EXPECT_THROW(estimate_delays(ctx, few, little, image), ValueError);
  fill<std::complex<float>>(little, 1);
  EXPECT_THROW(estimate_delays(ctx, few, little, image), ValueError);
  // Noise alone
  const Trajectory spokes = radial_trajectory(ctx, 30, 128, SpokeOrder::uniform);
  Array<std::complex<float>> noise(ctx, {1, 30 * 128});
  fill_random_normal<float>(noise, 3);
  EXPECT_THROW(estimate_delays(ctx, spokes, noise, image), ValueError);
}

}  // namespace
}  // namespace whorl
