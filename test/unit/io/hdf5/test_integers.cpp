// Integers in HDF5 files: as float64 without a digit lost, or not at all.
#include <hdf5.h>

#include <limits>

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
  void write(hid_t type, const std::vector<T>& values) const {
    const hid_t file = H5Fcreate((folder / "a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t length = values.size();
    const hid_t space = H5Screate_simple(1, &length, nullptr);
    const hid_t dataset = H5Dcreate2(file, "numbers", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
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

}  // namespace
}  // namespace whorl
