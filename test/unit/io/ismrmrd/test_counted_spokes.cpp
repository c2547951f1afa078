// Spokes without positions: the counters and the name of their kind tell them.
#include <cmath>
#include <numbers>

#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using std::numbers::pi;
using test::has_note;
using test::message_of;
using ::testing::HasSubstr;

class CountedSpokesTest : public test::FolderTest {
 protected:
  Scan read(const std::vector<ISMRMRD::Acquisition>& acquisitions, const ScanReadOptions& options) {
    std::filesystem::remove(folder / "scan.h5");
    test::write_by_library(folder / "scan.h5", test::to_xml(header), acquisitions);
    return read_ismrmrd(ctx, folder / "scan.h5", options);
  }
  static ISMRMRD::Acquisition spoke(std::uint16_t samples, std::uint16_t number, std::uint16_t partition = 0) {
    ISMRMRD::Acquisition acquisition(samples, 1, 0);
    acquisition.idx().kspace_encode_step_1 = number;
    acquisition.idx().kspace_encode_step_2 = partition;
    acquisition.center_sample() = static_cast<std::uint16_t>(samples / 2);
    for (std::uint16_t i = 0; i < samples; ++i) acquisition.data(i, 0) = 1;  // a point in the middle
    return acquisition;
  }
  /// Distance of a sample from an expected position.
  static double error(const Scan& scan, Index sample, std::vector<double> expected) {
    const auto k = scan.frames[0].trajectory->points.view<2>();
    EXPECT_EQ(k.extent(1), std::ssize(expected));
    double square = 0;
    for (Index axis = 0; axis < k.extent(1); ++axis) {
      square += std::pow(k(sample, axis) - expected[static_cast<std::size_t>(axis)], 2);
    }
    return std::sqrt(square);
  }
  static ScanReadOptions kind(CountedKind kind, std::optional<SpokeOrder> angle = {}) {
    ScanReadOptions options;
    options.kind = kind;
    options.angle = angle;
    return options;
  }

  // Positions are some operations in double from their definition.
  static constexpr double rounding = 1e-14;
  ISMRMRD::IsmrmrdHeader header = test::small_header(16, 16);
};

// theta_s = pi s / 5, and 111.246... degrees s = pi s / g; k = (i - 8) / 16 along it.
TEST_F(CountedSpokesTest, InThePlane) {
  const std::vector<ISMRMRD::Acquisition> all{spoke(16, 3), spoke(16, 0), spoke(16, 4)};
  Scan scan = read(all, kind(CountedKind::radial, SpokeOrder::uniform));
  EXPECT_LT(error(scan, 1, {-7.0 / 16 * std::cos(3 * pi / 5), -7.0 / 16 * std::sin(3 * pi / 5)}), rounding);
  EXPECT_LT(error(scan, 16, {-0.5, 0}), rounding);
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 16);
  EXPECT_TRUE(has_note(scan, "5 spokes through the center in uniform angles"));
  const double golden = pi / std::numbers::phi;
  scan = read(all, kind(CountedKind::radial, SpokeOrder::golden_angle));
  EXPECT_LT(error(scan, 33, {-7.0 / 16 * std::cos(4 * golden), -7.0 / 16 * std::sin(4 * golden)}), rounding);
  // As the header says
  header.encoding[0].trajectory = ISMRMRD::TrajectoryType::GOLDENANGLE;
  EXPECT_TRUE(has_note(read(all, kind(CountedKind::radial)), "golden angles"));
  // The limits know of spokes that were not taken; an encoded matrix along y may be their number.
  header.encoding[0].encodingLimits.kspace_encoding_step_1 = ISMRMRD::Limit(0, 9, 0);
  header.encoding[0].encodedSpace.matrixSize.y = 10;
  scan = read(all, kind(CountedKind::radial, SpokeOrder::uniform));
  EXPECT_LT(error(scan, 1, {-7.0 / 16 * std::cos(3 * pi / 10), -7.0 / 16 * std::sin(3 * pi / 10)}), rounding);
}

