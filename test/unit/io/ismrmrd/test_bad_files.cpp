// Files that are damaged, foreign or made up: each is refused by one line that names it.
#include <hdf5.h>

#include <cstring>
#include <limits>

#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/read_scan.hpp"

namespace whorl {
namespace {

using test::message_of;
using test::readout;
using ::testing::AllOf;
using ::testing::HasSubstr;

class BadFile : public test::FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    path = folder / "scan.h5";
  }
  /// Reads; HDF5 and ISMRMRD must stay silent on the way.
  std::string refusal() {
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    std::string message = message_of<IoError>([&] { read_scan(ctx, path); });
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_THAT(message, HasSubstr(path.string()));
    return message;
  }
  void write_text(const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
  void write_good() {
    test::write_by_library(path, test::to_xml(test::small_header(16, 12)), {readout(16, 2, 0), readout(16, 2, 0.25F)});
  }

  std::filesystem::path path;
};

TEST_F(BadFile, MissingEmptyFolderAndText) {
  EXPECT_THAT(refusal(), HasSubstr("No such file"));
  EXPECT_THAT(message_of<IoError>([&] { read_ismrmrd(ctx, path); }), HasSubstr("No such file"));
  write_text("");
  EXPECT_THAT(refusal(), HasSubstr("empty"));
  EXPECT_THAT(message_of<IoError>([&] { read_ismrmrd(ctx, path); }), HasSubstr("empty"));
  write_text("kx ky kz\n0 0 0\n");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("not an ISMRMRD file"), HasSubstr("be converted to a scan")));
  path = folder;
  EXPECT_THAT(refusal(), HasSubstr("folder"));
}

TEST_F(BadFile, MatlabFilesAreSentToConvert) {
  path = folder / "scan.mat";
  write_text("MATLAB 5.0 MAT-file");
  EXPECT_THAT(refusal(), HasSubstr("make a scan of it first: whorl convert"));
}

