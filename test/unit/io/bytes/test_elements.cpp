// Numbers as files of other programs store them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/nifti/header.hpp"
#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/npy.hpp"

namespace whorl {
namespace {

using test::TemporaryFolder;
using test::write_file;

template <class T>
std::string bytes_of(std::initializer_list<T> values, bool swapped = false) {
  std::string bytes;
  for (const T value : values) {
    std::string part(sizeof(T), '\0');
    std::memcpy(part.data(), &value, sizeof(T));
    if (swapped) std::reverse(part.begin(), part.end());
    bytes += part;
  }
  return bytes;
}

std::string npy(const std::string& type, const std::string& shape, const std::string& data, bool fortran = false) {
  const std::string text =
      "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size()) + '\0' + text + data;
}

class NumPyTypes : public ::testing::Test {
 protected:
  std::vector<double> read(const std::string& bytes, const char* type) {
    write_file(folder / "a.npy", bytes);
    const AnyArray array = read_npy(ctx, folder / "a.npy");
    EXPECT_EQ(type_name(array), type);
    const auto values = converted<double>(ctx, array, "a");
    return {values.span().begin(), values.span().end()};
  }

  Context ctx;
  TemporaryFolder folder;
};

TEST_F(NumPyTypes, EveryIntegerAndFloat) {
  using Values = std::vector<double>;
  EXPECT_EQ(read(npy("|i1", "(2,)", bytes_of<std::int8_t>({-128, 127})), "float32"), (Values{-128, 127}));
  EXPECT_EQ(read(npy("|u1", "(2,)", bytes_of<std::uint8_t>({0, 255})), "float32"), (Values{0, 255}));
  EXPECT_EQ(read(npy("|b1", "(2,)", bytes_of<std::uint8_t>({0, 1})), "float32"), (Values{0, 1}));
  EXPECT_EQ(read(npy("<i2", "(2,)", bytes_of<std::int16_t>({-32768, 32767})), "float32"), (Values{-32768, 32767}));
  EXPECT_EQ(read(npy(">u2", "(2,)", bytes_of<std::uint16_t>({1, 65535}, true)), "float32"), (Values{1, 65535}));
  EXPECT_EQ(read(npy("<i4", "(1,)", bytes_of<std::int32_t>({-2147483647})), "float64"), (Values{-2147483647}));
  EXPECT_EQ(read(npy("<u4", "(1,)", bytes_of<std::uint32_t>({4294967295U})), "float64"), (Values{4294967295}));
  EXPECT_EQ(read(npy(">i8", "(1,)", bytes_of<std::int64_t>({-(std::int64_t{1} << 53)}, true)), "float64"),
            (Values{-9007199254740992}));
  EXPECT_EQ(read(npy("<u8", "(1,)", bytes_of<std::uint64_t>({std::uint64_t{1} << 53})), "float64"),
            (Values{9007199254740992}));
  EXPECT_EQ(read(npy(">f4", "(2,)", bytes_of<float>({1.5F, -2.25F}, true)), "float32"), (Values{1.5, -2.25}));
  EXPECT_EQ(read(npy(">f8", "()", bytes_of<double>({0.1}, true)), "float64"), (Values{0.1}));
}

// 2^53 + 1 is the first whole number that a double does not hold; 2^62 + 2^10 has 53 bits, and is held.
TEST_F(NumPyTypes, IntegersOfMoreDigitsThanDoubleAreRefused) {
  constexpr std::int64_t first = (std::int64_t{1} << 53) + 1;
  constexpr std::int64_t held = (std::int64_t{1} << 62) + (std::int64_t{1} << 10);
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(read(npy("<i8", "(2,)", bytes_of<std::int64_t>({held, lowest})), "float64"),
            (std::vector<double>{static_cast<double>(held), -0x1p63}));
  const auto refusal = [&](const std::string& bytes) -> std::string {
    write_file(folder / "a.npy", bytes);
    try {
      read_npy(ctx, folder / "a.npy");
    } catch (const IoError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(refusal(npy("<i8", "(2,)", bytes_of<std::int64_t>({1, first}))).find("element 1 is 9007199254740993"),
            std::string::npos);
  EXPECT_NE(refusal(npy(">i8", "(1,)", bytes_of<std::int64_t>({-first}, true))).find("-9007199254740993"),
            std::string::npos);
  EXPECT_NE(refusal(npy("<u8", "(1,)", bytes_of<std::uint64_t>({~std::uint64_t{0}}))).find("loses digits"),
            std::string::npos);
}

TEST_F(NumPyTypes, NumbersThatFitNoFloatAreNotNarrowed) {
  const auto array = [&](double value) {
    Array<double> values(ctx, {2});
    values.data()[0] = 0;
    values.data()[1] = value;
    return AnyArray(std::move(values));
  };
  EXPECT_EQ(converted<float>(ctx, array(3e38), "a").data()[1], 3e38F);
  EXPECT_EQ(converted<float>(ctx, array(0), "a").data()[1], 0);
  EXPECT_THROW(converted<float>(ctx, array(1e200), "a"), ValueError);
  EXPECT_THROW(converted<std::complex<float>>(ctx, array(-1e39), "a"), ValueError);
  EXPECT_THROW(converted<float>(ctx, array(1e-60), "a"), ValueError);
  EXPECT_EQ(converted<double>(ctx, array(1e200), "a").data()[1], 1e200);
}

TEST_F(NumPyTypes, HalfPrecision) {
  // IEEE 754: 1, -2, the largest 65504, the least normal 2^-14, the least subnormal 2^-24, infinity, NaN.
  const auto values = read(
      npy("<f2", "(7,)", bytes_of<std::uint16_t>({0x3C00, 0xC000, 0x7BFF, 0x0400, 0x0001, 0x7C00, 0x7E00})), "float32");
  EXPECT_EQ((std::vector<double>(values.begin(), values.begin() + 6)),
            (std::vector<double>{1, -2, 65504, std::ldexp(1.0, -14), std::ldexp(1.0, -24), INFINITY}));
  EXPECT_TRUE(std::isnan(values[6]));
}

TEST_F(NumPyTypes, BigEndianComplexSwapsEachPart) {
  write_file(folder / "a.npy", npy(">c8", "(1,)", bytes_of<float>({1.5F, -2.5F}, true)));
  EXPECT_EQ(std::get<Array<std::complex<float>>>(read_npy(ctx, folder / "a.npy")).data()[0],
            std::complex<float>(1.5F, -2.5F));
}

TEST_F(NumPyTypes, FortranOrderIsTurned) {
  // [[0, 1, 2], [3, 4, 5]] with the first axis fastest.
  const auto values = read(npy("<f4", "(2, 3)", bytes_of<float>({0, 3, 1, 4, 2, 5}), true), "float32");
  EXPECT_EQ(values, (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

/// A NIfTI-1 or -2 file of 2 x 3 voxels, byte by byte at the places that nifti1.h and nifti2.h give.
std::string nifti(int version, bool swapped, short type, const std::string& data, float slope, float intercept) {
  std::string header(version == 1 ? 348 : 540, '\0');
  const auto put = [&]<class T>(std::size_t at, T value) {
    header.replace(at, sizeof(T), bytes_of<T>({value}, swapped));
  };
  put(0, static_cast<std::int32_t>(header.size()));
  if (version == 1) {
    put(40, std::int16_t{2});
    put(42, std::int16_t{2});
    put(44, std::int16_t{3});
    put(70, static_cast<std::int16_t>(type));
    put(80, 1.5F);
    put(84, 2.5F);
    put(108, 352.0F);
    put(112, slope);
    put(116, intercept);
    header.replace(344, 4, std::string("n+1\0", 4));
  } else {
    header.replace(4, 8, std::string("n+2\0\r\n\x1a\n", 8));
    put(12, static_cast<std::int16_t>(type));
    put(16, std::int64_t{2});
    put(24, std::int64_t{2});
    put(32, std::int64_t{3});
    put(112, 1.5);
    put(120, 2.5);
    put(168, std::int64_t{544});
    put(176, static_cast<double>(slope));
    put(184, static_cast<double>(intercept));
  }
  return header + std::string(4, '\0') + data;
}

TEST(NiftiFiles, BothVersionsByteOrdersAndScaling) {
  const Context ctx;
  const TemporaryFolder folder;
  for (const int version : {1, 2}) {
    for (const bool swapped : {false, true}) {
      const std::string data = bytes_of<std::int16_t>({-3, 1, 2, 300, 4, 5}, swapped);
      write_file(folder / "a.nii", nifti(version, swapped, 4, data, 0, 0));
      NamedArray image = read_array(ctx, folder / "a.nii");
      EXPECT_EQ(shape_of(image.values), (Shape{3, 2}));
      EXPECT_EQ(type_name(image.values), "float32");
      EXPECT_EQ(std::get<0>(image.values).span()[3], 300);
      ASSERT_TRUE(image.affine.has_value());
      EXPECT_FALSE(image.affine->in_scanner);
      EXPECT_EQ(image.affine->matrix[0][0], 1.5);
      EXPECT_EQ(image.affine->matrix[1][1], 2.5);

      write_file(folder / "a.nii", nifti(version, swapped, 4, data, 0.5F, 10));
      image = read_array(ctx, folder / "a.nii");
      EXPECT_EQ(type_name(image.values), "float64");
      EXPECT_EQ(std::get<1>(image.values).span()[0], 0.5 * -3 + 10);
      EXPECT_EQ(std::get<1>(image.values).span()[3], 160);
    }
  }
  // NaN for the slope means none; complex numbers are scaled part by part.
  write_file(folder / "a.nii", nifti(1, false, 32, bytes_of<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), NAN, 0));
  EXPECT_EQ(std::get<2>(read_array(ctx, folder / "a.nii").values).data()[5], std::complex<float>(11, 12));
  write_file(folder / "a.nii", nifti(1, false, 32, bytes_of<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), 2, 1));
  EXPECT_EQ(std::get<2>(read_array(ctx, folder / "a.nii").values).data()[5], std::complex<float>(23, 25));
}

}  // namespace
}  // namespace whorl
