// Shifts of readouts of phantoms that were measured at shifted places: the phantoms' k-space is analytic.
#include "whorl/correct/estimate_readout_shifts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/phantom_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/correct/gradient_delays.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

using Shifts = std::vector<std::array<double, 3>>;

// Evenly from -most to most along each axis, with a mean of 0.
Shifts random_shifts(Index readouts, int dim, double most) {
  Shifts shifts(static_cast<std::size_t>(readouts));
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dim); ++axis) {
    double mean = 0;
    for (std::size_t i = 0; i < shifts.size(); ++i) {
      shifts[i][axis] = most * (2 * random_uniform(11 + axis, i) - 1);
      mean += shifts[i][axis] / static_cast<double>(readouts);
    }
    for (auto& shift : shifts) shift[axis] -= mean;
  }
  return shifts;
}

struct Measured {
  Trajectory nominal;
  Array<std::complex<float>> data;
  std::array<Index, 3> matrix;

  Shape image() const { return matrix[2] > 1 ? Shape{matrix[2], matrix[1], matrix[0]} : Shape{matrix[1], matrix[0]}; }
};

// A brain at an SNR of 20 (its mean is 0.7 to 20 %), whose k = 0 lies at the shift of each readout: the sample that is
// nominally at k is that of k - shift.
Measured measure(const Context& ctx, Trajectory nominal, const std::array<Index, 3>& matrix, const Shifts& shifts,
                 double noise = 0.035) {
  Trajectory true_one{clone(ctx, nominal.points.ref()), nominal.readout_length};
  const auto k = true_one.points.view<2>();
  for (Index j = 0; j < k.extent(0); ++j) {
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const double to =
          k(j, axis) - shifts[static_cast<std::size_t>(j / nominal.readout_length)][a] / static_cast<double>(matrix[a]);
      k(j, axis) = std::clamp(to, -k_limit, k_limit);
    }
  }
  Scan scan = phantom_scan(ctx, brain_phantom(matrix[2] > 1 ? 3 : 2),
                           test::make_trajectory_scan(std::make_shared<const Trajectory>(std::move(true_one)), matrix),
                           {.coils = 4, .noise_standard_deviation = noise});
  return {std::move(nominal), std::move(scan.frames.front().data), matrix};
}

double most_off(const ReadoutShifts& found, const Shifts& expected) {
  double most = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      most = std::max(most, std::abs(found.shifts[i][axis] - expected[i][axis]));
    }
  }
  return most;
}

void expect_found(const Context& ctx, const Measured& measured, const Shifts& shifts) {
  const ReadoutShifts found = estimate_readout_shifts(ctx, measured.nominal, measured.data, measured.image());
  EXPECT_TRUE(found.is_significant);
  EXPECT_TRUE(found.is_borne_out);
  // None of at most 600 normal numbers is beyond 5 standard deviations, but for 3 in 10,000 cases.
  EXPECT_LT(most_off(found, shifts), 5 * found.standard_error) << "standard error " << found.standard_error;
  EXPECT_LT(found.after, 0.5 * found.before);
}

TEST(EstimateReadoutShifts, FindsThoseOfInterleavesAndSpokes) {
  const Context ctx({.threads = 2});
  const std::array<Index, 3> plane{72, 64, 1};
  const std::array<Index, 3> volume{24, 20, 22};
  for (const double most : {0.05, 0.3}) {
    SCOPED_TRACE(most);
    {
      SCOPED_TRACE("spiral");
      const Shifts shifts = random_shifts(8, 2, most);
      expect_found(ctx, measure(ctx, spiral_trajectory(ctx, 8, 1000, 5), plane, shifts), shifts);
    }
    {
      SCOPED_TRACE("radial");
      const Shifts shifts = random_shifts(48, 2, most);
      expect_found(ctx, measure(ctx, radial_trajectory(ctx, 48, 144, SpokeOrder::golden_angle), plane, shifts), shifts);
    }
  }
  SCOPED_TRACE("kooshball");
  const Shifts shifts = random_shifts(200, 3, 0.3);
  expect_found(ctx, measure(ctx, kooshball_trajectory(ctx, 200, 48), volume, shifts), shifts);
}

// Without shifts none are significant, and a shift that all readouts share is none.
TEST(EstimateReadoutShifts, FindsNoneWhereThereAreNone) {
  const Context ctx({.threads = 2});
  const std::array<Index, 3> plane{72, 64, 1};
  for (const double common : {0.0, 0.8}) {
    const Shifts same(8, {common, -common, 0});
    const Measured measured = measure(ctx, spiral_trajectory(ctx, 8, 1000, 5), plane, same);
    const ReadoutShifts found = estimate_readout_shifts(ctx, measured.nominal, measured.data, measured.image());
    EXPECT_FALSE(found.is_significant) << found.largest << " " << found.standard_error;
    EXPECT_LT(found.largest, 5 * found.standard_error);
  }
}

TEST(EstimateReadoutShifts, RefusesWhatDoesNotTell) {
  const Context ctx;
  const Shape image{64, 72};
  const auto refused = [&](const Trajectory& trajectory, const std::string& word) {
    Array<std::complex<float>> data(ctx, {2, trajectory.samples()});
    fill_random_normal<float>(data, 3);
    try {
      estimate_readout_shifts(ctx, trajectory, data, image);
      ADD_FAILURE() << "expected: " << word;
    } catch (const ValueError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refused(spiral_trajectory(ctx, 1, 1000, 5), "expected 2 to 1000 readouts");
  refused(radial_trajectory(ctx, 3, 144, SpokeOrder::golden_angle), "uncertain by");
  Trajectory unknown = radial_trajectory(ctx, 48, 144, SpokeOrder::golden_angle);
  unknown.readout_length = 0;
  refused(unknown, "unknown length");
  // Lines beside the center hold nothing of it.
  Trajectory lines{Array<double>(ctx, {64 * 72, 2}), 72};
  for (Index j = 0; j < 64 * 72; ++j) {
    lines.points.data()[2 * j] = static_cast<double>(j % 72 - 36) / 72;
    lines.points.data()[2 * j + 1] = static_cast<double>(j / 72 - 32) / 64;
  }
  refused(lines, "are not in the data");
  const Trajectory noise = radial_trajectory(ctx, 48, 144, SpokeOrder::golden_angle);
  Array<std::complex<float>> data(ctx, {2, noise.samples()});
  fill_random_normal<float>(data, 3);
  EXPECT_THROW(estimate_readout_shifts(ctx, noise, data, image), ValueError) << "noise alone";
  fill<std::complex<float>>(data, 0);
  EXPECT_THROW(estimate_readout_shifts(ctx, noise, data, image), ValueError) << "zeros";
  EXPECT_THROW(estimate_readout_shifts(ctx, noise, data, {64}), ShapeError);
}

}  // namespace
}  // namespace whorl