// Neither reader sends to the other one.
TEST_F(BadFile, AHeaderAloneIsNoScanAndNoImage) {
  {
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "dataset", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t scalar = H5Screate(H5S_SCALAR);
    H5Dclose(H5Dcreate2(group, "xml", H5T_C_S1, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(scalar);
    H5Gclose(group);
    H5Fclose(file);
  }
  EXPECT_THAT(refusal(), HasSubstr("it has no data"));
  EXPECT_THAT(message_of<IoError>([&] { read_arrays(ctx, path); }), HasSubstr("there is nothing in it to read"));
}

TEST_F(BadFile, TruncatedAnywhere) {
  write_good();
  const auto size = std::filesystem::file_size(path);
  ASSERT_GT(size, 1000U);
  for (const double part : {0.999, 0.75, 0.5, 0.25, 0.1, 0.02}) {
    std::filesystem::resize_file(path, static_cast<std::uintmax_t>(part * static_cast<double>(size)));
    EXPECT_THAT(refusal(), HasSubstr("truncated"));
  }
  std::filesystem::resize_file(path, 5);
  EXPECT_THAT(refusal(), HasSubstr("not an ISMRMRD file"));
}

TEST_F(BadFile, HeaderOrDataIsMissing) {
  { const ISMRMRD::Dataset dataset(path.c_str(), "dataset", true); }
  EXPECT_THAT(refusal(), HasSubstr("group \"dataset\" holds no ISMRMRD scan: it has no xml"));
  {
    ISMRMRD::Dataset dataset(path.c_str(), "dataset", true);
    dataset.writeHeader(test::to_xml(test::small_header(16, 12)));
  }
  EXPECT_THAT(refusal(), HasSubstr("it has no data"));
  std::filesystem::remove(path);
  { const ISMRMRD::Dataset dataset(path.c_str(), "images", true); }
  EXPECT_THAT(refusal(), HasSubstr("no ISMRMRD scan in it: no group has both xml and data (groups: images)"));
}

TEST_F(BadFile, HeaderIsNoHeader) {
  test::write_by_library(path, "not xml", {readout(16, 2, 0)});
  EXPECT_THAT(refusal(), HasSubstr("its xml is not an ISMRMRD header"));
  test::write_by_library(path, "<ismrmrdHeader><encoding/></ismrmrdHeader>", {readout(16, 2, 0)});
  EXPECT_THAT(refusal(), HasSubstr("the header has no encodedSpace.matrixSize.x"));
  std::string xml = test::to_xml(test::small_header(16, 12));
  const std::size_t start = xml.find("<encoding>");
  xml.erase(start, xml.find("</encoding>") + 11 - start);
  test::write_by_library(path, xml, {readout(16, 2, 0)});
  EXPECT_THAT(refusal(), HasSubstr("encoding"));
}

// Cut to 16 bits they would be sizes: 65568 is 32 modulo 65536.
TEST_F(BadFile, CountsThatTheSchemaDoesNotHold) {
  const std::string good = test::to_xml(test::small_header(16, 12));
  const auto with_text = [&](const std::string& element, const std::string& now) {
    const std::string old = "<" + element + ">";
    std::string xml = good;
    const std::size_t start = xml.find(old) + old.size();
    return xml.replace(start, xml.find('<', start) - start, now);
  };
  for (const std::string wrong : {"65568", "-32", "32.5", "99999999999999999999", "many"}) {
    test::write_by_library(path, with_text("x", wrong), {readout(16, 2, 0)});
    EXPECT_THAT(refusal(), AllOf(HasSubstr("matrixSize.x is " + wrong), HasSubstr("0 to 65535"))) << wrong;
    std::filesystem::remove(path);
  }
  // The text of an element goes on behind a comment, and in CDATA.
  for (const auto& [text, wrong] : {std::pair{"<!-- 16 -->65568", "65568"},
                                    {"<![CDATA[65568]]>", "65568"},
                                    {"<?a b?>-32", "-32"},
                                    {"65568<a/>", "65568"}}) {
    test::write_by_library(path, with_text("x", text), {readout(16, 2, 0)});
    EXPECT_THAT(refusal(), HasSubstr(std::string("matrixSize.x is ") + wrong + ",")) << text;
    std::filesystem::remove(path);
  }
  // The image's matrix, which comes second.
  std::string xml = good;
  const std::size_t second = xml.find("<y>", xml.find("<reconSpace>"));
  xml.replace(second + 3, xml.find('<', second + 3) - second - 3, "65548");
  test::write_by_library(path, xml, {readout(16, 2, 0)});
  EXPECT_THAT(refusal(), HasSubstr("reconSpace.matrixSize.y is 65548"));
  std::filesystem::remove(path);

  constexpr const char* limits =
      "<encodingLimits><kspace_encoding_step_1><minimum>0</minimum><maximum>11</maximum>"
      "<center>65542</center></kspace_encoding_step_1></encodingLimits>";
  xml = good;
  const std::size_t start = xml.find("<encodingLimits");
  ASSERT_NE(start, std::string::npos);
  const std::size_t end = xml.compare(xml.find('>', start) - 1, 1, "/") == 0
                              ? xml.find('>', start) + 1
                              : xml.find("</encodingLimits>") + std::string("</encodingLimits>").size();
  xml.replace(start, end - start, limits);
  test::write_by_library(path, xml, {readout(16, 2, 0)});
  // Positions in the file need no limits.
  EXPECT_THAT(read_scan(ctx, path).notes, ::testing::Contains(HasSubstr("kspace_encoding_step_1.center is 65542")));
  std::filesystem::remove(path);

  // Comments are not elements, and blanks, a sign and zeros behind the point are allowed.
  test::write_by_library(path, "<!-- <matrixSize><x>-1</x> -->" + with_text("x", " +16.0 "),
                         {readout(16, 2, 0), readout(16, 2, 0.25F)});
  EXPECT_EQ(read_scan(ctx, path).matrix, (std::array<Index, 3>{16, 12, 1}));
}

TEST_F(BadFile, WrongTypes) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t group = H5Gcreate2(file, "dataset", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t length = 4;
  const hid_t space = H5Screate_simple(1, &length, nullptr);
  const auto numbers = [&](const char* name) {
    H5Dclose(H5Dcreate2(group, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  };
  const auto close = [&] {
    H5Sclose(space);
    H5Gclose(group);
    H5Fclose(file);
  };
  numbers("xml");
  numbers("data");
  close();
  EXPECT_THAT(refusal(), HasSubstr("dataset/data is not a table of ISMRMRD acquisitions"));
}

TEST_F(BadFile, GroupInPlaceOfTheTable) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  for (const char* name : {"dataset", "dataset/xml", "dataset/data"}) {
    H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  H5Fclose(file);
  EXPECT_THAT(refusal(), HasSubstr("dataset/data is not a table"));
}

/// Replaces the table of a good file by one of the given type and length.
void replace_table(const std::filesystem::path& path, hid_t type, hsize_t length) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, "dataset/data", H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &length, nullptr);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk = 1;
  H5Pset_chunk(properties, 1, &chunk);
  H5Dclose(H5Dcreate2(file, "dataset/data", type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  H5Pclose(properties);
  H5Sclose(space);
  H5Fclose(file);
}

/// The type of the table that the library makes.
hid_t library_type(const std::filesystem::path& path) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t table = H5Dopen2(file, "dataset/data", H5P_DEFAULT);
  const hid_t stored = H5Dget_type(table);
  const hid_t type = H5Tcopy(stored);
  H5Tclose(stored);
  H5Dclose(table);
  H5Fclose(file);
  return type;
}

// HDF5 replaces a number that does not fit a type by the nearest one that does.
TEST_F(BadFile, CountersOfAWiderTypeAreNotCut) {
  write_good();
  const hid_t stored = library_type(path);
  const hid_t head = H5Tget_member_type(stored, static_cast<unsigned>(H5Tget_member_index(stored, "head")));
  const hid_t wide = H5Tcreate(H5T_COMPOUND, H5Tget_size(head) + 8);
  for (int i = 0; i < H5Tget_nmembers(head); ++i) {
    const auto member = static_cast<unsigned>(i);
    char* name = H5Tget_member_name(head, member);
    const hid_t type = H5Tget_member_type(head, member);
    const bool samples = std::string(name) == "number_of_samples";
    H5Tinsert(wide, name, samples ? H5Tget_size(head) : H5Tget_member_offset(head, member),
              samples ? H5T_NATIVE_INT32 : type);
    H5Tclose(type);
    H5free_memory(name);
  }
  const hid_t table = H5Tcreate(H5T_COMPOUND, H5Tget_size(wide) + 2 * sizeof(hvl_t));
  const hid_t list = H5Tvlen_create(H5T_NATIVE_FLOAT);
  H5Tinsert(table, "head", 0, wide);
  H5Tinsert(table, "traj", H5Tget_size(wide), list);
  H5Tinsert(table, "data", H5Tget_size(wide) + sizeof(hvl_t), list);
  replace_table(path, table, 1);
  std::vector<unsigned char> row(H5Tget_size(table));
  const std::int32_t samples = 65536 + 16;
  std::memcpy(row.data() + H5Tget_size(head), &samples, sizeof(samples));
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, "dataset/data", H5P_DEFAULT);
  ASSERT_GE(H5Dwrite(dataset, table, H5S_ALL, H5S_ALL, H5P_DEFAULT, row.data()), 0);
  H5Dclose(dataset);
  H5Fclose(file);
  for (const hid_t made : {table, list, wide, head, stored}) H5Tclose(made);
  EXPECT_THAT(refusal(), HasSubstr("outside 0 to 65535"));
}

TEST_F(BadFile, AbsurdNumberOfAcquisitions) {
  write_good();
  const hid_t type = library_type(path);
  replace_table(path, type, hsize_t{1} << 50U);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("claims 1125899906842624 acquisitions"), HasSubstr("bytes can hold")));
  replace_table(path, type, 0);
  EXPECT_THAT(refusal(), HasSubstr("holds no acquisitions"));
  H5Tclose(type);
}

