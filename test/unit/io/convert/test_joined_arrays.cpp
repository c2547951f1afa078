// Arrays that are joined: real and imaginary parts, elements of cells and structures, arrays of one name in several files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/random.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/convert.hpp"

namespace whorl {
namespace {

using test::error_of;
using test::TemporaryFolder;
using ::testing::Contains;
using ::testing::HasSubstr;
using Complex = std::complex<float>;

class JoinedArrays : public ::testing::Test {
 protected:
  Array<Complex> random(const Shape& shape, std::uint64_t seed = 5) {
    Array<Complex> array(ctx, shape);
    fill_random_normal<float>(array, seed);
    return array;
  }
  Array<double> positions(const Shape& shape, Index first = 0) {
    Array<double> array(ctx, shape);
    for (Index i = 0; i < array.size(); ++i) array.data()[i] = static_cast<double>(29 * (first + i) % 64) / 64 - 0.5;
    return array;
  }
  /// The real (0) or imaginary (1) parts.
  Array<float> part(const Array<Complex>& of, std::size_t which) {
    Array<float> made(ctx, of.shape());
    for (Index i = 0; i < of.size(); ++i) made.data()[i] = reinterpret_cast<const float*>(of.data())[2 * i + which];
    return made;
  }
  void add(const std::string& name, AnyArray values) { arrays.push_back({name, std::move(values)}); }
  Scan convert(const ConvertOptions& options = plain()) {
    write_arrays(ctx, folder / "scan.npz", arrays);
    return convert_scan(ctx, {folder / "scan.npz"}, options);
  }
  std::string refusal(const ConvertOptions& options = plain()) {
    return error_of<ValueError>([&] { convert(options); });
  }
  static ConvertOptions plain() {
    ConvertOptions options;
    options.matrix = {24, 20, 1};
    options.trajectory_unit = TrajectoryUnit::cycles_per_pixel;
    return options;
  }
  static void expect_data(const Scan& scan, const Array<Complex>& data) {
    ASSERT_EQ(scan.frames[0].data.size(), data.size());
    for (Index i = 0; i < data.size(); ++i) EXPECT_EQ(scan.frames[0].data.data()[i], data.data()[i]) << i;
  }

