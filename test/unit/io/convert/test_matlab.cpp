// MATLAB files, made here by matio: versions 5 and 7.3, axes by guess and by name.
#include <matio.h>

#include <array>
#include <fstream>
#include <limits>

#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/convert.hpp"
#include "whorl/io/matlab.hpp"

namespace whorl {
namespace {

using test::has_note;
using test::message_of;
using ::testing::HasSubstr;

using Values = std::vector<double>;

class ConvertMatlab : public test::FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    path = folder / "scan.mat";
    begin(MAT_FT_MAT5);
  }
  void begin(mat_ft version) { file = Mat_CreateVer(path.c_str(), nullptr, version); }
  void TearDown() override {
    if (file != nullptr) end();
    FolderTest::TearDown();
  }
  void end() {
    Mat_Close(file);
    file = nullptr;
  }
  /// A variable whose element number i is (real(i), imaginary(i)).
  template <class Real, class Imaginary>
  void add(const char* name, std::vector<std::size_t> extents, Real real, Imaginary imaginary, bool complex = true) {
    std::size_t size = 1;
    for (const std::size_t extent : extents) size *= extent;
    Values re(size);
    Values im(size);
    for (std::size_t i = 0; i < size; ++i) {
      re[i] = real(i);
      im[i] = imaginary(i);
    }
    mat_complex_split_t parts{re.data(), im.data()};
    matvar_t* variable = Mat_VarCreate(
        name, MAT_C_DOUBLE, MAT_T_DOUBLE, static_cast<int>(extents.size()), extents.data(),
        complex ? static_cast<void*>(&parts) : static_cast<void*>(re.data()), complex ? MAT_F_COMPLEX : 0);
    Mat_VarWrite(file, variable, MAT_COMPRESSION_ZLIB);
    Mat_VarFree(variable);
  }
  template <class Real>
  void add_real(const char* name, std::vector<std::size_t> extents, Real real) {
    add(
        name, std::move(extents), real, [](std::size_t) { return 0.0; }, false);
  }
  void add_data(const char* name, std::vector<std::size_t> extents) {
    add(
        name, std::move(extents), [](std::size_t i) { return static_cast<double>(i); },
        [](std::size_t i) { return -0.5 * static_cast<double>(i); });
  }
  /// Positions in cycles per pixel that differ for every element.
  static double position(std::size_t i) { return static_cast<double>((29 * i) % 64) / 128; }

  Scan convert(const ConvertOptions& options) {
    if (file != nullptr) end();
    return convert_scan(ctx, {path}, options);
  }
  template <class E>
  std::string refusal(const ConvertOptions& options) {
    return message_of<E>([&] { convert(options); });
  }
  static ConvertOptions options(Index z = 1) {
    ConvertOptions made;
    made.matrix = {24, 20, z};
    return made;
  }

  std::filesystem::path path;
  mat_t* file = nullptr;
};

TEST_F(ConvertMatlab, VariablesAreListedAndReadOfBothVersions) {
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    if (file == nullptr) begin(version);
    add_data("d", {4, 3, 2});
    add_real("x", {5, 1}, [](std::size_t i) { return 2.0 * static_cast<double>(i); });
    end();
    const std::vector<NamedArray> variables = read_matlab(ctx, path);
    ASSERT_EQ(variables.size(), 2U);
    EXPECT_EQ(variables[0].name, "d");
    EXPECT_EQ(shape_of(variables[0].values), (Shape{2, 3, 4}));
    const auto& values = std::get<Array<std::complex<double>>>(variables[0].values);
    EXPECT_EQ(values.span()[13], (std::complex<double>(13, -6.5)));
    EXPECT_EQ(shape_of(variables[1].values), (Shape{1, 5}));
    EXPECT_EQ(std::get<Array<double>>(variables[1].values).span()[4], 8);
    std::filesystem::remove(path);
  }
}

