// Integers in HDF5 files: as float64 without a digit lost, or not at all.
#include <hdf5.h>

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl {
namespace {

using test::message_of;
using ::testing::HasSubstr;

class Hdf5Integers : public test::FolderTest {
 protected:
  template <class T>
  void write(hid_t type, const std::vector<T>& values, const char* name = "numbers") const {
    const bool is_first = std::string(name) == "numbers";
    const hid_t file = is_first ? H5Fcreate((folder / "a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                                : H5Fopen((folder / "a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hsize_t length = values.size();
    const hid_t space = H5Screate_simple(1, &length, nullptr);
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Fclose(file);
  }
};

TEST_F(Hdf5Integers, AreReadWhereDoubleHoldsThem) {
  write<std::int64_t>(H5T_NATIVE_INT64, {std::int64_t{1} << 53, -(std::int64_t{1} << 53), std::int64_t{1} << 62});
  const NamedArray array = read_array(ctx, folder / "a.h5");
  const auto& values = std::get<Array<double>>(array.values);
  EXPECT_EQ(values.data()[0], 0x1p53);
  EXPECT_EQ(values.data()[1], -0x1p53);
  EXPECT_EQ(values.data()[2], 0x1p62);
}

TEST_F(Hdf5Integers, LoseNoDigits) {
  write<std::int64_t>(H5T_NATIVE_INT64, {1, (std::int64_t{1} << 53) + 1});
  EXPECT_THAT(message_of<IoError>([&] { read_array(ctx, folder / "a.h5"); }),
              HasSubstr("numbers has a number of which"));
  write<std::uint64_t>(H5T_NATIVE_UINT64, {std::numeric_limits<std::uint64_t>::max()});
  EXPECT_THAT(message_of<IoError>([&] { read_array(ctx, folder / "a.h5"); }), HasSubstr("loses digits"));
}

// Samples as a receiver counts them, which MATLAB stores as it does other complex numbers.
TEST_F(Hdf5Integers, InPairsAreComplex) {
  for (const auto& [first, second] : {std::pair{"real", "imag"}, std::pair{"x", "y"}}) {
    const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * sizeof(std::int16_t));
    H5Tinsert(type, first, 0, H5T_NATIVE_INT16);
    H5Tinsert(type, second, sizeof(std::int16_t), H5T_NATIVE_INT16);
    write<std::array<std::int16_t, 2>>(type, {{3, -4}, {5, 6}});
    H5Tclose(type);
    if (*first == 'x') {
      EXPECT_THAT(message_of<IoError>([&] { read_array(ctx, folder / "a.h5"); }), HasSubstr("no dataset of numbers"));
    } else {
      const NamedArray array = read_array(ctx, folder / "a.h5");
      EXPECT_EQ(std::get<Array<test::cfloat>>(array.values).data()[0], test::cfloat(3, -4));
    }
  }
}

// One array that can not be had keeps no other from being read.
TEST_F(Hdf5Integers, OneDoesNotKeepOthersFromBeingRead) {
  write<std::int64_t>(H5T_NATIVE_INT64, {1, (std::int64_t{1} << 53) + 1});
  write<float>(H5T_NATIVE_FLOAT, {2.5F, 3}, "image");
  const std::string file = folder / "a.h5";
  EXPECT_EQ(std::get<Array<float>>(read_array(ctx, file + ":image").values).data()[0], 2.5F);
  EXPECT_THAT(message_of<IoError>([&] { read_array(ctx, file + ":numbers"); }), HasSubstr("loses digits"));
  const std::vector<NamedArray> arrays = read_arrays(ctx, file);
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays[0].fault, "");
  EXPECT_THAT(arrays[1].fault, HasSubstr("loses digits"));
  EXPECT_THROW(check_readable(arrays[1]), IoError);
  EXPECT_THAT(message_of<ValueError>([&] { read_array(ctx, file); }), HasSubstr("numbers (not readable)"));
  EXPECT_THROW(write_arrays(ctx, folder / "b.h5", arrays), IoError);
}

}  // namespace
}  // namespace whorl
