#include "whorl/io/reference_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "support/temporary_folder.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/nifti.hpp"

namespace whorl {
namespace {

TEST(ReadReference, MagnitudesOfAFile) {
  const Context ctx;
  const Geometry box{.field_of_view_mm = {20, 24, 9}};
  const test::TemporaryFolder folder;
  Array<std::complex<float>> image(ctx, {2, 3, 4});
  fill<std::complex<float>>(image, {3, -4});
  write_nifti<std::complex<float>>(ctx, folder / "complex.nii.gz", image, box);
  const ReferenceImage reference = read_reference(ctx, folder / "complex.nii.gz");
  ASSERT_EQ(reference.values.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(reference.values.data()[23], 5);
  EXPECT_TRUE(reference.affine.in_scanner);
  EXPECT_EQ(reference.source, (folder / "complex.nii.gz").string());

  Array<float> real(ctx, {3, 4});
  fill<float>(real, -2);
  write_nifti<float>(ctx, folder / "real.nii", real, box);
  EXPECT_EQ(read_reference(ctx, folder / "real.nii").values.data()[0], -2);
  real.data()[5] = std::nanf("");
  write_nifti<float>(ctx, folder / "nan.nii", real, box);
  EXPECT_THROW(read_reference(ctx, folder / "nan.nii"), ValueError);
  write_nifti<float>(ctx, folder / "series.nii", zeros<float>(ctx, {2, 2, 3, 4}), box);
  EXPECT_THROW(read_reference(ctx, folder / "series.nii"), ShapeError);
}

// Off-resonance keeps its sign where a program wrote it as complex numbers.
TEST(ReadReference, MapsHaveASign) {
  const Context ctx;
  const Geometry box{.field_of_view_mm = {20, 24, 9}};
  const test::TemporaryFolder folder;
  Array<std::complex<float>> image(ctx, {2, 3, 4});
  for (Index i = 0; i < image.size(); ++i) image.data()[i] = {static_cast<float>(10 * i - 115), 1e-4F};
  write_nifti<std::complex<float>>(ctx, folder / "map.nii", image, box);
  const ReferenceImage map = read_map(ctx, folder / "map.nii");
  ASSERT_EQ(map.values.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(map.values.data()[0], -115);
  EXPECT_EQ(map.values.data()[23], 115);
  image.data()[7] = {0, -0.1F};  // 1e-5 of 115 is 1.15e-3
  write_nifti<std::complex<float>>(ctx, folder / "map.nii", image, box);
  EXPECT_THROW(read_map(ctx, folder / "map.nii"), ValueError);
}

TEST(ReadReference, EveryFormatOfArrays) {
  const Context ctx;
  const test::TemporaryFolder folder;
  Array<float> field(ctx, {2, 3, 4});
  for (Index i = 0; i < field.size(); ++i) field.data()[i] = static_cast<float>(i) - 10;
  const Affine place = voxel_affine({.field_of_view_mm = {20, 24, 9}}, {4, 3, 2});
  for (const char* name : {"f.npy", "f.npz", "f.cfl", "f.h5", "f.nii", "f.nii.gz"}) {
    write_array(ctx, folder / name, {"field", clone(ctx, field.ref()), place});
    const ReferenceImage reference = read_map(ctx, folder / name);
    ASSERT_EQ(reference.values.shape(), (Shape{2, 3, 4})) << name;
    for (Index i = 0; i < field.size(); ++i) EXPECT_EQ(reference.values.data()[i], field.data()[i]) << name;
    const bool keeps_place = std::string(name).find(".nii") != std::string::npos || std::string(name) == "f.h5";
    EXPECT_EQ(reference.affine.in_scanner, keeps_place) << name;
  }
  // Frames and coils of one image are no axes of it.
  write_array(ctx, folder / "frames.npy", {"field", zeros<float>(ctx, {1, 1, 3, 4})});
  EXPECT_EQ(read_reference(ctx, folder / "frames.npy").values.shape(), (Shape{3, 4}));
}

}  // namespace
}  // namespace whorl