TEST_F(CountedSpokesTest, AtDegreesFromSpokeToSpoke) {
  ScanReadOptions options = kind(CountedKind::radial);
  options.angle_degrees = 137.5;
  const Scan scan = read({spoke(16, 0), spoke(16, 3)}, options);
  const double turn = 3 * 137.5 * pi / 180;
  EXPECT_LT(error(scan, 16, {-0.5 * std::cos(turn), -0.5 * std::sin(turn)}), rounding);
  EXPECT_TRUE(has_note(scan, "angles of 137.5 degrees"));
}

// Sequences turn by several golden angles, and over half a turn or a whole one; a header has one name for them. A point off the
// center gives spokes exp(-2 pi i k x), smooth over the angle, so that the right order makes neighbors alike.
TEST_F(CountedSpokesTest, AnglesThatTheDataHave) {
  constexpr int count = 34;
  // `delay`: samples. `recovery`: readouts until a signal that was inverted is back.
  const auto scan_of = [&](double step, std::optional<SpokeOrder> stated, double delay = 0, double recovery = 0) {
    std::vector<ISMRMRD::Acquisition> all;
    for (std::uint16_t number = 0; number < count; ++number) {
      all.push_back(spoke(32, number));
      const double turn = step * number;
      for (std::uint16_t i = 0; i < 32; ++i) {
        const double k = (i - 16 + delay) / 16.0;
        const double signal = recovery > 0 ? 1 - 2 * std::exp(-number / recovery) : 1;
        all.back().data(i, 0) =
            static_cast<float>(signal * std::exp(-9 * k * k)) *
            std::polar(1.0F, static_cast<float>(-2 * pi * k * (3 * std::cos(turn) - 2 * std::sin(turn))));
      }
    }
    return read(all, kind(CountedKind::radial, stated));
  };
  const auto turned = [&](const Scan& scan, double step) {
    return error(scan, 32, {-0.5 * std::cos(step), -0.5 * std::sin(step)});
  };
  const double golden = pi / std::numbers::phi;
  const double other = pi * (3 - std::sqrt(5));  // 137.51 degrees
  const double tiny = pi / (std::numbers::phi + 6);
  EXPECT_LT(turned(scan_of(golden, SpokeOrder::golden_angle), golden), rounding);
  EXPECT_LT(turned(scan_of(golden, SpokeOrder::golden_angle, 0.5), golden), rounding);
  EXPECT_LT(turned(scan_of(golden, SpokeOrder::golden_angle, 0, 10), golden), rounding);
  const Scan found = scan_of(other, SpokeOrder::golden_angle);
  EXPECT_LT(turned(found, other), rounding);
  EXPECT_TRUE(has_note(found, "137.51 degrees from spoke to spoke and not with golden angles, which were stated"));
  EXPECT_LT(turned(scan_of(tiny, SpokeOrder::golden_angle), tiny), rounding);
  EXPECT_LT(turned(scan_of(2 * pi / count, SpokeOrder::uniform), 2 * pi / count), rounding);
  const double in_turn = pi / count + pi;
  EXPECT_LT(turned(scan_of(in_turn, {}), in_turn), rounding);
  EXPECT_LT(turned(scan_of(golden, SpokeOrder::uniform), golden), rounding);
  EXPECT_LT(turned(scan_of(golden, {}), golden), rounding);
  EXPECT_TRUE(has_note(scan_of(golden, {}), "which are those of the header"));
  EXPECT_LT(turned(scan_of(pi / count, {}), pi / count), rounding);
  header.encoding[0].trajectory = ISMRMRD::TrajectoryType::GOLDENANGLE;
  EXPECT_LT(turned(scan_of(pi / count, {}), pi / count), rounding);
}