TEST_F(ConvertMatlab, AllNumericTypesAreRead) {
  const auto add_typed = [&]<class T>(const char* name, matio_classes kind, matio_types type, T value) {
    std::vector<T> values{value, T{1}};
    std::vector<std::size_t> extents{2, 1};
    matvar_t* variable = Mat_VarCreate(name, kind, type, 2, extents.data(), values.data(), 0);
    Mat_VarWrite(file, variable, MAT_COMPRESSION_NONE);
    Mat_VarFree(variable);
  };
  add_typed("single", MAT_C_SINGLE, MAT_T_SINGLE, 1.5F);
  add_typed("int8", MAT_C_INT8, MAT_T_INT8, std::int8_t{-5});
  add_typed("uint8", MAT_C_UINT8, MAT_T_UINT8, std::uint8_t{200});
  add_typed("int16", MAT_C_INT16, MAT_T_INT16, std::int16_t{-500});
  add_typed("uint16", MAT_C_UINT16, MAT_T_UINT16, std::uint16_t{60000});
  add_typed("int32", MAT_C_INT32, MAT_T_INT32, std::int32_t{-70000});
  add_typed("uint32", MAT_C_UINT32, MAT_T_UINT32, std::uint32_t{4000000000U});
  add_typed("int64", MAT_C_INT64, MAT_T_INT64, std::int64_t{-5000000000});
  add_typed("uint64", MAT_C_UINT64, MAT_T_UINT64, std::uint64_t{5000000000U});
  end();
  const Values expected{1.5, -5, 200, -500, 60000, -70000, 4e9, -5e9, 5e9};
  const std::vector<NamedArray> variables = read_matlab(ctx, path);
  ASSERT_EQ(variables.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // float32 where it holds the stored type exactly
    EXPECT_EQ(type_name(variables[i].values), i < 5 ? "float32" : "float64") << variables[i].name;
    const auto values = converted<double>(ctx, variables[i].values, variables[i].name);
    EXPECT_EQ(values.span()[0], expected[i]) << variables[i].name;
    EXPECT_EQ(values.span()[1], 1) << variables[i].name;
  }
}

TEST_F(ConvertMatlab, ComplexTrajectoryWithWeights) {
  add_data("d", {6, 4});
  add("k", {6, 4}, position, [](std::size_t i) { return -position(i + 7); });
  add_real("w", {6, 4}, [](std::size_t i) { return 0.25 * static_cast<double>(i); });
  const Scan scan = convert(options());
  ASSERT_EQ(scan.frames.size(), 1U);
  const ScanFrame& frame = scan.frames[0];
  ASSERT_EQ(frame.data.shape(), (Shape{1, 24}));
  EXPECT_EQ(frame.trajectory->readout_length, 6);
  for (Index i = 0; i < 24; ++i) {
    EXPECT_EQ(frame.data.data()[i], test::cfloat(static_cast<float>(i), -0.5F * static_cast<float>(i)));
    EXPECT_EQ(frame.trajectory->points.view<2>()(i, 0), position(static_cast<std::size_t>(i)));
    EXPECT_EQ(frame.trajectory->points.view<2>()(i, 1), -position(static_cast<std::size_t>(i) + 7));
    EXPECT_EQ(frame.weights->data()[i], 0.25F * static_cast<float>(i));
  }
  EXPECT_TRUE(has_note(scan, "kx + i ky"));
  ConvertOptions without = options();
  without.weights_variable = "none";
  EXPECT_EQ(convert(without).frames[0].weights, nullptr);
}

TEST_F(ConvertMatlab, RealTrajectoryWithItsDimensionLast) {
  add_data("rawdata", {6, 4});
  add_real("traj", {6, 4, 3}, position);
  const Scan scan = convert(options(16));
  const auto k = scan.frames[0].trajectory->points.view<2>();
  ASSERT_EQ(k.extent(1), 3);
  EXPECT_EQ(k(5, 2), position(5 + 48));
  EXPECT_EQ(k(6, 1), position(6 + 24));
}

TEST_F(ConvertMatlab, OneReadoutWithItsDimensionLast) {
  add_data("data", {40, 1});
  add_real("trajectory", {40, 2}, position);
  const Scan scan = convert(options());
  EXPECT_EQ(scan.frames[0].trajectory->readout_length, 40);
  EXPECT_EQ(scan.frames[0].trajectory->points.view<2>()(39, 1), position(79));
}

