// HDF5 files that would hang, overflow the stack, take minutes, or give zeros that nobody wrote.
#include <hdf5.h>
#include <sys/stat.h>

#include <array>

#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/describe_file.hpp"
#include "whorl/io/read_scan.hpp"

namespace whorl {
namespace {

using test::message_of;
using ::testing::HasSubstr;

constexpr std::array<hsize_t, 2> extents{4, 6};

/// A new file, and what tests put into it.
class Made {
 public:
  explicit Made(const std::filesystem::path& path)
      : id_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~Made() { H5Fclose(id_); }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;

  hid_t id() const { return id_; }

  /// A data set of 4 x 6 doubles; the first `rows` are written, and are 0, 1, 2, ... Chunks are compressed.
  void add(const char* name, hsize_t rows, hsize_t chunk_rows = 0, bool has_fill_value = false) const {
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    const std::array<hsize_t, 2> chunk{chunk_rows, extents[1]};
    const double fill = 7;
    if (chunk_rows > 0) {
      H5Pset_chunk(layout, 2, chunk.data());
      H5Pset_deflate(layout, 6);
    }
    if (has_fill_value) H5Pset_fill_value(layout, H5T_NATIVE_DOUBLE, &fill);
    create(name, layout, rows);
    H5Pclose(layout);
  }

  /// A virtual data set; source [i] of a file "." or another gives rows from i times `rows` on.
  void add_virtual(const char* name, const std::vector<std::array<std::string, 2>>& sources, hsize_t rows) const {
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const hid_t all = H5Screate_simple(2, extents.data(), nullptr);
      const hid_t part = H5Screate_simple(2, extents.data(), nullptr);
      const std::array<hsize_t, 2> from{0, 0};
      const std::array<hsize_t, 2> to{i * rows, 0};
      const std::array<hsize_t, 2> count{rows, extents[1]};
      H5Sselect_hyperslab(part, H5S_SELECT_SET, to.data(), nullptr, count.data(), nullptr);
      H5Sselect_hyperslab(all, H5S_SELECT_SET, from.data(), nullptr, count.data(), nullptr);
      H5Pset_virtual(layout, part, sources[i][0].c_str(), sources[i][1].c_str(), all);
      H5Sclose(part);
      H5Sclose(all);
    }
    create(name, layout, 0);
    H5Pclose(layout);
  }