// Frames of 13 spokes of a point beside the center; the second one begins where the first ends, or again.
TEST_F(CountedSpokesTest, AnglesThatGoOnFromFrameToFrame) {
  constexpr int count = 13;
  const double golden = pi / std::numbers::phi;
  for (const bool goes_on : {true, false}) {
    std::vector<ISMRMRD::Acquisition> all;
    for (std::uint16_t number = 0; number < 2 * count; ++number) {
      all.push_back(spoke(32, number % count));
      all.back().idx().repetition = number / count;
      const double turn = golden * (goes_on ? number : number % count);
      for (std::uint16_t i = 0; i < 32; ++i) {
        const double k = (i - 16) / 16.0;
        all.back().data(i, 0) = std::polar(static_cast<float>(std::exp(-9 * k * k)),
                                           static_cast<float>(-2 * pi * k * (3 * std::cos(turn) - 2 * std::sin(turn))));
      }
    }
    const Scan scan = read(all, kind(CountedKind::radial, SpokeOrder::golden_angle));
    ASSERT_EQ(scan.frames.size(), 2U);
    const double turn = golden * (goes_on ? count : 0);
    const auto k = scan.frames[1].trajectory->points.view<2>();
    EXPECT_NEAR(k(0, 0), -0.5 * std::cos(turn), rounding);
    EXPECT_NEAR(k(0, 1), -0.5 * std::sin(turn), rounding);
    EXPECT_EQ(has_note(scan, "go on from frame to frame"), goes_on);
  }
}

// A last frame may have fewer spokes. A stray counter tells of spokes that were never taken: there is no series of them.
TEST_F(CountedSpokesTest, AFrameOfFewSpokesGoesOnAndAStrayCounterDoesNot) {
  constexpr int count = 13;
  constexpr std::uint16_t all_spokes = 2 * count + 5;
  for (const bool stray : {false, true}) {
    std::vector<ISMRMRD::Acquisition> all;
    for (std::uint16_t number = 0; number < all_spokes; ++number) {
      all.push_back(spoke(32, number % count));
      all.back().idx().repetition = number / count;
      const double turn = pi / std::numbers::phi * number;
      for (std::uint16_t i = 0; i < 32; ++i) {
        const double k = (i - 16) / 16.0;
        all.back().data(i, 0) = std::polar(static_cast<float>(std::exp(-9 * k * k)),
                                           static_cast<float>(-2 * pi * k * (3 * std::cos(turn) - 2 * std::sin(turn))));
      }
    }
    if (stray) all.back().idx().kspace_encode_step_1 = 65535;
    const Scan scan = read(all, kind(CountedKind::radial, SpokeOrder::golden_angle));
    ASSERT_EQ(scan.frames.size(), 3U);
    EXPECT_EQ(has_note(scan, "go on from frame to frame"), !stray);
    EXPECT_EQ(has_note(scan, "65536 spokes"), stray);
  }
}

TEST_F(CountedSpokesTest, OversampledTwice) {
  const Scan scan = read({spoke(32, 0), spoke(32, 1)}, kind(CountedKind::radial, SpokeOrder::uniform));
  EXPECT_EQ(scan.matrix, (std::array<Index, 3>{16, 16, 1}));
  EXPECT_LT(error(scan, 32 + 1, {0, -15.0 / 32}), rounding);
}

TEST_F(CountedSpokesTest, ByTheirOrderWithoutACounter) {
  const Scan scan =
      read({spoke(16, 0), spoke(16, 0), spoke(16, 0), spoke(16, 0)}, kind(CountedKind::radial, SpokeOrder::uniform));
  EXPECT_LT(error(scan, 33, {0, -7.0 / 16}), rounding);
  EXPECT_TRUE(has_note(scan, "numbered by their order"));
}