TEST_F(ConvertMatlab, NamedAxesInAnyOrderMakeFrames) {
  add_data("measured", {2, 6, 3, 4});         // repetition, readout, coil, shot
  add_real("where", {4, 2, 6, 2}, position);  // shot, dim, readout, repetition
  add_real("density", {4, 6, 2}, [](std::size_t i) { return static_cast<double>(i); });
  ConvertOptions made = options();
  made.data_variable = "measured";
  made.trajectory_variable = "where";
  made.weights_variable = "density";
  made.data_axes = {"repetition", "readout", "coil", "shot"};
  made.trajectory_axes = {"shot", "dim", "readout", "repetition"};
  const Scan scan = convert(made);
  EXPECT_EQ(scan.coils, 3);
  ASSERT_EQ(scan.frames.size(), 2U);
  for (int repetition = 0; repetition < 2; ++repetition) {
    const ScanFrame& frame = scan.frames[static_cast<std::size_t>(repetition)];
    EXPECT_EQ(frame.index.repetition, repetition);
    for (int shot = 0; shot < 4; ++shot) {
      for (int i = 0; i < 6; ++i) {
        const Index sample = shot * 6 + i;
        EXPECT_EQ(frame.data.view<2>()(2, sample).real(), static_cast<float>(repetition + 2 * i + 12 * 2 + 36 * shot));
        EXPECT_EQ(frame.trajectory->points.view<2>()(sample, 1),
                  position(static_cast<std::size_t>(shot + 4 * 1 + 8 * i + 48 * repetition)));
        EXPECT_EQ(frame.weights->data()[sample], static_cast<float>(shot + 4 * i + 24 * repetition));
      }
    }
  }
}

TEST_F(ConvertMatlab, ThirdDimensionOfZerosIsLeftOutInTwoDimensions) {
  add_data("d", {6, 4});
  add_real("k", {3, 6, 4}, [](std::size_t i) { return i % 3 == 2 ? 0 : position(i); });
  EXPECT_EQ(convert(options()).frames[0].trajectory->dim(), 2);
  EXPECT_THAT(refusal<ValueError>([] {
                ConvertOptions made = options();
                made.matrix[2] = 0;
                return made;
              }()),
              HasSubstr("matrix"));
}

TEST_F(ConvertMatlab, DimensionsMustFitTheMatrix) {
  add_data("d", {6, 4});
  add_real("k", {3, 6, 4}, position);
  EXPECT_THAT(refusal<ValueError>(options()), HasSubstr("trajectory of 3 dimensions, but the matrix has 2"));
}

TEST_F(ConvertMatlab, ComplexTrajectoryHasTwoDimensions) {
  add_data("d", {6, 4});
  add("k", {6, 4}, position, position);
  EXPECT_THAT(refusal<ValueError>(options(16)), HasSubstr("trajectory of 2 dimensions, but the matrix has 3"));
  ConvertOptions made = options();
  made.trajectory_axes = {"dim", "shot"};
  made.data_axes = {"coil", "shot"};
  EXPECT_THAT(refusal<ValueError>(made), HasSubstr("expected one of both"));
}

TEST_F(ConvertMatlab, AmbiguousAxesAreRefused) {
  add_data("d", {3, 6, 4});
  add_real("k", {3, 6, 4}, position);
  EXPECT_THAT(refusal<ValueError>(options(16)), HasSubstr("data-axes, such as coil,readout,shot"));
  ConvertOptions made = options(16);
  made.data_axes = {"contrast", "readout", "shot"};
  const Scan scan = convert(made);
  ASSERT_EQ(scan.frames.size(), 3U);
  EXPECT_EQ(scan.frames[2].index.contrast, 2);
  EXPECT_EQ(scan.frames[2].data.data()[7].real(), 2 + 3 * 7);
  EXPECT_EQ(scan.frames[2].trajectory, scan.frames[0].trajectory);
  made.data_axes = {"contrast", "shot", "readout"};
  EXPECT_THAT(refusal<ShapeError>(made), HasSubstr("6 along readout, the data has 4"));
  made.data_axes = {"contrast", "contrast", "shot"};
  EXPECT_THAT(refusal<ValueError>(made), HasSubstr("named twice"));
  made.data_axes = {"readout", "shot"};
  EXPECT_THAT(refusal<ValueError>(made), HasSubstr("2 axes were named"));
  made.data_axes = {"echo", "readout", "shot"};
  EXPECT_THAT(refusal<ValueError>(made), HasSubstr("data axis \"echo\" is not known"));
  made.data_axes = {"coil", "readout", "shot"};
  made.trajectory_axes = {"contrast", "readout", "shot"};
  EXPECT_THAT(refusal<ShapeError>(made), HasSubstr("3 along contrast, expected 1 or the data's 1"));
}