  /// A virtual data set of as many files as there are.
  void add_pattern(const char* name, const char* files) const {
    const std::array<hsize_t, 2> most{H5S_UNLIMITED, extents[1]};
    const std::array<hsize_t, 2> from{0, 0};
    const std::array<hsize_t, 2> count{H5S_UNLIMITED, 1};
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t source = H5Screate_simple(2, extents.data(), nullptr);
    const hid_t space = H5Screate_simple(2, extents.data(), most.data());
    H5Sselect_hyperslab(space, H5S_SELECT_SET, from.data(), extents.data(), count.data(), extents.data());
    EXPECT_GE(H5Pset_virtual(layout, space, files, "/source", source), 0);
    H5Dclose(H5Dcreate2(id_, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
    H5Sclose(space);
    H5Sclose(source);
    H5Pclose(layout);
  }

 private:
  void create(const char* name, hid_t layout, hsize_t rows) const {
    const hid_t space = H5Screate_simple(2, extents.data(), nullptr);
    const hid_t dataset = H5Dcreate2(id_, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    EXPECT_GE(dataset, 0) << name;
    if (rows > 0) {
      std::vector<double> values(rows * extents[1]);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
      const std::array<hsize_t, 2> start{0, 0};
      const std::array<hsize_t, 2> count{rows, extents[1]};
      const hid_t memory = H5Screate_simple(2, count.data(), nullptr);
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
      EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data()), 0);
      H5Sclose(memory);
    }
    H5Dclose(dataset);
    H5Sclose(space);
  }

  hid_t id_;
};

class HostileHdf5 : public test::FolderTest {
 protected:
  std::filesystem::path file() const { return folder / "a.h5"; }
  std::string fault_of(const std::string& name) {
    return message_of<IoError>([&] { read_array(ctx, file().string() + ":" + name); });
  }
  Array<double> values_of(const std::string& name) {
    return std::get<Array<double>>(read_array(ctx, file().string() + ":" + name).values);
  }
};

// A pipe that nobody writes into: whoever opens it waits.
TEST_F(HostileHdf5, ExternalLinksToPipesAreNotFollowed) {
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  {
    const Made made(file());
    made.add("good", 4);
    for (const char* name : {"dataset", "trajectory", "rawdata", "whorl", "other"}) {
      H5Lcreate_external("pipe", "/", made.id(), name, H5P_DEFAULT, H5P_DEFAULT);
    }
    H5Lcreate_external((folder / "pipe").c_str(), "/", made.id(), "absolute", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("/dev/zero", "/", made.id(), "device", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/dataset/inner", made.id(), "soft", H5P_DEFAULT, H5P_DEFAULT);
    made.add_virtual("virtual", {{"pipe", "/x"}}, 4);
  }
  EXPECT_FALSE(describe_file(file()).format.empty());
  EXPECT_THROW(read_scan(ctx, file()), Error);
  EXPECT_THAT(fault_of("virtual"), HasSubstr("its source /x in 'pipe': it is not a regular file"));
  EXPECT_EQ(values_of("good").data()[23], 23);
}

// The acquisitions are read from the file that they lie in.
TEST_F(HostileHdf5, ExternalLinksToScansAreFollowed) {
  test::write_by_library(folder / "scan.h5", test::to_xml(test::small_header(16, 12)),
                         {test::readout(16, 2, 0), test::readout(16, 2, 0.25F)});
  {
    const Made made(file());
    H5Lcreate_external("scan.h5", "/dataset", made.id(), "dataset", H5P_DEFAULT, H5P_DEFAULT);
  }
  const Scan scan = read_ismrmrd(ctx, file());
  EXPECT_EQ(scan.frames.front().data.data()[5], test::sample_value(0, 0, 5));
}

TEST_F(HostileHdf5, VirtualDataSetsHaveSources) {
  {
    const Made other(folder / "b.h5");
    other.add("source", 4);
    other.add("empty", 0);
  }
  {
    const Made made(file());
    made.add("near", 4);
    made.add_virtual("good", {{".", "/near"}, {"b.h5", "/source"}}, 2);
    made.add_virtual("nested", {{".", "/good"}}, 4);
    made.add_virtual("self", {{".", "/self"}}, 4);
    made.add_virtual("by_name", {{"a.h5", "/by_name"}}, 4);
    made.add_virtual("cycle", {{".", "/cycle2"}}, 4);
    made.add_virtual("cycle2", {{".", "/cycle"}}, 4);
    made.add_virtual("gone", {{".", "/near"}, {"missing.h5", "/source"}}, 2);
    made.add_virtual("no_set", {{"b.h5", "/other"}}, 4);
    made.add_virtual("unwritten", {{"b.h5", "/empty"}}, 4);
    made.add_virtual("half", {{".", "/near"}}, 2);
    made.add_pattern("pattern", "b%b.h5");
  }
  const Array<double> good = values_of("good");
  for (Index i = 0; i < good.size(); ++i) EXPECT_EQ(good.data()[i], static_cast<double>(i % 12)) << i;
  EXPECT_EQ(values_of("nested").data()[23], 11);
  EXPECT_THAT(fault_of("self"), HasSubstr("self can not be read: its source /self in '.': it is a source of itself"));
  EXPECT_THAT(fault_of("by_name"), HasSubstr("it is a source of itself"));
  EXPECT_THAT(fault_of("cycle"), HasSubstr("it is a source of itself"));
  EXPECT_THAT(fault_of("gone"), HasSubstr("its source /source in 'missing.h5': there is no such file"));
  EXPECT_THAT(fault_of("no_set"), HasSubstr("there is no such data set"));
  EXPECT_THAT(fault_of("unwritten"), HasSubstr("it was never written"));
  EXPECT_THAT(fault_of("half"), HasSubstr("a part of it has no source"));
  EXPECT_THAT(fault_of("pattern"), HasSubstr("is a pattern of names"));
}

TEST_F(HostileHdf5, WhatWasNeverWrittenIsNotZero) {
  {
    const Made made(file());
    made.add("whole", 4);
    made.add("chunks", 4, 1);
    made.add("none", 0);
    made.add("no_chunks", 0, 1);
    made.add("some_chunks", 3, 1);
    made.add("filled", 3, 1, true);
    made.add("all_filled", 0, 1, true);
  }
  EXPECT_EQ(values_of("whole").data()[23], 23);
  EXPECT_EQ(values_of("chunks").data()[23], 23);
  EXPECT_EQ(values_of("filled").data()[23], 7);
  EXPECT_THAT(fault_of("none"), HasSubstr("none can not be read: it was never written"));
  EXPECT_THAT(fault_of("no_chunks"), HasSubstr("it was never written"));
  EXPECT_THAT(fault_of("some_chunks"), HasSubstr("a part of it was never written"));
  EXPECT_THAT(fault_of("all_filled"), HasSubstr("it was never written"));
  // The others are there all the same.
  Index faults = 0;
  for (const NamedArray& array : read_arrays(ctx, file())) faults += array.fault.empty() ? 0 : 1;
  EXPECT_EQ(faults, 4);
}

// Other programs write one for None: it has a type and no numbers, not even a zero.
TEST_F(HostileHdf5, NullSpacesHaveNoNumbers) {
  {
    const Made made(file());
    made.add("whole", 4);
    const hid_t null = H5Screate(H5S_NULL);
    H5Dclose(H5Dcreate2(made.id(), "nothing", H5T_NATIVE_DOUBLE, null, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(null);
  }
  const std::vector<NamedArray> arrays = read_arrays(ctx, file());
  ASSERT_EQ(arrays.size(), 1U);
  EXPECT_EQ(arrays[0].name, "whole");
}

// Numbers in a file beside it, by HDF5's external storage.
TEST_F(HostileHdf5, ExternalStorageIsAWholeFile) {
  std::ofstream(folder / "long.raw", std::ios::binary) << std::string(24 * 8, '\0');
  std::ofstream(folder / "short.raw", std::ios::binary) << std::string(23 * 8, '\0');
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  {
    const Made made(file());
    for (const char* name : {"long.raw", "short.raw", "pipe", "none"}) {
      const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
      H5Pset_external(layout, (folder / name).c_str(), 0, 24 * 8);
      const hid_t space = H5Screate_simple(2, extents.data(), nullptr);
      H5Dclose(H5Dcreate2(made.id(), name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
      H5Sclose(space);
      H5Pclose(layout);
    }
  }
  EXPECT_EQ(values_of("long.raw").data()[23], 0);
  EXPECT_THAT(fault_of("short.raw"), HasSubstr("which ends before them"));
  EXPECT_THAT(fault_of("pipe"), HasSubstr("which is not a regular file"));
  EXPECT_THAT(fault_of("none"), HasSubstr("which is not a regular file"));
}

TEST_F(HostileHdf5, GroupsInGroupsEnd) {
  {
    const Made made(file());
    hid_t group = H5Gopen2(made.id(), "/", H5P_DEFAULT);
    for (int level = 0; level < 1000; ++level) {
      const hid_t next = H5Gcreate2(group, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      H5Gclose(group);
      group = next;
    }
    H5Gclose(group);
  }
  EXPECT_THAT(message_of<IoError>([&] { read_arrays(ctx, file()); }), HasSubstr("in more than 64 levels"));
  {
    const Made made(file());
    made.add("b", 4);
    const hid_t group = H5Gcreate2(made.id(), "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(made.id(), "/", group, "root", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(made.id(), "/b", group, "again", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
  }
  const auto arrays = read_arrays(ctx, file());
  ASSERT_EQ(arrays.size(), 1U);
  EXPECT_EQ(arrays.front().name, "a/again");
}

}  // namespace
}  // namespace whorl
