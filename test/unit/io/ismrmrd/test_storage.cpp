// Acquisitions are stored in several ways. Acquisitions that ISMRMRD's library stored are read without HDF5's conversions, others by HDF5.
#include <hdf5.h>
#include <ismrmrd/dataset.h>

#include <cstring>

#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/io/read_scan.hpp"

namespace whorl {
namespace {

using test::cfloat;
using test::readout;

constexpr Index readouts = 20;
constexpr Index length = 16;

class Storage : public test::FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    path = folder / "scan.h5";
    std::vector<ISMRMRD::Acquisition> acquisitions;
    for (Index i = 0; i < readouts; ++i) {
      acquisitions.push_back(readout(length, 2, static_cast<float>(i) / 64));
    }
    test::write_by_library(path, test::to_xml(test::small_header(16, 12)), acquisitions);
  }

  /// Stores the table anew, `rows` acquisitions in a piece of the file.
  void store(hsize_t rows, bool compressed) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t old = H5Dopen2(file, "dataset/data", H5P_DEFAULT);
    const hid_t type = H5Dget_type(old);
    const hid_t space = H5Dget_space(old);
    std::vector<char> records(static_cast<std::size_t>(readouts) * H5Tget_size(type));
    ASSERT_GE(H5Dread(old, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, records.data()), 0);
    H5Dclose(old);
    H5Ldelete(file, "dataset/data", H5P_DEFAULT);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 1, &rows);
    if (compressed) H5Pset_deflate(properties, 1);
    const hid_t made = H5Dcreate2(file, "dataset/data", type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    ASSERT_GE(H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, records.data()), 0);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, records.data());
    H5Dclose(made);
    H5Pclose(properties);
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(file);
  }

  std::filesystem::path path;
};

void expect_same(const Scan& one, const Scan& other) {
  ASSERT_EQ(one.frames.size(), other.frames.size());
  for (std::size_t f = 0; f < one.frames.size(); ++f) {
    const auto data = one.frames[f].data.span();
    const auto points = one.frames[f].trajectory->points.span();
    EXPECT_TRUE(std::equal(data.begin(), data.end(), other.frames[f].data.span().begin()));
    EXPECT_TRUE(std::equal(points.begin(), points.end(), other.frames[f].trajectory->points.span().begin()));
  }
}

TEST_F(Storage, HowTheTableIsStoredMakesNoDifference) {
  const Scan scan = read_scan(ctx, path);
  ASSERT_EQ(scan.frames.front().data.shape(), (Shape{2, readouts * length}));
  EXPECT_NE(scan.frames.front().data.data()[5], cfloat(0));
  store(1, false);
  expect_same(read_scan(ctx, path), scan);
  store(7, false);  // the last piece is not full
  expect_same(read_scan(ctx, path), scan);
  store(7, true);  // only HDF5 can read it
  expect_same(read_scan(ctx, path), scan);
}

// Heads of the heap changed byte by byte. HDF5 1.10 crashes on most of these.
TEST_F(Storage, DamagedHeapsAreRefused) {
  std::string bytes;
  {
    std::ifstream file(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  const std::size_t heap = bytes.rfind("GCOL");  // the first one holds the header
  ASSERT_GT(heap, bytes.find("GCOL"));
  // Signature, version, size of the collection; number and size of the first object.
  for (const std::size_t place : {0, 4, 14, 16, 24, 30}) {
    std::string damaged = bytes;
    damaged[heap + place] = static_cast<char>(damaged[heap + place] ^ 0x7f);
    std::ofstream(path, std::ios::binary) << damaged;
    EXPECT_THAT(
        test::message_of<IoError>([&] { read_scan(ctx, path); }),
        ::testing::AllOf(::testing::HasSubstr("scan.h5: acquisition "), ::testing::HasSubstr("the file is damaged")))
        << place;
  }
}

// Written in blocks, with the type of the library's table.
TEST_F(Storage, TheLibraryReadsWhatIsWritten) {
  const Scan scan = read_scan(ctx, path);
  const std::filesystem::path written = folder / "written.h5";
  Scan many = clone(ctx, scan);
  for (int repetition = 1; repetition < 15; ++repetition) {  // 300 acquisitions: several blocks, the last not full
    Scan next = clone(ctx, scan);
    next.frames.front().index.repetition = repetition;
    next.frames.front().data.data()[5] = cfloat(static_cast<float>(repetition), 0.5F);
    many.frames.push_back(std::move(next.frames.front()));
  }
  write_ismrmrd(ctx, many, written);

  ISMRMRD::Dataset library(written.c_str(), "dataset", false);
  ASSERT_EQ(library.getNumberOfAcquisitions(), 15U * readouts);
  for (std::uint32_t number = 0; number < library.getNumberOfAcquisitions(); ++number) {
    ISMRMRD::Acquisition acquisition;
    library.readAcquisition(number, acquisition);
    const auto frame = static_cast<std::size_t>(number / readouts);
    const Index first = number % readouts * length;
    ASSERT_EQ(acquisition.number_of_samples(), length);
    ASSERT_EQ(acquisition.active_channels(), 2);
    EXPECT_EQ(acquisition.idx().repetition, frame);
    EXPECT_EQ(acquisition.scan_counter(), number);
    for (Index coil = 0; coil < 2; ++coil) {
      for (Index i = 0; i < length; ++i) {
        ASSERT_EQ(acquisition.data(static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(coil)),
                  many.frames[frame].data.view<2>()(coil, first + i));
      }
    }
    for (Index i = 0; i < length; ++i) {
      ASSERT_EQ(acquisition.traj(0, static_cast<std::uint16_t>(i)),
                static_cast<float>(many.frames[frame].trajectory->points.view<2>()(first + i, 0)));
    }
  }
}

}  // namespace
}  // namespace whorl