TEST_F(ConvertMatlab, TrajectoriesThatMayBeReadInSeveralWays) {
  add_data("d", {6, 4});
  add_real("k", {3, 6, 2}, position);
  EXPECT_THAT(refusal<ValueError>(options()), HasSubstr("both of first and last axis"));
}

TEST_F(ConvertMatlab, TrajectoriesOfOtherExtents) {
  add_data("d", {6, 4});
  add_real("k", {6, 4}, position);
  add("traj", {6, 4, 5}, position, position);
  EXPECT_THAT(refusal<ValueError>(options()), HasSubstr("several arrays may be the trajectory"));
  ConvertOptions made = options();
  made.trajectory_variable = "k";
  EXPECT_THAT(refusal<ValueError>(made), HasSubstr("none of first and last axis"));
  made.trajectory_variable = "traj";
  EXPECT_THAT(refusal<ValueError>(made), HasSubstr("more axes than readout and shot"));
  made.trajectory_variable = "nothing";
  EXPECT_THAT(refusal<ValueError>(made), HasSubstr("no array nothing"));
}

TEST_F(ConvertMatlab, NamesThatAreNotUsual) {
  add_data("signal", {6, 4});
  EXPECT_THAT(refusal<ValueError>(options()), HasSubstr("signal (6 x 4, complex)"));
}

TEST_F(ConvertMatlab, BadNumbers) {
  add("d", {6, 4}, position, [](std::size_t i) { return i == 9 ? std::numeric_limits<double>::quiet_NaN() : 0; });
  add("k", {6, 4}, position, position);
  add_real("w", {6, 4}, [](std::size_t i) { return i == 5 ? -1.0 : 1.0; });
  EXPECT_THAT(refusal<ValueError>(options()), HasSubstr("d: element 9"));
  ConvertOptions made = options();
  made.data_variable = "k";
  EXPECT_THAT(refusal<ValueError>(made), HasSubstr("weight of sample 5 is -1"));
  EXPECT_THAT(message_of<ValueError>([&] {
                convert_scan(ctx, {path, path}, options());
              }),
              HasSubstr("scan.mat: it was given twice"));
}

TEST_F(ConvertMatlab, DamagedFiles) {
  const auto list = [&] { return message_of<IoError>([&] { read_matlab(ctx, path); }); };
  end();
  std::filesystem::remove(path);
  EXPECT_THAT(list(), HasSubstr("it does not exist"));
  std::ofstream(path) << "this is no MATLAB file, but it is long enough to be looked at by who reads its beginning: "
                         "128 bytes of it, and a few more to be sure of that.";
  EXPECT_THAT(list(), HasSubstr("not a MATLAB file"));
  begin(MAT_FT_MAT5);
  add_data("d", {600, 40});
  end();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THAT(list(), HasSubstr("truncated"));
}

// Integers beyond 2^53 in one variable keep no other from being read.
TEST_F(ConvertMatlab, OneVariableThatIsNotExact) {
  std::array<std::int64_t, 2> numbers{1, (std::int64_t{1} << 53) + 1};
  std::array<std::size_t, 2> extents{1, 2};
  matvar_t* variable = Mat_VarCreate("ids", MAT_C_INT64, MAT_T_INT64, 2, extents.data(), numbers.data(), 0);
  Mat_VarWrite(file, variable, MAT_COMPRESSION_NONE);
  Mat_VarFree(variable);
  add_real("x", {5, 1}, [](std::size_t i) { return 2.0 * static_cast<double>(i); });
  end();
  EXPECT_EQ(std::get<Array<double>>(read_array(ctx, path.string() + ":x").values).data()[4], 8);
  EXPECT_THAT(message_of<IoError>([&] { read_array(ctx, path.string() + ":ids"); }), HasSubstr("loses digits"));
}