TEST_F(CountedSpokesTest, FromTheCenterWhereTheEchoIsAtTheStart) {
  std::vector<ISMRMRD::Acquisition> all;
  for (std::uint16_t number = 0; number < 4; ++number) {
    all.push_back(spoke(8, number));
    all.back().center_sample() = 0;
    for (std::uint16_t i = 0; i < 8; ++i) all.back().data(i, 0) = std::exp(-static_cast<float>(i));
  }
  const Scan scan = read(all, kind(CountedKind::radial, SpokeOrder::uniform));
  EXPECT_LT(error(scan, 8, {0, 0}), rounding);
  EXPECT_LT(error(scan, 9, {0, 1.0 / 16}), rounding);
  EXPECT_LT(error(scan, 17, {-1.0 / 16, 0}), rounding);
  EXPECT_TRUE(has_note(scan, "4 spokes from the center"));
}

// A field of view of 32 pixels, of which the header has 16; an object of a few pixels beside the center.
TEST_F(CountedSpokesTest, FromTheCenterAndOversampledTwice) {
  std::vector<ISMRMRD::Acquisition> all;
  for (std::uint16_t number = 0; number < 8; ++number) {
    all.push_back(spoke(16, number));
    all.back().center_sample() = 0;
    for (std::uint16_t i = 0; i < 16; ++i) {
      const double k = i / 32.0;
      all.back().data(i, 0) = std::polar(static_cast<float>(std::exp(-40 * k * k)),
                                         static_cast<float>(1 - 4 * pi * k * std::cos(2 * pi * number / 8)));
    }
  }
  const Scan scan = read(all, kind(CountedKind::radial, SpokeOrder::uniform));
  EXPECT_EQ(scan.matrix, (std::array<Index, 3>{16, 16, 1}));
  EXPECT_LT(error(scan, 15, {15.0 / 32, 0}), rounding);
  EXPECT_TRUE(has_note(scan, "they are oversampled"));
}

TEST_F(CountedSpokesTest, InAStack) {
  header = test::small_header(16, 16, 4);
  std::vector<ISMRMRD::Acquisition> all;
  for (const std::uint16_t partition : {3, 1}) {
    for (const std::uint16_t number : {0, 1, 2}) all.push_back(spoke(16, number, partition));
  }
  const Scan scan = read(all, kind(CountedKind::stack_of_stars, SpokeOrder::uniform));
  EXPECT_LT(error(scan, 16 + 1, {-7.0 / 16 * std::cos(pi / 3), -7.0 / 16 * std::sin(pi / 3), 0.25}), rounding);
  EXPECT_LT(error(scan, 4 * 16 + 1, {-7.0 / 16 * std::cos(pi / 3), -7.0 / 16 * std::sin(pi / 3), -0.25}), rounding);
  header = test::small_header(16, 16);
  EXPECT_THAT(message_of<ValueError>([&] { read({spoke(16, 0)}, kind(CountedKind::stack_of_stars)); }),
              HasSubstr("the encoding is 2D"));
}

// Chan et al. 2009: cos b = frac(0.4656 s), a = 2 pi frac(0.6823 s), with four digits here.
TEST_F(CountedSpokesTest, InAllDirections) {
  header = test::small_header(16, 16, 16);
  const Scan scan = read({spoke(16, 0), spoke(16, 1), spoke(16, 3)}, kind(CountedKind::kooshball));
  const double height = 3 * 0.4656 - 1;
  const double turn = 2 * pi * 3 * 0.6823;
  const double plane = std::sqrt(1 - height * height);
  EXPECT_LT(error(scan, 32, {-0.5 * plane * std::cos(turn), -0.5 * plane * std::sin(turn), -0.5 * height}), 1e-3);
  EXPECT_LT(error(scan, 0, {-0.5, 0, 0}), rounding);
}

TEST_F(CountedSpokesTest, TheMessageOfAFileWithoutPositionsNamesTheOptions) {
  const std::string message = message_of<Unsupported>([&] { read({spoke(16, 0)}, {}); });
  for (const char* part : {"radial", "kind", "angle", "trajectory-from"}) EXPECT_THAT(message, HasSubstr(part));
}

}  // namespace
}  // namespace whorl