  Context ctx;
  TemporaryFolder folder;
  std::vector<NamedArray> arrays;
};

// One of the two was the data before, and its image wrong.
TEST_F(JoinedArrays, PairsOfNamesAreRealAndImaginaryParts) {
  const Array<Complex> data = random({3, 5, 7});
  const std::vector<std::pair<std::string, std::string>> pairs{
      {"kdata", "kdata_im"}, {"kdata_re", "kdata_im"},     {"kspace_real", "kspace_imag"}, {"data_r", "data_i"},
      {"re", "im"},          {"Kdata_Real", "Kdata_Imag"}, {"scan.re", "scan.im"},         {"real_ksp", "imag_ksp"},
      {"kdataRe", "kdataIm"}};
  for (const auto& [real, imaginary] : pairs) {
    arrays.clear();
    add(real, part(data, 0));
    add(imaginary, part(data, 1));
    add("traj", positions({5, 7, 2}));
    const Scan scan = convert();
    EXPECT_EQ(scan.coils, 3) << real;
    expect_data(scan, data);
    EXPECT_THAT(scan.notes, Contains(HasSubstr(real + " and " + imaginary + " were joined"))) << real;
  }
  // Names that say nothing are stated.
  arrays.clear();
  add("one", part(data, 0));
  add("two", part(data, 1));
  add("traj", positions({5, 7, 2}));
  EXPECT_THAT(refusal(), HasSubstr("there are one (7 x 5 x 3), two (7 x 5 x 3)"));
  ConvertOptions options = plain();
  options.data_variable = "one,two";
  expect_data(convert(options), data);
  options.data_variable = "one,traj";
  EXPECT_THAT(refusal(options), HasSubstr("two real arrays of one shape"));
  options.data_variable = "none";
  EXPECT_EQ(convert(options).coils, 0);
}

// Their image would be that of a phase alone.
TEST_F(JoinedArrays, RealDataAloneAreRefused) {
  const Array<Complex> data = random({3, 5, 7});
  add("kdata", part(data, 0));
  add("traj", positions({5, 7, 2}));
  EXPECT_THAT(refusal(), HasSubstr("kdata (7 x 5 x 3) are real"));
  ConvertOptions options = plain();
  options.data_axes = {"coil", "shot", "readout"};
  const auto says_zero = [](const Note& note) {
    return note.is_doubt() && note.find("taken to be 0") != std::string::npos;
  };
  const Scan scan = convert(options);
  EXPECT_EQ(std::count_if(scan.notes.begin(), scan.notes.end(), says_zero), 1);
}

TEST_F(JoinedArrays, AnAxisOfTwoIsRealAndImaginaryParts) {
  const Array<Complex> data = random({3, 5, 7});
  Array<float> last(ctx, {3, 5, 7, 2});
  Array<float> first(ctx, {2, 3, 5, 7});
  for (Index i = 0; i < data.size(); ++i) {
    last.data()[2 * i] = first.data()[i] = data.data()[i].real();
    last.data()[2 * i + 1] = first.data()[data.size() + i] = data.data()[i].imag();
  }
  const auto with = [&](Array<float> values, const Shape& trajectory) {
    arrays.clear();
    add("data", std::move(values));
    add("trajectory", positions(trajectory));
  };
  for (const bool is_last : {true, false}) {
    with(clone(ctx, is_last ? last.ref() : first.ref()), {5, 7, 2});
    const Scan scan = convert();
    expect_data(scan, data);
    EXPECT_EQ(scan.frames.size(), 1U);
    EXPECT_THAT(scan.notes, Contains(HasSubstr("axis of 2")));
    ConvertOptions options = plain();
    options.data_axes = {"coil", "shot", "readout"};
    options.data_axes.insert(is_last ? options.data_axes.end() : options.data_axes.begin(), "part");
    expect_data(convert(options), data);
  }
  // [2, coil, sample] was taken for two repetitions before.
  first.reshape({2, 3, 35});
  with(clone(ctx, first.ref()), {35, 2});
  expect_data(convert(), data);
  // Where both ends are 2, one of them fits the trajectory: two coils.
  const Array<Complex> coils = random({2, 5, 7});
  Array<float> both(ctx, {2, 5, 7, 2});
  for (Index i = 0; i < coils.size(); ++i) {
    both.data()[2 * i] = coils.data()[i].real();
    both.data()[2 * i + 1] = coils.data()[i].imag();
  }
  with(clone(ctx, both.ref()), {5, 7, 2});
  EXPECT_THAT(refusal(), HasSubstr("two axes of 2"));
  // Numbers that are never negative beside angles are no parts.
  for (Index i = 0; i < data.size(); ++i) {
    last.data()[2 * i] = std::abs(data.data()[i]);
    last.data()[2 * i + 1] = std::arg(data.data()[i]);
  }
  with(clone(ctx, last.ref()), {5, 7, 2});
  EXPECT_THAT(refusal(), HasSubstr("magnitude and phase"));
}

TEST_F(JoinedArrays, ElementsAreCoilsFramesOrReadouts) {
  for (int i = 0; i < 3; ++i) add(fmt::format("kdata{{{}}}", i + 1), random({5, 7}, 7 + static_cast<unsigned>(i)));
  add("traj", positions({5, 7, 2}));
  const Scan coils = convert();
  EXPECT_EQ(coils.coils, 3);
  EXPECT_EQ(coils.frames[0].data.view<2>()(2, 30), random({5, 7}, 9).data()[30]);
  EXPECT_THAT(coils.notes, Contains(HasSubstr("taken for coils")));

  arrays.clear();
  for (int i = 0; i < 4; ++i) {
    add(fmt::format("slices({}).kdata", i + 1), random({3, 5, 7}, 7 + static_cast<unsigned>(i)));
    add(fmt::format("slices({}).traj", i + 1), positions({5, 7, 2}, i));
    Array<double> fov(ctx, {2});
    std::fill(fov.span().begin(), fov.span().end(), 240.0);
    add(fmt::format("slices({}).fov", i + 1), std::move(fov));
  }
  const Scan slices = convert();
  ASSERT_EQ(slices.frames.size(), 4U);
  EXPECT_EQ(slices.frames[2].index.slice, 2);
  EXPECT_EQ(slices.frames[2].data.view<2>()(1, 30), random({3, 5, 7}, 9).data()[35 + 30]);
  EXPECT_EQ(slices.frames[2].trajectory->points.view<2>()(9, 1), positions({5, 7, 2}, 2).data()[19]);
  EXPECT_EQ(slices.frames[0].geometry.field_of_view_mm[1], 240);

  arrays.clear();
  for (int i = 0; i < 5; ++i) {
    add(fmt::format("kdata{{{}}}", i + 1), random({3, 7}, 7 + static_cast<unsigned>(i)));
    add(fmt::format("traj{{{}}}", i + 1), positions({7, 2}, 14 * i));
  }
  const Scan spokes = convert();
  ASSERT_EQ(spokes.frames.size(), 1U);
  EXPECT_EQ(spokes.frames[0].trajectory->readout_length, 7);
  EXPECT_EQ(spokes.frames[0].data.view<2>()(2, 7 * 3 + 4), random({3, 7}, 10).data()[2 * 7 + 4]);
  EXPECT_EQ(spokes.frames[0].trajectory->points.view<2>()(7 * 3 + 4, 1), positions({35, 2}).data()[2 * 25 + 1]);

  // Frames of coils; cells of both.
  arrays.clear();
  for (int frame = 0; frame < 2; ++frame) add(fmt::format("kdata{{{}}}", frame + 1), random({3, 5, 7}));
  add("traj", positions({5, 7, 2}));
  EXPECT_EQ(convert().frames.size(), 2U);
  arrays.clear();
  for (int coil = 0; coil < 3; ++coil) {
    for (int frame = 0; frame < 2; ++frame) add(fmt::format("kdata{{{},{}}}", coil + 1, frame + 1), random({5, 7}));
  }
  add("traj", positions({5, 7, 2}));
  EXPECT_THAT(refusal(), HasSubstr("coils, frames or readouts"));
  ConvertOptions options = plain();
  options.data_axes = {"repetition", "coil", "shot", "readout"};
  EXPECT_EQ(convert(options).coils, 3);
  options.data_variable = "kdata{2,1}";
  options.data_axes = {};
  EXPECT_EQ(convert(options).coils, 1);
}

TEST_F(JoinedArrays, ElementsThatDifferAreNamed) {
  add("kdata{1}", random({3, 5, 7}));
  add("kdata{2}", random({3, 4, 7}));
  add("traj", positions({5, 7, 2}));
  EXPECT_THAT(refusal(), HasSubstr("kdata{1} (7 x 5 x 3, complex) and kdata{2} (7 x 4 x 3, complex)"));
  arrays[1] = {"kdata{3}", random({3, 5, 7})};
  EXPECT_THAT(refusal(), HasSubstr("not all there"));
}

TEST_F(JoinedArrays, FilesOfOneSpokeEach) {
  std::vector<std::filesystem::path> files;
  for (int i = 0; i < 4; ++i) {
    arrays.clear();
    add("kdata", random({3, 7}, 7 + static_cast<unsigned>(i)));
    add("traj", positions({7, 2}, 14 * i));
    files.push_back(folder / fmt::format("spoke{}.npz", i));
    write_arrays(ctx, files.back(), arrays);
  }
  const Scan scan = convert_scan(ctx, files, plain());
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 7);
  EXPECT_EQ(scan.frames[0].data.view<2>()(1, 7 * 3 + 4), random({3, 7}, 10).data()[7 + 4]);
}

TEST_F(JoinedArrays, NamesAreFoundInAnyCase) {
  const Array<double> k = positions({2, 5, 7});
  for (const auto& [x, y] : {std::pair("KX", "KY"), std::pair("kX", "kY"), std::pair("Traj_x", "Traj_y")}) {
    arrays.clear();
    add("KDATA", random({3, 5, 7}));
    add(x, clone(ctx, k.slice(0)));
    add(y, clone(ctx, k.slice(1)));
    EXPECT_EQ(convert().frames[0].trajectory->points.view<2>()(9, 1), k.data()[35 + 9]) << x;
    ConvertOptions options = plain();
    options.data_variable = "kdata";
    EXPECT_EQ(convert(options).coils, 3);
  }
}

TEST_F(JoinedArrays, WeightsAmongThePositionsAreNoKz) {
  Array<double> k = positions({5, 7, 3});
  for (Index i = 0; i < 35; ++i) k.data()[3 * i + 2] = static_cast<double>(1 + i % 7);
  add("data", random({3, 5, 7}));
  add("traj", std::move(k));
  EXPECT_THAT(refusal(), HasSubstr("if the third are density weights"));
}

TEST_F(JoinedArrays, DataWithoutPositionsSayWhatToDo) {
  add("signal", random({3, 5, 7}));
  EXPECT_THAT(refusal(), HasSubstr("signal (7 x 5 x 3, complex) is k-space on a grid, state the kind cartesian"));
  // k is a usual name of positions, but these numbers are none.
  arrays.clear();
  Array<Complex> k = random({20, 24});
  k.data()[250] = 1000;
  add("k", std::move(k));
  EXPECT_THAT(refusal(), HasSubstr("as in k-space"));
}

TEST_F(JoinedArrays, ManyEchoTimesCountTheContrasts) {
  add("data", random({6, 3, 5, 7}));
  add("traj", positions({5, 7, 2}));
  Array<double> times(ctx, {6});
  for (Index i = 0; i < 6; ++i) times.data()[i] = 2.0 + static_cast<double>(i);
  add("TE", std::move(times));
  const Scan scan = convert();
  EXPECT_EQ(scan.echo_times_ms.size(), 6U);
  EXPECT_EQ(scan.frames.size(), 6U);
}

}  // namespace
}  // namespace whorl
