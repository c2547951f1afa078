#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <filesystem>

#include "support/file_content.hpp"
#include "support/images.hpp"
#include "support/temporary_folder.hpp"
#include "support/whorl_program.hpp"
#include "whorl/filter/registry.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/npy.hpp"
#include "whorl/io/picture.hpp"

namespace whorl {
namespace {

using test::expect_failure;
using test::expect_success;
using test::largest_difference;
using test::value_at;

class FilterCommand : public testing::Test {
 protected:
  void SetUp() override {
    picture = test::random_image({PixelType::uint8, Channels::rgb, 1, 1, 41, 53}, 5);
    write_picture(ctx, folder / "in.png", picture);
  }

  /// What the options make of a file, "in.png" where no other is named.
  Image filtered(std::vector<std::string> options, const std::string& input = "in.png") {
    options.insert(options.begin(), {"filter", folder / input, folder / "out.png", "-q"});
    EXPECT_EQ(expect_success(options), "");
    return read_picture(ctx, folder / "out.png");
  }

  const Context ctx{{.threads = 2}};
  const test::TemporaryFolder folder;
  Image picture;
};

TEST_F(FilterCommand, OptionsAreThePipelineInTheOrderWritten) {
  const Image as_text = filtered({"gaussian 1.4 3 | unsharp | flip y"});
  const Image as_options = filtered({"--gaussian", "1.4", "3", "--unsharp", "--flip", "axis=y"});
  EXPECT_EQ(largest_difference(as_text, as_options), 0);
  EXPECT_GT(largest_difference(as_text, filtered({"--unsharp", "--gaussian", "1.4", "3", "--flip", "y"})), 0);
  EXPECT_EQ(largest_difference(filtered({"--gaussian-separable", "2", "--gaussian", "1"}),
                               filtered({"gaussian 2 | gaussian 1"})),
            0);
  EXPECT_EQ(largest_difference(filtered({"--custom", "-1,0,1;-2,0,2;-1,0,1"}), filtered({"sobel-x"})), 0);
  EXPECT_EQ(largest_difference(filtered({"--resize", "1.5", "--bicubic-interp", "--mirror", "--gassian", "1"}),
                               filtered({"resize 1.5 method=bicubic | gaussian 1"})),
            0);
  EXPECT_EQ(largest_difference(filtered({"--align", "6", "--subpixel", "3"}), filtered({"align 6 subpixel=3"})), 0);
  EXPECT_EQ(largest_difference(filtered({"--align", "6", "--subpixel", "3", "--bicubic-interp"}),
                               filtered({"align 6 subpixel=3"})),
            0);
  EXPECT_EQ(largest_difference(filtered({"--align", "trim=on"}), filtered({"align trim=yes"})), 0);
  // Without a filter a picture changes its format alone.
  EXPECT_EQ(largest_difference(filtered({}), picture), 0);
}

// Arrays are filtered in float32.
TEST_F(FilterCommand, NumbersThatFitNoFloatAreRefused) {
  Array<double> values(ctx, {5, 7});
  fill<double>(values, 1);
  for (const double far : {1e200, -1e39}) {
    values.data()[3] = far;
    write_npy<double>(ctx, folder / "far.npy", values);
    expect_failure({"filter", folder / "far.npy", folder / "out.npy", "gaussian 1"}, 1,
                   "far.npy: its largest number is 1e+");
  }
  // Each fits, and what filters make of them does not.
  fill<double>(values, 3e38);
  write_npy<double>(ctx, folder / "far.npy", values);
  expect_failure({"filter", folder / "far.npy", folder / "out.npy", "--custom", "2"}, 1,
                 "whose powers leave the range of float32");
  EXPECT_FALSE(std::filesystem::exists(folder / "out.npy"));
}

TEST_F(FilterCommand, SaysWhatWasMade) {
  EXPECT_EQ(expect_success({"filter", folder / "in.png", folder / "out.bmp", "resize 2 | gray"}),
            std::string(folder / "in.png") + ": 53 x 41 RGB uint8\nwrote " + std::string(folder / "out.bmp") +
                ": 106 x 82 gray uint8\n");
}

TEST_F(FilterCommand, TheOutputMayBeNamedAsInOtherCommands) {
  expect_success({"filter", folder / "in.png", folder / "by_place.png", "resize 2 | gray"});
  expect_success({"filter", folder / "in.png", "-o", folder / "named.png", "resize 2 | gray"});
  expect_success({"filter", folder / "in.png", "-o", folder / "options.png", "--resize", "2", "--gray"});
  const std::string expected = test::read_file(folder / "by_place.png");
  EXPECT_EQ(test::read_file(folder / "named.png"), expected);
  EXPECT_EQ(test::read_file(folder / "options.png"), expected);
}

TEST_F(FilterCommand, RefusesInOneLineAndLeavesNoFile) {
  const std::string in = folder / "in.png";
  const std::string out = folder / "out.png";
  expect_failure({"filter", in, out, "blur 2"}, 2, "no filter is called 'blur' (did you mean gaussian: whorl filter ");
  expect_failure({"filter", in, "-o", out, "gaussian 1", "median 1"}, 2, "--output and as 'gaussian 1'");
  expect_failure({"filter", in, "-o", folder / "out.jpg", "gaussian 1"}, 2, "--output: ");
  expect_failure({"filter", in, out, "gaussian 0"}, 2, "gaussian: sigma is 0, expected a number, 0.1 to 100 pixels");
  expect_failure({"filter", in, out, "--gaussian", "two"}, 2, "gaussian: sigma is 'two'");
  expect_failure({"filter", in, out, "gaussian 1 border-value=3"}, 2,
                 "gaussian: border-value applies only with border=constant");
  expect_failure({"filter", in, out, "--resize", "0.5", "method=area", "sharpness=-1"}, 2,
                 "resize: sharpness applies only with method=bicubic");
  expect_failure({"filter", in, out, "nlm 3 sigma=2"}, 2, "sigma applies only with rician or no strength");
  expect_failure({"filter", in, out, "canny sigma=0 radius=2"}, 2, "canny: radius applies only with sigma above 0");
  expect_failure({"filter", in, out, "flip", "--flat"}, 2, "--flat applies only with arrays");
  expect_failure({"filter", "--list", in}, 2, "excludes --list");
  expect_failure({"filter", in, out, "gaussian |"}, 2, "no filter on one side of a bar");
  expect_failure({"filter", in, out, "flip", "--flip"}, 2, "expected one way");
  expect_failure({"filter", in, out, "imaginary"}, 1, "imaginary");
  expect_failure({"filter", in, in, "flip"}, 2, "in.png");
  expect_failure({"filter", in}, 2, "a file to read and a file to write");
  expect_failure({"filter", in, folder / "out.xyz", "flip"}, 2, "out.xyz");
  expect_failure({"filter", in, folder / "out.bmp", "convert uint16"}, 1, "convert it to uint8 first");
  expect_failure({"filter", folder / "none.png", out, "flip"}, 1, "none.png");
  expect_failure({"filter", "--about", "gausian"}, 2, "did you mean gaussian");
  test::write_file(folder / "short.png", test::read_file(folder / "in.png").substr(0, 900));
  expect_failure({"filter", folder / "short.png", out, "flip"}, 1, "short.png");
  expect_failure({"filter", in, out, "--flip", "--subpixel"}, 2, "expected --align before it");
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_FALSE(std::filesystem::exists(folder / "out.bmp"));
}

TEST_F(FilterCommand, PicturesLargerThanMemoryPassInBands) {
  const Image large = test::random_image({PixelType::uint8, Channels::rgb, 1, 1, 1500, 700}, 6);
  write_picture(ctx, folder / "large.ppm", large);
  const std::vector<std::string> options{"gaussian 2 | autocontrast 0.01 | resize 0.5 method=area"};
  const Image whole = filtered(options, "large.ppm");
  // A third of the picture.
  const Image in_bands = filtered({options[0], "--max-memory", "1MB"}, "large.ppm");
  EXPECT_EQ(largest_difference(whole, in_bands), 0);
  expect_failure({"filter", folder / "large.ppm", folder / "out.png", "gray | canny", "--max-memory", "1MB"}, 1,
                 "canny");
}

TEST_F(FilterCommand, ArraysKeepTheirAxesAndPlaces) {
  Array<std::complex<float>> coils(ctx, {2, 3, 5, 7});
  for (Index i = 0; i < coils.size(); ++i) coils.data()[i] = {static_cast<float>(i), -2 * static_cast<float>(i)};
  write_npy<std::complex<float>>(ctx, folder / "coils.npy", coils);
  expect_success({"filter", folder / "coils.npy", folder / "flipped.npy", "flip y"});
  const NamedArray flipped = read_array(ctx, folder / "flipped.npy");
  ASSERT_EQ(shape_of(flipped.values), coils.shape());
  const auto& values = std::get<Array<std::complex<float>>>(flipped.values);
  EXPECT_EQ(values.data()[0], coils.data()[4 * 7]);
  expect_success({"filter", folder / "coils.npy", folder / "one.npy", "root-sum-of-squares"});
  EXPECT_EQ(shape_of(read_array(ctx, folder / "one.npy").values), (Shape{3, 5, 7}));

  Affine affine;
  affine.matrix[0][3] = 12.5;
  Array<float> volume(ctx, {3, 5, 7});
  for (Index i = 0; i < volume.size(); ++i) volume.data()[i] = static_cast<float>(i);
  write_array(ctx, folder / "volume.nii.gz", {"volume", clone(ctx, volume.ref()), affine});
  expect_success({"filter", folder / "volume.nii.gz", folder / "smooth.nii.gz", "gaussian 1 dims=3d"});
  const NamedArray smooth = read_array(ctx, folder / "smooth.nii.gz");
  EXPECT_EQ(shape_of(smooth.values), volume.shape());
  EXPECT_EQ(smooth.affine.value_or(Affine{}).matrix[0][3], 12.5);
  expect_failure({"filter", folder / "volume.nii.gz", folder / "slice.png", "window 0 104 | convert uint8"}, 1,
                 "a picture is one slice");
}

TEST_F(FilterCommand, ExplainsItself) {
  const std::string list = expect_success({"filter", "--list"});
  const std::string reference = expect_success({"filter", "--reference"});
  for (const FilterDescriptor& filter : FilterRegistry::global().filters()) {
    EXPECT_NE(list.find("\n" + filter.name + " ") != std::string::npos || list.starts_with(filter.name), false);
    EXPECT_NE(reference.find("### " + filter.name + "\n"), std::string::npos) << filter.name;
  }
  EXPECT_NE(expect_success({"filter", "--about", "gaussian-separable"}).find("sigma"), std::string::npos);
  // The pages of the reference are made of this one, a section for each filter: whorl filter --reference.
  const std::string folder_of_pages = std::string(WHORL_SOURCE_FOLDER) + "/docs/reference/filters";
  const std::string pages = test::read_file(folder_of_pages + ".md") + test::read_file(folder_of_pages + "-shape.md");
  for (std::size_t begin = reference.find("### "); begin != std::string::npos;) {
    const std::size_t end = reference.find("\n### ", begin);
    // Headings of the pages are one level above those of the reference.
    std::string section = reference.substr(begin + 1, end == std::string::npos ? end : end - begin - 1);
    section.erase(section.find_last_not_of('\n') + 1);
    EXPECT_NE(pages.find("\n" + section), std::string::npos) << section;
    begin = end == std::string::npos ? end : end + 1;
  }
}

// What other authors' programs made of the same pictures.
class OtherAuthors : public FilterCommand {
 protected:
  void SetUp() override {
    const char* data = std::getenv("WHORL_TEST_DATA");
    if (data == nullptr) GTEST_SKIP() << "WHORL_TEST_DATA is not set: no pictures of other authors";
    images = std::string(data) + "/images/";
  }

