// DICOM: the elements of the files, taken apart by the rules of PS3.5 and PS3.10. In python/tests pydicom and DCMTK read
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>

#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/dicom.hpp"
#include "whorl/io/image_writer.hpp"

namespace whorl {
namespace {

using test::error_of;
using test::read_file;
using test::TemporaryFolder;

std::uint64_t number_at(const std::string& bytes, std::size_t at, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = count; i-- > 0;) number = 256 * number + static_cast<unsigned char>(bytes.at(at + i));
  return number;
}

/// The values of all elements; their tags have to ascend.
std::map<std::uint32_t, std::string> elements_of(const std::string& bytes) {
  EXPECT_EQ(bytes.substr(128, 4), "DICM");
  std::map<std::uint32_t, std::string> elements;
  std::uint32_t before = 0;
  for (std::size_t at = 132; at < bytes.size();) {
    const auto tag = static_cast<std::uint32_t>(number_at(bytes, at, 2) << 16 | number_at(bytes, at + 2, 2));
    EXPECT_GE(tag, before);
    before = tag;
    const std::string representation = bytes.substr(at + 4, 2);
    const bool is_long = representation == "OB" || representation == "OW";
    const std::uint64_t length = is_long ? number_at(bytes, at + 8, 4) : number_at(bytes, at + 6, 2);
    EXPECT_EQ(length % 2, 0) << std::hex << tag;
    at += is_long ? 12 : 8;
    elements[tag] = bytes.substr(at, length);
    at += length;
  }
  return elements;
}

std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, '\\');) numbers.push_back(std::stod(part));
  return numbers;
}

struct Example {
  Array<float> images;
  std::vector<ImageFrame> frames;
};

// Two echoes of a volume of 3 x 4 x 5 voxels of 2 x 1.5 x 3 mm: x along the patient's z, y along -x, z along -y.
Example example(const Context& ctx) {
  Example made{Array<float>(ctx, {2, 3, 4, 5}), std::vector<ImageFrame>(2)};
  for (Index i = 0; i < made.images.size(); ++i) made.images.data()[i] = 1e-3F * static_cast<float>(i * i);
  for (int echo = 0; echo < 2; ++echo) {
    made.frames[static_cast<std::size_t>(echo)] = {{.contrast = echo},
                                                   {{10, 6, 9}, {100, -20, 7}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}}};
  }
  return made;
}

TEST(Dicom, FilesHaveTheImage) {
  const Context ctx;
  const TemporaryFolder folder;
  const Example made = example(ctx);
  MeasurementFacts facts;
  facts.manufacturer = "Vendor\\of\nscanners";
  facts.field_strength_t = 2.89362;
  facts.echo_times_ms = {3.2, 7.9};
  const auto files = write_dicom(ctx, folder / "image.dcm", made.images, made.frames, facts);
  ASSERT_EQ(files.size(), 6);
  EXPECT_EQ(files[4].filename(), "image_005.dcm");
  // One file has the name that was given.
  const Array<float> one = clone(ctx, made.images.slice(0).slice(0));
  const auto alone =
      write_dicom(ctx, folder / "one.dcm", one.ref().reshape({1, 1, 4, 5}), std::span(made.frames).first(1), facts);
  EXPECT_EQ(alone, std::vector<std::filesystem::path>{folder / "one.dcm"});
  EXPECT_TRUE(std::filesystem::exists(folder / "one.dcm"));
  const auto first = elements_of(read_file(files[0]));
  const auto fifth = elements_of(read_file(files[4]));
  // The length of the meta information is that of what follows it: up to the first element of the data set.
  std::size_t meta = 0;
  for (const auto& [tag, value] : first) {
    if (tag > 0x00020000 && tag < 0x00080000) meta += value.size() + (tag == 0x00020001 ? 12 : 8);
  }
  EXPECT_EQ(number_at(first.at(0x00020000), 0, 4), meta);
  EXPECT_EQ(first.at(0x00020010), std::string("1.2.840.10008.1.2.1\0", 20));
  EXPECT_EQ(first.at(0x00080070), "Vendor of scanners");
  EXPECT_EQ(number_at(first.at(0x00280010), 0, 2), 4);
  EXPECT_EQ(number_at(first.at(0x00280011), 0, 2), 5);
  EXPECT_EQ(numbers_of(first.at(0x00180081)), std::vector<double>{3.2});
  EXPECT_EQ(numbers_of(fifth.at(0x00180081)), std::vector<double>{7.9});
  EXPECT_EQ(numbers_of(first.at(0x00180087)), std::vector<double>{2.89362});
  EXPECT_EQ(numbers_of(first.at(0x00280030)), (std::vector<double>{1.5, 2}));
  EXPECT_EQ(numbers_of(first.at(0x00180050)), std::vector<double>{3});
  EXPECT_EQ(numbers_of(fifth.at(0x00200037)), (std::vector<double>{0, 0, 1, -1, 0, 0}));
  // Voxel (2, 2, 1) lies at (100, -20, 7). The fifth file is slice 1 of echo 1, its corner two voxels before both ways.
  EXPECT_EQ(numbers_of(fifth.at(0x00200032)), (std::vector<double>{100 + 2 * 1.5, -20, 7 - 2 * 2}));
  EXPECT_EQ(numbers_of(first.at(0x00200032)), (std::vector<double>{103, -17, 3}));
  const double slope = numbers_of(fifth.at(0x00281053)).front();
  ASSERT_EQ(fifth.at(0x7FE00010).size(), 40);
  for (Index i = 0; i < 20; ++i) {
    const auto stored = static_cast<double>(number_at(fifth.at(0x7FE00010), static_cast<std::size_t>(2 * i), 2));
    EXPECT_NEAR(stored * slope, made.images.data()[80 + i], 0.5001 * slope);
  }
  EXPECT_NEAR(slope * 65535, made.images.data()[119], 1e-9);
  EXPECT_EQ(first.at(0x0020000E), fifth.at(0x0020000E));
  EXPECT_NE(first.at(0x00080018), fifth.at(0x00080018));
  // Equal images become equal files.
  const auto again = write_dicom(ctx, folder / "again.dcm", made.images, made.frames, facts);
  EXPECT_EQ(read_file(again[4]), read_file(files[4]));
}

