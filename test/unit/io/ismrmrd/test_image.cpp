#include <ismrmrd/meta.h>

#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using test::cfloat;
using test::message_of;
using ::testing::HasSubstr;

class IsmrmrdImage : public test::FolderTest {};

TEST_F(IsmrmrdImage, TheLibraryReadsThemBack) {
  Array<cfloat> images(ctx, {2, 3, 5, 7});
  for (Index i = 0; i < images.size(); ++i) images.data()[i] = test::sample_value(1, 0, i);
  std::vector<ImageFrame> frames(2);
  frames[1].index = {4, 1, 2, 3, 5};
  frames[1].geometry.field_of_view_mm = {70, 50, 9};
  frames[1].geometry.position_mm = {1, -2, 3};
  frames[1].geometry.read_direction = {0, 1, 0};
  frames[1].geometry.phase_direction = {0, 0, 1};
  frames[1].geometry.slice_direction = {1, 0, 0};
  write_ismrmrd_image(ctx, images, frames, folder / "image.h5");
  EXPECT_EQ(files_in_folder(), 1U);

  ISMRMRD::Dataset dataset((folder / "image.h5").c_str(), "dataset", false);
  ASSERT_EQ(dataset.getNumberOfImages("image_0"), 2U);
  ISMRMRD::Image<cfloat> image;
  dataset.readImage("image_0", 1, image);
  EXPECT_EQ(image.getMatrixSizeX(), 7);
  EXPECT_EQ(image.getMatrixSizeY(), 5);
  EXPECT_EQ(image.getMatrixSizeZ(), 3);
  EXPECT_EQ(image(6, 4, 2), test::sample_value(1, 0, 209));
  EXPECT_EQ(image(1, 0, 0), test::sample_value(1, 0, 106));
  EXPECT_EQ(image.getFieldOfViewX(), 70);
  EXPECT_EQ(image.getFieldOfViewZ(), 9);
  EXPECT_EQ(image.getPositionY(), -2);
  EXPECT_EQ(image.getReadDirectionY(), 1);
  EXPECT_EQ(image.getPhaseDirectionZ(), 1);
  EXPECT_EQ(image.getSliceDirectionX(), 1);
  EXPECT_EQ(image.getSlice(), 4);
  EXPECT_EQ(image.getContrast(), 1);
  EXPECT_EQ(image.getPhase(), 2);
  EXPECT_EQ(image.getRepetition(), 3);
  EXPECT_EQ(image.getSet(), 5);
  EXPECT_EQ(image.getImageType(), ISMRMRD::ISMRMRD_IMTYPE_COMPLEX);
  EXPECT_EQ(image.getImageIndex(), 2);
  ISMRMRD::MetaContainer meta;
  ISMRMRD::deserialize(image.getAttributeString(), meta);
  EXPECT_STREQ(meta.as_str("ImageProcessingHistory"), "whorl");
}

TEST_F(IsmrmrdImage, ShapesAreChecked) {
  const std::vector<ImageFrame> frames(2);
  const auto refused = [&](const Shape& shape) {
    const Array<cfloat> images = zeros<cfloat>(ctx, shape);
    return message_of<ShapeError>([&] { write_ismrmrd_image(ctx, images, frames, folder / "image.h5"); });
  };
  EXPECT_THAT(refused({2, 5, 7}), HasSubstr("expected [2 frames, z, y, x]"));
  EXPECT_THAT(refused({3, 1, 5, 7}), HasSubstr("[3, 1, 5, 7]"));
  EXPECT_THAT(refused({2, 0, 5, 7}), HasSubstr("more than none"));
  EXPECT_THAT(refused({2, 1, 1, 70000}), HasSubstr("65535"));
  std::vector<ImageFrame> late(2);
  late[1].index.repetition = 65536;  // 0 in 16 bits
  const Array<cfloat> images = zeros<cfloat>(ctx, {2, 1, 5, 7});
  EXPECT_THAT(message_of<ValueError>([&] { write_ismrmrd_image(ctx, images, late, folder / "image.h5"); }),
              HasSubstr("counters from 0 to 65535, got 65536"));
  EXPECT_EQ(files_in_folder(), 0U);
}

}  // namespace
}  // namespace whorl