// Cells in cells, which matio would follow to any depth.
TEST_F(ConvertMatlab, CellsInCellsEnd) {
  std::array<std::size_t, 2> one{1, 1};
  double number = 3;
  matvar_t* inner = Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one.data(), &number, 0);
  for (int level = 0; level < 40; ++level) {
    matvar_t* outer = Mat_VarCreate(level == 39 ? "deep" : nullptr, MAT_C_CELL, MAT_T_CELL, 2, one.data(), nullptr, 0);
    Mat_VarSetCell(outer, 0, inner);
    inner = outer;
  }
  Mat_VarWrite(file, inner, MAT_COMPRESSION_NONE);
  Mat_VarFree(inner);
  add_real("x", {5, 1}, [](std::size_t) { return 1.0; });
  end();
  EXPECT_THAT(message_of<IoError>([&] { read_matlab(ctx, path); }), HasSubstr("in more than 32 levels"));
}

// Zeros, as a hole in a file has them, are no variables: 2^27 tags would be followed.
TEST_F(ConvertMatlab, HolesAndClaimsAreRefusedAtOnce) {
  const auto list = [&] { return message_of<IoError>([&] { read_matlab(ctx, path); }); };
  end();
  std::filesystem::resize_file(path, 128 + (std::uintmax_t{1} << 30));
  EXPECT_THAT(list(), HasSubstr("there is no variable at byte 128"));
  begin(MAT_FT_MAT5);
  std::array<std::size_t, 2> extents{1, 2};
  matvar_t* cell = Mat_VarCreate("c", MAT_C_CELL, MAT_T_CELL, 2, extents.data(), nullptr, 0);
  double number = 3;
  extents[1] = 1;
  for (std::size_t i = 0; i < 2; ++i) {
    Mat_VarSetCell(cell, static_cast<int>(i),
                   Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, extents.data(), &number, 0));
  }
  Mat_VarWrite(file, cell, MAT_COMPRESSION_NONE);
  Mat_VarFree(cell);
  end();
  // Extents lie behind the tags of the variable, its flags, and their own: 1 x 2 becomes 1 x 2^30.
  constexpr std::streamoff extents_at = 128 + 8 + 16 + 8;
  {
    std::fstream bytes(path, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(extents_at + 4);
    const std::uint32_t many = 1U << 30U;
    bytes.write(reinterpret_cast<const char*>(&many), sizeof many);
  }
  EXPECT_THAT(list(), HasSubstr("more than 10000 elements"));
}

// matio printed HDF5's messages, one for each of its attempts.
TEST_F(ConvertMatlab, AHeadOf7_3WithoutHdf5) {
  end();
  std::string bytes = "MATLAB 7.3 MAT-file";
  bytes.resize(124, ' ');
  for (const std::string_view end : {std::string_view("\0\2IM", 4), std::string_view("\2\0MI", 4)}) {
    std::ofstream(path, std::ios::binary) << bytes << end << std::string(1000, 'x');
    ::testing::internal::CaptureStderr();
    EXPECT_THAT(message_of<IoError>([&] { read_matlab(ctx, path); }), HasSubstr("that of MATLAB 7.3"));
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  }
}

TEST_F(ConvertMatlab, TextIsNotNumeric) {
  std::string text = "hello";
  std::vector<std::size_t> extents{1, 5};
  matvar_t* variable = Mat_VarCreate("k", MAT_C_CHAR, MAT_T_UINT8, 2, extents.data(), text.data(), 0);
  Mat_VarWrite(file, variable, MAT_COMPRESSION_NONE);
  Mat_VarFree(variable);
  end();
  EXPECT_THAT(message_of<IoError>([&] { read_matlab(ctx, path); }), HasSubstr("no numeric variable"));
}

}  // namespace
}  // namespace whorl
