#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <limits>
#include <numeric>
#include <vector>

#include "whorl/calib/channel_matrix.hpp"
#include "whorl/calib/coil_compression.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;
using Frames = std::vector<ArrayRef<const Complex>>;

// Data of 7 coils that is spanned by 3 signals of falling strength; two frames of different length.
class CoilCompressionTest : public ::testing::Test {
 protected:
  CoilCompressionTest() {
    Array<Complex> mixing(ctx_, {7, 3});
    fill_random_normal<double>(mixing, 1);
    for (std::size_t frame = 0; frame < 2; ++frame) {
      Array<Complex> signals(ctx_, {3, 60 + 40 * static_cast<Index>(frame)});
      fill_random_normal<double>(signals, 2 + frame);
      for (auto& element : signals.slice(1).span()) element *= 0.3;
      for (auto& element : signals.slice(2).span()) element *= 0.1;
      frames_[frame] = apply_channel_matrix<double>(ctx_, mixing, signals);
    }
  }
  Frames all() const { return {frames_[0], frames_[1]}; }

  Context ctx_;
  std::array<Array<Complex>, 2> frames_;
};

double energy(ArrayRef<const Complex> data) {
  double sum = 0;
  for (const Complex element : data.span()) sum += std::norm(element);
  return sum;
}

TEST_F(CoilCompressionTest, ThreeVirtualCoilsHoldThreeSignals) {
  const CoilCompression three = coil_compression<double>(ctx_, all(), {.virtual_coils = 0, .energy = 1 - 1e-9});
  ASSERT_EQ(three.matrix.shape(), (Shape{3, 7}));
  EXPECT_EQ(three.energies.size(), 7U);
  EXPECT_NEAR(std::accumulate(three.energies.begin(), three.energies.end(), 0.0), 1, 1e-14);
  EXPECT_TRUE(std::is_sorted(three.energies.rbegin(), three.energies.rend()));
  // All is kept: M^H M d = d, to rounding times the seven coils.
  Array<Complex> back(ctx_, {7, 3});
  for (Index i = 0; i < 3; ++i) {
    for (Index c = 0; c < 7; ++c) back.view<2>()(c, i) = std::conj(three.matrix.view<2>()(i, c));
  }
  for (const Array<Complex>& frame : frames_) {
    const Array<Complex> compressed = apply_channel_matrix<double>(ctx_, three.matrix, frame);
    const Array<Complex> restored = apply_channel_matrix<double>(ctx_, back, compressed);
    for (Index i = 0; i < frame.size(); ++i) EXPECT_LT(std::abs(restored.data()[i] - frame.data()[i]), 1e-13);
  }
  const Array<Complex> gram = apply_channel_matrix<double>(ctx_, three.matrix, back);
  for (Index i = 0; i < 9; ++i) EXPECT_LT(std::abs(gram.data()[i] - Complex(i % 4 == 0 ? 1 : 0)), 1e-14);
}

TEST_F(CoilCompressionTest, EnergyKeptIsThatOfTheCompressedData) {
  const double total = energy(frames_[0]) + energy(frames_[1]);
  double before = 0;
  for (const Index coils : {1, 2, 7}) {
    const CoilCompression some = coil_compression<double>(ctx_, all(), {.virtual_coils = coils});
    ASSERT_EQ(some.matrix.shape(), (Shape{coils, 7}));
    double kept = 0;
    for (const Array<Complex>& frame : frames_) kept += energy(apply_channel_matrix<double>(ctx_, some.matrix, frame));
    EXPECT_NEAR(some.energy_kept, kept / total, 1e-13);
    EXPECT_GT(some.energy_kept, before);
    before = some.energy_kept;
  }
  // No one coil holds more than the first virtual coil.
  const CoilCompression one = coil_compression<double>(ctx_, all(), {.virtual_coils = 1});
  for (Index coil = 0; coil < 7; ++coil) {
    EXPECT_GT(one.energy_kept, (energy(frames_[0].slice(coil)) + energy(frames_[1].slice(coil))) / total);
  }
}

TEST_F(CoilCompressionTest, FewestCoilsThatKeepTheEnergy) {
  const std::vector<double> energies = coil_compression<double>(ctx_, all(), {}).energies;
  const double two = energies[0] + energies[1];
  EXPECT_EQ(coil_compression<double>(ctx_, all(), {.energy = two - 1e-9}).matrix.extent(0), 2);
  EXPECT_EQ(coil_compression<double>(ctx_, all(), {.energy = two + 1e-9}).matrix.extent(0), 3);
  EXPECT_EQ(coil_compression<double>(ctx_, all(), {.energy = 1e-9}).matrix.extent(0), 1);
}

TEST_F(CoilCompressionTest, BadInputIsRefused) {
  EXPECT_THROW(coil_compression<double>(ctx_, {}, {}), ShapeError);
  EXPECT_THROW(coil_compression<double>(ctx_, all(), {.virtual_coils = 8}), ValueError);
  EXPECT_THROW(coil_compression<double>(ctx_, all(), {.virtual_coils = -1}), ValueError);
  EXPECT_THROW(coil_compression<double>(ctx_, all(), {.energy = 0}), ValueError);
  EXPECT_THROW(coil_compression<double>(ctx_, all(), {.energy = 1.1}), ValueError);
  const Array<Complex> none = zeros<Complex>(ctx_, {7, 5});
  EXPECT_THROW(coil_compression<double>(ctx_, Frames{none}, {}), ValueError);
  const Array<Complex> fewer = zeros<Complex>(ctx_, {6, 5});
  EXPECT_THROW(coil_compression<double>(ctx_, Frames{frames_[0], fewer}, {}), ShapeError);
  frames_[1].data()[3] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(coil_compression<double>(ctx_, all(), {}), ValueError);
}

}  // namespace
}  // namespace whorl
