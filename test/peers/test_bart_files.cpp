// BART's files, written by whorl and read by BART, and the other way round.
#include <gtest/gtest.h>

#include "peers/bart.hpp"
#include "support/small_scan.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/random.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/convert.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/write_scan.hpp"
#include "whorl/op/dft.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

class BartFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!test::bart_is_there()) GTEST_SKIP() << "bart is not installed (Debian: bart)";
  }
  void bart(const std::string& arguments) const { test::run_bart(folder_.path(), arguments); }
  Array<Complex> read(const std::string& name) const {
    return converted<Complex>(ctx_, read_array(ctx_, folder_ / name).values, name);
  }

  Context ctx_;
  test::TemporaryFolder folder_;
};

TEST_F(BartFiles, ArraysGoThroughBart) {
  Array<Complex> array(ctx_, {3, 1, 4, 5});  // BART's dimensions 5, 4, 1, 3
  fill_random_normal<float>(array, 5);
  const NamedArray made{"made", clone(ctx_, array.ref())};
  write_array(ctx_, folder_ / "a.cfl", made);
  bart("transpose 0 3 a b");
  const Array<Complex> turned = read("b.cfl");
  ASSERT_EQ(turned.shape(), (Shape{5, 1, 4, 3}));
  const auto from = array.view<4>();
  const auto to = turned.view<4>();
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 4; ++j) {
      for (Index k = 0; k < 5; ++k) EXPECT_EQ(to(k, 0, j, i), from(i, 0, j, k));
    }
  }
}

TEST_F(BartFiles, AScanOfWhorlsIsGriddedByBart) {
  const Scan scan = test::make_small_scan(ctx_);  // 20 x 16, 2 slices of 3 repetitions
  write_scan(ctx_, scan, folder_ / "scan.cfl");
  bart("nufft -a -P -d 20:16:1 scan_traj scan image");
  const Array<Complex> images = read("image.cfl");  // [time, 1.., coil, 1, y, x]
  ASSERT_EQ(images.size(), 6 * 3 * 20 * 16);
  for (Index frame = 0; frame < 6; ++frame) {
    const ScanFrame& taken = scan.frames[static_cast<std::size_t>(frame)];
    const Dft<float> dft(ctx_, taken.trajectory->points, {16, 20}, 3);
    Array<Complex> expected(ctx_, {3, 16, 20});
    dft.adjoint(ctx_, taken.data, expected);
    double error = 0;
    double norm = 0;
    for (Index i = 0; i < expected.size(); ++i) {
      error += std::norm(images.data()[frame * expected.size() + i] - expected.data()[i]);
      norm += std::norm(expected.data()[i]);
    }
    // BART 0.8 grids with a window of width 3 on twice the grid, whose error is about 1e-3.
    EXPECT_LT(std::sqrt(error / norm), 3e-3) << frame;
  }
}

TEST_F(BartFiles, BartsOwnScanIsConverted) {
  bart("traj -r -x 24 -y 7 where");
  bart("phantom -k -s 3 -t where samples");
  ConvertOptions options;
  options.matrix = {24, 24, 1};
  const Scan scan = convert_scan(ctx_, {folder_ / "samples.cfl", folder_ / "where.cfl"}, options);
  EXPECT_EQ(scan.coils, 3);
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 24);
  EXPECT_TRUE(scan.trajectory_unit.starts_with("cycles/fov")) << scan.trajectory_unit;
  const Array<Complex> samples = read("samples.cfl");
  ASSERT_EQ(samples.size(), 3 * 7 * 24);
  EXPECT_TRUE(std::equal(samples.span().begin(), samples.span().end(), scan.frames[0].data.span().begin()));
  const Array<Complex> where = read("where.cfl");
  for (Index i = 0; i < 7 * 24; ++i) {
    EXPECT_DOUBLE_EQ(scan.frames[0].trajectory->points.data()[2 * i + 1], where.data()[3 * i + 1].real() * (1 / 24.0));
  }
}

}  // namespace
}  // namespace whorl