TEST(Dicom, OnlyMagnitudesWithASizeAreWritten) {
  const Context ctx;
  const TemporaryFolder folder;
  Example made = example(ctx);
  made.images.data()[7] = -1;
  EXPECT_NE(error_of<ValueError>([&] { write_dicom(ctx, folder / "a.dcm", made.images, made.frames); }).find("-1"),
            std::string::npos);
  made.frames[1].geometry.field_of_view_mm[0] = 0;
  EXPECT_NE(error_of<ValueError>([&] { check_dicom(made.images.shape(), made.frames); }).find("pixels have no size"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Dicom, ImagesAreWrittenByTheExtension) {
  const Context ctx;
  const TemporaryFolder folder;
  const Example made = example(ctx);
  Array<std::complex<float>> images(ctx, made.images.shape());
  for (Index i = 0; i < images.size(); ++i) images.data()[i] = {0, -made.images.data()[i]};
  const auto planned = check_image_path(folder / "a.dcm", images.shape(), made.frames);
  const WrittenImages written = write_image(ctx, folder / "a.dcm", images, made.frames);
  EXPECT_EQ(written.files, planned);
  EXPECT_EQ(written.files.size(), 6);
  EXPECT_EQ(elements_of(read_file(written.files[2])).at(0x7FE00010).size(), 40);
  ImageOptions complex;
  complex.part = ImagePart::complex;
  EXPECT_THROW(write_image(ctx, folder / "b.dcm", images, made.frames, complex), ValueError);
}

TEST(BidsSidecar, LiesBesideTheImage) {
  const Context ctx;
  const TemporaryFolder folder;
  const Example made = example(ctx);
  Array<std::complex<float>> images(ctx, made.images.shape());
  std::fill(images.span().begin(), images.span().end(), 1.0F);
  ImageOptions options;
  options.bids_sidecar = true;
  options.facts.echo_times_ms = {3.2, 7.9};
  options.facts.repetition_times_ms = {25.5};
  options.facts.flip_angles_degrees = {15};
  options.facts.manufacturer = "Vendor";
  const auto planned = check_image_path(folder / "a.nii.gz", images.shape(), made.frames, options);
  const WrittenImages written = write_image(ctx, folder / "a.nii.gz", images, made.frames, options);
  EXPECT_EQ(written.files, planned);
  ASSERT_EQ(written.files.size(), 2);
  EXPECT_EQ(written.files[1].filename(), "a.json");
  EXPECT_EQ(read_file(written.files[1]),
            "{\n  \"Manufacturer\": \"Vendor\",\n  \"EchoTime\": [\n    0.0032,\n    0.0079\n  ],\n"
            "  \"RepetitionTimeExcitation\": 0.0255,\n  \"FlipAngle\": 15.0,\n  \"MRAcquisitionType\": \"3D\"\n}\n");
}

}  // namespace
}  // namespace whorl