TEST_F(BadFile, TableWithoutTheMembers) {
  write_good();
  const hid_t type = H5Tcreate(H5T_COMPOUND, 8);
  H5Tinsert(type, "headings", 0, H5T_NATIVE_DOUBLE);
  replace_table(path, type, 2);
  EXPECT_THAT(refusal(), HasSubstr("it has no head"));
  H5Tclose(type);
  const hid_t head = H5Tcreate(H5T_COMPOUND, 8);
  H5Tinsert(head, "flags", 0, H5T_NATIVE_DOUBLE);
  const hid_t table = H5Tcreate(H5T_COMPOUND, 8);
  H5Tinsert(table, "head", 0, head);
  replace_table(path, table, 2);
  EXPECT_THAT(refusal(), HasSubstr("head.flags has another type"));
  H5Tclose(table);
  H5Tclose(head);
}

/// Rewrites the table with heads that promise something else than the lists hold.
class Promise : public BadFile {
 protected:
  void write(std::uint16_t samples, std::uint16_t channels, std::uint16_t columns, std::size_t numbers,
             std::size_t trajectory) {
    write_good();
    // Packed as the library's own struct is: the head, then two lists.
    struct Row {
      ISMRMRD::ISMRMRD_AcquisitionHeader head;
      hvl_t traj;
      hvl_t data;
    };
    std::vector<float> zeros(std::max(numbers, trajectory) + 1);
    Row row{};
    row.head.number_of_samples = samples;
    row.head.active_channels = channels;
    row.head.trajectory_dimensions = columns;
    row.traj = {trajectory, zeros.data()};
    row.data = {numbers, zeros.data()};
    const hid_t stored = library_type(path);
    replace_table(path, stored, 1);
    const hid_t head = H5Tget_member_type(stored, 0);
    const hid_t list = H5Tvlen_create(H5T_NATIVE_FLOAT);
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(Row));
    H5Tinsert(type, "head", HOFFSET(Row, head), head);
    H5Tinsert(type, "traj", HOFFSET(Row, traj), list);
    H5Tinsert(type, "data", HOFFSET(Row, data), list);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t table = H5Dopen2(file, "dataset/data", H5P_DEFAULT);
    ASSERT_GE(H5Dwrite(table, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &row), 0);
    for (const hid_t made : {type, list, head, stored}) H5Tclose(made);
    H5Dclose(table);
    H5Fclose(file);
  }
};