  Image made(const std::string& input, std::vector<std::string> options) {
    options.insert(options.begin(), {"filter", images + input, folder / "out.bmp", "-q"});
    expect_success(options);
    return read_picture(ctx, folder / "out.bmp");
  }

  std::string images;
};

TEST_F(OtherAuthors, PlatesAlignedAndFiltered) {
  const std::string plates = "prokudin/00908u";
  for (const char* option : {"gray-world", "autocontrast"}) {
    const std::string reference = option == std::string("autocontrast") ? "autocontrast_0" : option;
    const Image expected = read_picture(ctx, images + plates + "_ref_align_" + reference + ".bmp");
    EXPECT_EQ(largest_difference(made(plates + "_in.bmp", {"--align", std::string("--") + option}), expected), 0)
        << option;
  }
  // Theirs is summed in another order and truncated, and leaves the border black: within 1 inside.
  const Image expected = read_picture(ctx, images + plates + "_ref_align_unsharp.bmp");
  const Image found = made(plates + "_in.bmp", {"--align", "--unsharp"});
  ASSERT_EQ(found.format(), expected.format());
  double largest = 0;
  for (Index y = 1; y + 1 < found.format().height; ++y) {
    for (Index x = 1; x + 1 < found.format().width; ++x) {
      for (Index c = 0; c < 3; ++c) {
        largest = std::max(largest, std::abs(value_at(found, 0, y, x, c) - value_at(expected, 0, y, x, c)));
      }
    }
  }
  EXPECT_LE(largest, 1);
}

// Pillow's kernels run from the bottom row to the top; the border is a copy of the input there.
TEST_F(OtherAuthors, Emboss) {
  const Image expected = read_picture(ctx, images + "hopper_emboss.bmp");
  const Image found = made("hopper.bmp", {"--custom", "0,1,1;-1,0,1;-1,-1,0", "divisor=0.3"});
  ASSERT_EQ(found.format(), expected.format());
  for (Index y = 1; y + 1 < found.format().height; ++y) {
    for (Index x = 1; x + 1 < found.format().width; ++x) {
      for (Index c = 0; c < 3; ++c) {
        ASSERT_EQ(value_at(found, 0, y, x, c), value_at(expected, 0, y, x, c)) << y << " " << x << " " << c;
      }
    }
  }
}

}  // namespace
}  // namespace whorl
