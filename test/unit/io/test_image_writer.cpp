#include <gtest/gtest.h>
#include <nifti1_io.h>

#include <limits>
#include <memory>

#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/random.hpp"
#include "whorl/io/image_series_writer.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/io/npy.hpp"

namespace whorl {
namespace {

using test::error_of;
using test::TemporaryFolder;
using Complex = std::complex<float>;
using Image = std::unique_ptr<nifti_image, decltype(&nifti_image_free)>;

Image read_back(const std::filesystem::path& path) { return {nifti_image_read(path.c_str(), 1), nifti_image_free}; }

std::vector<ImageFrame> axial_frames(const std::vector<double>& positions) {
  std::vector<ImageFrame> frames(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    frames[i].geometry.field_of_view_mm = {40, 30, 5};
    frames[i].geometry.position_mm = {0, 0, positions[i]};
  }
  return frames;
}

// Every voxel of frame i holds (i + 1) (3 + 4i), of magnitude 5 (i + 1).
Array<Complex> numbered_images(const Context& ctx, const Shape& shape) {
  Array<Complex> images(ctx, shape);
  for (Index i = 0; i < shape[0]; ++i) fill<Complex>(images.slice(i), static_cast<float>(i + 1) * Complex(3, 4));
  return images;
}

TEST(ImageWriter, SlicesBecomeVolumes) {
  const Context ctx;
  const TemporaryFolder folder;
  const auto images = numbered_images(ctx, {4, 1, 3, 2});
  const auto frames = axial_frames({6, 0, 6, 0});  // two slices, the upper one first, two times
  const WrittenImages written = write_image(ctx, folder / "image.nii.gz", images, frames);
  EXPECT_EQ(written.files, (std::vector<std::filesystem::path>{folder / "image.nii.gz"}));
  EXPECT_TRUE(written.note.empty());
  const Image image = read_back(folder / "image.nii.gz");
  ASSERT_NE(image, nullptr);
  EXPECT_EQ((std::array{image->nx, image->ny, image->nz, image->nt}), (std::array{2, 3, 2, 2}));
  EXPECT_EQ(image->dz, 6);
  const auto* values = static_cast<const float*>(image->data);
  EXPECT_EQ((std::array{values[0], values[6], values[12], values[18]}), (std::array{10.F, 5.F, 20.F, 15.F}));
  EXPECT_EQ(image->sto_xyz.m[2][3], 0);  // voxel k = 0 is the slice at 0 mm
}

TEST(ImageWriter, ImagesThatAreNotFiniteAreNotWritten) {
  const Context ctx;
  const TemporaryFolder folder;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  // The last one has two finite parts, and a magnitude that is not.
  for (const Complex bad : {Complex(infinity, 0), Complex(0, nan), Complex(3e38F, 3e38F)}) {
    auto images = numbered_images(ctx, {1, 1, 3, 2});
    images.data()[4] = bad;
    for (const char* name : {"image.nii", "image.nii.gz", "image.npy", "image.h5", "image.png"}) {
      const std::string message =
          error_of<ValueError>([&] { write_image(ctx, folder / name, images, axial_frames({0})); });
      EXPECT_NE(message.find("pixel 4 of 6 is not finite"), std::string::npos) << message;
    }
  }
  EXPECT_EQ(folder.entries(), 0);
}

TEST(ImageWriter, FramesWithoutAStackGetAFileEach) {
  const Context ctx;
  const TemporaryFolder folder;
  const auto images = numbered_images(ctx, {3, 1, 3, 2});
  const WrittenImages written =
      write_image(ctx, folder / "image.nii", images, axial_frames({0, 5, 20}), {.part = ImagePart::complex, .png = {}});
  EXPECT_EQ(written.files, (std::vector<std::filesystem::path>{folder / "image_1.nii", folder / "image_2.nii",
                                                               folder / "image_3.nii"}));
  EXPECT_NE(written.note.find("distances"), std::string::npos);
  const Image image = read_back(folder / "image_3.nii");
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(static_cast<const Complex*>(image->data)[0], Complex(9, 12));
  EXPECT_EQ(image->sto_xyz.m[2][3], 20);
}

// In any order, added or left to the end, compressed or not, in one file or several.
TEST(ImageWriter, StreamedImagesAreTheFilesThatAreWrittenAtOnce) {
  const Context ctx{{.threads = 2}};
  const TemporaryFolder folder;
  Array<Complex> images(ctx, {4, 1, 150, 140});  // more than the part of an image that a thread converts at once
  fill_random_normal<float>(images, 3);
  for (const std::vector<double>& places : {std::vector<double>{6, 0, 6, 0}, std::vector<double>{0, 5, 20, 0}}) {
    const auto frames = axial_frames(places);
    for (const ImagePart what : {ImagePart::magnitude, ImagePart::complex}) {
      for (const char* name : {"image.nii", "image.nii.gz"}) {
        const ImageOptions options{.part = what, .png = {}};
        const WrittenImages at_once = write_image(ctx, folder / name, images, frames, options);
        std::vector<std::string> expected;
        for (const auto& file : at_once.files) {
          expected.push_back(test::read_file(file));
          std::filesystem::remove(file);
        }
        ImageSeriesWriter stream(ctx, folder / name, images.shape(), frames, options);
        for (const Index frame : {2, 0, 3}) stream.add(frame, images.slice(frame));
        const WrittenImages streamed = stream.finish(ctx, images);
        EXPECT_EQ(streamed.files, at_once.files);
        EXPECT_EQ(streamed.note, at_once.note);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          EXPECT_EQ(test::read_file(streamed.files[i]), expected[i]) << streamed.files[i];
        }
      }
    }
  }
}

TEST(ImageWriter, AStreamThatFailsOrIsLeftWritesNothing) {
  const Context ctx;
  const TemporaryFolder folder;
  auto images = numbered_images(ctx, {3, 1, 3, 2});
  const auto frames = axial_frames({0, 5, 10});
  {
    ImageSeriesWriter left(ctx, folder / "image.nii.gz", images.shape(), frames);
    left.add(0, images.slice(0));
  }
  images.data()[8] = Complex(0, std::numeric_limits<float>::quiet_NaN());
  {
    ImageSeriesWriter stream(ctx, folder / "image.nii", images.shape(), frames);
    for (Index frame = 0; frame < 3; ++frame) stream.add(frame, images.slice(frame));
    const std::string message = error_of<ValueError>([&] { stream.finish(ctx, images); });
    EXPECT_NE(message.find("pixel 8 of 18 is not finite"), std::string::npos) << message;
  }
  EXPECT_EQ(folder.entries(), 0);
}

TEST(ImageWriter, NpyHoldsEitherPart) {
  const Context ctx;
  const TemporaryFolder folder;
  const auto images = numbered_images(ctx, {2, 1, 3, 2});
  const auto frames = axial_frames({0, 0});
  write_image(ctx, folder / "image.npy", images, frames);
  const auto magnitudes = read_npy<float>(ctx, folder / "image.npy");
  EXPECT_EQ(magnitudes.shape(), images.shape());
  EXPECT_EQ(magnitudes.span()[11], 10);
  write_image(ctx, folder / "image.npy", images, frames, {.part = ImagePart::complex, .png = {}});
  EXPECT_EQ(read_npy<Complex>(ctx, folder / "image.npy").data()[11], Complex(6, 8));
}

TEST(ImageWriter, IsmrmrdIsWritten) {
  const Context ctx;
  const TemporaryFolder folder;
  write_image(ctx, folder / "image.h5", numbered_images(ctx, {2, 1, 3, 2}), axial_frames({0, 0}));
  EXPECT_EQ(test::read_file(folder / "image.h5").substr(0, 4), "\x89HDF");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(ImageWriter, PngIsWritten) {
  const Context ctx;
  const TemporaryFolder folder;
  const WrittenImages written =
      write_image(ctx, folder / "image.png", numbered_images(ctx, {2, 1, 3, 2}), axial_frames({0, 0}));
  EXPECT_EQ(written.files.size(), 1U);
  EXPECT_EQ(test::read_file(folder / "image.png").substr(1, 3), "PNG");
}

TEST(ImageWriter, TheFilesAreKnownBeforehand) {
  const Context ctx;
  const TemporaryFolder folder;
  for (const std::string name : {"image.nii", "image.nii.gz", "image.npy", "image.png", "image.h5"}) {
    for (const std::vector<double>& places : {std::vector<double>{0, 5, 10}, std::vector<double>{0, 5, 20}}) {
      const auto frames = axial_frames(places);
      const auto images = numbered_images(ctx, {3, 1, 3, 2});
      const auto files = check_image_path(folder / name, images.shape(), frames);
      EXPECT_EQ(files, write_image(ctx, folder / name, images, frames).files) << name;
    }
  }
}

TEST(ImageWriter, WhatWouldFailIsRefusedBeforehand) {
  const Context ctx;
  const TemporaryFolder folder;
  const Shape shape{2, 1, 3, 2};
  auto frames = axial_frames({0, 4});
  const auto refuse = [&](const std::string& name, const ImageOptions& options = {}) {
    check_image_path(folder / name, shape, frames, options);
  };
  EXPECT_NO_THROW(refuse("image.nii.gz"));
  EXPECT_NO_THROW(refuse("image.npy", {.part = ImagePart::complex, .png = {}}));
  EXPECT_NO_THROW(refuse("image.png"));
  EXPECT_NE(error_of<ValueError>([&] { refuse("image.jpg"); }).find(".nii, .nii.gz, .dcm, .npy, .h5, .png"),
            std::string::npos);
  EXPECT_THROW(refuse(".png"), ValueError);
  EXPECT_THROW(refuse("image.png", {.part = ImagePart::magnitude, .png = {.low = 5, .high = 1, .tiles = {}}}),
               ValueError);
  EXPECT_THROW(refuse("image.png", {.part = ImagePart::complex, .png = {}}), ValueError);
  EXPECT_THROW(refuse("missing/image.npy"), IoError);
  EXPECT_THROW(check_image_path(folder / "image.npy", {3, 3, 2}, frames), ShapeError);
  EXPECT_THROW(check_image_path(folder / "image.npy", {3, 1, 3, 2}, frames), ShapeError);
  frames[0].geometry.read_direction = {0, 0, 0};
  frames[1].geometry.read_direction = {0, 0, 0};
  EXPECT_THROW(refuse("image.nii"), ValueError);
  EXPECT_THROW(write_image(ctx, folder / "image.nii", numbered_images(ctx, shape), frames), ValueError);
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
}  // namespace whorl