TEST_F(Promise, MoreSamplesThanStored) {
  write(16, 2, 2, 62, 32);
  EXPECT_THAT(refusal(), HasSubstr("acquisition 0: its header says 16 samples x 2 channels, but 31 complex"));
}

TEST_F(Promise, OtherTrajectoryThanSamples) {
  write(16, 2, 2, 64, 30);
  EXPECT_THAT(refusal(), HasSubstr("says 16 samples x 2 trajectory columns, but 30 numbers"));
}

TEST_F(Promise, MoreThanTheFileHolds) {
  write(60000, 30000, 2, 64, 32);
  EXPECT_THAT(refusal(), HasSubstr("promise 1440"));
}

TEST_F(BadFile, NumbersThatAreNotFinite) {
  const auto write = [&](const ISMRMRD::Acquisition& acquisition) {
    std::filesystem::remove(path);
    test::write_by_library(path, test::to_xml(test::small_header(16, 12)), {readout(16, 2, 0), acquisition});
  };
  ISMRMRD::Acquisition bad = readout(16, 2, 0);
  bad.data(5, 1) = {0, std::numeric_limits<float>::quiet_NaN()};
  write(bad);
  EXPECT_THAT(refusal(), HasSubstr("acquisition 1: sample 5 of channel 1 is 0 + nani"));
  bad = readout(16, 2, 0);
  bad.traj(1, 7) = std::numeric_limits<float>::infinity();
  write(bad);
  EXPECT_THAT(refusal(), HasSubstr("acquisition 1: trajectory column 2 of sample 7 is inf"));
}

TEST_F(BadFile, InputIsNotTouched) {
  write_good();
  const auto read_all = [&] {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string before = read_all();
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  EXPECT_EQ(read_scan(ctx, path).frames.size(), 1U);
  EXPECT_EQ(read_all(), before);
}

TEST_F(BadFile, FixedLengthHeaderOfOtherWriters) {
  write_good();
  const std::string xml = test::to_xml(test::small_header(16, 12));
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, "dataset/xml", H5P_DEFAULT);
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, xml.size() + 8);
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t dataset = H5Dcreate2(file, "dataset/xml", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  std::string padded = xml + std::string(8, '\0');
  H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data());
  H5Dclose(dataset);
  H5Sclose(space);
  H5Tclose(type);
  H5Fclose(file);
  EXPECT_EQ(read_scan(ctx, path).matrix, (std::array<Index, 3>{16, 12, 1}));
}

// HDF5 1.10 loops without end where the length of an object in the heap of the header is damaged.
TEST_F(BadFile, TheHeapOfTheHeaderIsDamaged) {
  write_good();
  std::ifstream file(path, std::ios::binary);
  const std::string good(std::istreambuf_iterator<char>(file), {});
  const std::size_t text = good.find("<?xml");
  ASSERT_NE(text, std::string::npos);
  // In front of the text: 2 bytes of its number, 2 of references, 4 reserved, 8 of its length.
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    std::string bad = good;
    std::memcpy(&bad[text - 8], &length, sizeof length);
    write_text(bad);
    EXPECT_THAT(refusal(), HasSubstr("the file is damaged")) << length;
  }
}

TEST_F(BadFile, CancelStopsTheReading) {
  write_good();
  ctx.request_cancel();
  EXPECT_THROW(read_scan(ctx, path), Cancelled);
}

}  // namespace
}  // namespace whorl
