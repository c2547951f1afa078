#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nifti1_io.h>
#include <zlib.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <memory>

#include "support/file_content.hpp"
#include "support/file_size_limit.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/random.hpp"
#include "whorl/io/nifti.hpp"

namespace whorl {
namespace {

using test::error_of;
using test::TemporaryFolder;
using Complex = std::complex<float>;
using Image = std::unique_ptr<nifti_image, decltype(&nifti_image_free)>;

Image read_back(const std::filesystem::path& path) { return {nifti_image_read(path.c_str(), 1), nifti_image_free}; }

Array<Complex> random_images(const Context& ctx, const Shape& shape) {
  Array<Complex> images(ctx, shape);
  fill_random_normal<float>(images, 7);
  return images;
}

// Directions of a volume turned about an axis, as whorl holds them.
Geometry turned(const Eigen::Vector3d& axis, double angle) {
  const Eigen::Matrix3d rotation = Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
  Geometry geometry;
  geometry.field_of_view_mm = {240, 171, 96};
  geometry.position_mm = {-12.5, 33.25, 81};
  for (int row = 0; row < 3; ++row) {
    const auto r = static_cast<std::size_t>(row);
    geometry.read_direction[r] = rotation(row, 0);
    geometry.phase_direction[r] = rotation(row, 1);
    geometry.slice_direction[r] = rotation(row, 2);
  }
  return geometry;
}

// Where voxel (i, j, k) lies, in RAS, straight from the definition: distances from voxel floor(N/2) along the three
// directions, in voxels of field of view / matrix, and the signs of L and P changed.
Eigen::Vector3d expected_world(const Geometry& geometry, const std::array<Index, 3>& matrix,
                               const std::array<Index, 3>& voxel) {
  const auto vector = [](const std::array<double, 3>& v) { return Eigen::Vector3d(v[0], v[1], v[2]); };
  const std::array<Eigen::Vector3d, 3> directions{vector(geometry.read_direction), vector(geometry.phase_direction),
                                                  vector(geometry.slice_direction)};
  Eigen::Vector3d lps = vector(geometry.position_mm);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Index center = matrix[axis] / 2;
    const auto voxels = static_cast<double>(voxel[axis] - center);
    lps += directions[axis] * (voxels * geometry.field_of_view_mm[axis] / static_cast<double>(matrix[axis]));
  }
  return {-lps.x(), -lps.y(), lps.z()};
}

Eigen::Vector3d world_of(const mat44& place, const std::array<Index, 3>& voxel) {
  Eigen::Vector3d world;
  for (int row = 0; row < 3; ++row) {
    world[row] = static_cast<double>(place.m[row][3]);
    for (int axis = 0; axis < 3; ++axis) {
      world[row] +=
          static_cast<double>(place.m[row][axis]) * static_cast<double>(voxel[static_cast<std::size_t>(axis)]);
    }
  }
  return world;
}

void expect_corners(const Image& image, const Geometry& geometry, const std::array<Index, 3>& matrix) {
  for (int corner = 0; corner < 8; ++corner) {
    const std::array<Index, 3> voxel{(corner & 1) != 0 ? matrix[0] - 1 : 0, (corner & 2) != 0 ? matrix[1] - 1 : 0,
                                     (corner & 4) != 0 ? matrix[2] - 1 : 0};
    const Eigen::Vector3d world = expected_world(geometry, matrix, voxel);
    // The sform holds floats: offsets below 512 mm and steps below 16 mm, times up to 16 voxels, each rounded to half
    // a unit in the last place: 1.5e-5 + 3 * 16 * 5e-7 < 1e-4 mm.
    EXPECT_LT((world_of(image->sto_xyz, voxel) - world).norm(), 1e-4);
    // The qform's first component is sqrt(1 - b^2 - c^2 - d^2) in float: an error of the squares of 1.2e-7 makes one
    // of up to sqrt(1.2e-7) = 3.5e-4 near a = 0, which turns by twice that; the corners lie within 160 mm of the
    // center, but the turn is about voxel 0, up to 320 mm away: 0.22 mm.
    EXPECT_LT((world_of(image->qto_xyz, voxel) - world).norm(), 0.22);
  }
}

TEST(Nifti, ObliquePlacesAreReadBackByLibnifti) {
  const Context ctx;
  const TemporaryFolder folder;
  const std::vector<Geometry> geometries{turned({0, 0, 1}, 0),
                                         turned({1, 0, 0}, 1.5707963267948966),  // axial, coronal
                                         turned({1, 1, 1}, 2.0943951023931953),  // sagittal
                                         turned({0.3, -0.5, 0.8}, 0.35),
                                         turned({-0.7, 0.2, 0.1}, 2.6),
                                         turned({0.1, 0.2, 0.97}, 3.14159265)};
  // Odd and even along each axis; voxel floor(N/2) differs.
  for (const std::array<Index, 3> matrix : {std::array<Index, 3>{12, 9, 6}, std::array<Index, 3>{15, 10, 7}}) {
    const auto images = random_images(ctx, {matrix[2], matrix[1], matrix[0]});
    for (const Geometry& geometry : geometries) {
      write_nifti<Complex>(ctx, folder / "image.nii", images, geometry);
      const Image image = read_back(folder / "image.nii");
      ASSERT_NE(image, nullptr);
      EXPECT_EQ(image->qform_code, NIFTI_XFORM_SCANNER_ANAT);
      EXPECT_EQ(image->sform_code, NIFTI_XFORM_SCANNER_ANAT);
      expect_corners(image, geometry, matrix);
    }
  }
}

TEST(Nifti, ALeftHandedFrameKeepsItsHand) {
  const Context ctx;
  const TemporaryFolder folder;
  Geometry geometry = turned({0.3, -0.5, 0.8}, 0.35);
  for (double& component : geometry.slice_direction) component = -component;
  const auto images = random_images(ctx, {6, 9, 12});
  write_nifti<Complex>(ctx, folder / "image.nii", images, geometry);
  const Image image = read_back(folder / "image.nii");
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(image->qfac, -1);
  expect_corners(image, geometry, {12, 9, 6});
}

TEST(Nifti, ValuesAndAxesSurviveInBothFormsAndTypes) {
  const Context ctx;
  const TemporaryFolder folder;
  const auto images = random_images(ctx, {5, 2, 3, 4});
  Array<float> magnitude(ctx, images.shape());
  for (Index i = 0; i < images.size(); ++i) {
    magnitude.span()[static_cast<std::size_t>(i)] = std::abs(images.span()[static_cast<std::size_t>(i)]);
  }
  // Names that differ, since libnifti looks for the data of x.nii.gz in x.nii first.
  for (const std::string name : {"plain.nii", "image.nii.gz"}) {
    write_nifti<Complex>(ctx, folder / name, images, Geometry{});
    Image image = read_back(folder / name);
    ASSERT_NE(image, nullptr);
    EXPECT_EQ(image->datatype, DT_COMPLEX64);
    EXPECT_EQ((std::array{image->nx, image->ny, image->nz, image->nt}), (std::array{4, 3, 2, 5}));
    EXPECT_EQ(image->qform_code, NIFTI_XFORM_UNKNOWN);
    EXPECT_EQ(image->xyz_units, NIFTI_UNITS_MM);
    EXPECT_EQ(std::memcmp(image->data, images.data(), static_cast<std::size_t>(images.size()) * sizeof(Complex)), 0);

    write_nifti<float>(ctx, folder / name, magnitude.slice(3), Geometry{});
    image = read_back(folder / name);
    ASSERT_NE(image, nullptr);
    EXPECT_EQ(image->datatype, DT_FLOAT32);
    EXPECT_EQ(image->ndim, 3);
    const auto* voxels = static_cast<const float*>(image->data);
    EXPECT_TRUE(std::equal(voxels, voxels + 24, magnitude.slice(3).data()));
  }
  const auto gzip_magic = test::read_file(folder / "image.nii.gz").substr(0, 2);
  EXPECT_EQ(gzip_magic, "\x1f\x8b");
}

TEST(Nifti, ABigImageGoesThroughInParts) {
  const Context ctx;
  const TemporaryFolder folder;
  const auto images = random_images(ctx, {3, 700, 701});  // 1.4 million voxels: two parts, and many blocks of gzip
  write_nifti<Complex>(ctx, folder / "image.nii.gz", images, Geometry{});
  const Image image = read_back(folder / "image.nii.gz");
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(std::memcmp(image->data, images.data(), static_cast<std::size_t>(images.size()) * sizeof(Complex)), 0);
}

TEST(Nifti, WhatTheFormatCannotHoldIsRefused) {
  const Context ctx;
  const TemporaryFolder folder;
  const auto write = [&](const Shape& shape, const std::string& name) {
    const auto images = zeros<float>(ctx, shape);
    write_nifti<float>(ctx, folder / name, images, Geometry{});
  };
  EXPECT_NE(error_of<ShapeError>([&] { write({7}, "a.nii"); }).find("[7]"), std::string::npos);
  EXPECT_THROW(write({2, 2, 2, 2, 2}, "a.nii"), ShapeError);
  EXPECT_NE(error_of<ShapeError>([&] { write({40000, 1, 2, 3}, "a.nii"); }).find("axis 0"), std::string::npos);
  EXPECT_NE(error_of<ShapeError>([&] { write({2, 0, 3}, "a.nii"); }).find("nothing to write"), std::string::npos);
  EXPECT_NE(error_of<ValueError>([&] { write({2, 3}, "a.img"); }).find(".nii.gz"), std::string::npos);
  EXPECT_THROW(write({2, 3}, "missing/a.nii"), IoError);
  EXPECT_EQ(folder.entries(), 0);
}

TEST(Nifti, AFullDiskAndAStopLeaveNothing) {
  const Context ctx;
  const TemporaryFolder folder;
  const auto images = random_images(ctx, {64, 64});
  for (const std::string name : {"a.nii", "a.nii.gz"}) {
    const test::FileSizeLimit limit(4096);
    EXPECT_THROW(write_nifti<Complex>(ctx, folder / name, images, Geometry{}), IoError);
  }
  ctx.request_cancel();
  EXPECT_THROW(write_nifti<Complex>(ctx, folder / "a.nii", images, Geometry{}), Cancelled);
  EXPECT_EQ(folder.entries(), 0);
}

// Blocks, compressed by ISA-L in several threads, are one stream: its bytes do not depend on their number, and zlib gives
// back those of the plain file.
TEST(NiftiCompressed, BlocksAreOneStream) {
  const TemporaryFolder folder;
  const Context ctx;
  const Array<Complex> images = random_images(ctx, {3, 97, 401, 4});  // 3.7 MB
  write_nifti<Complex>(ctx, folder / "plain.nii", images, Geometry{});
  for (const int threads : {1, 2, 3}) {
    write_nifti<Complex>(Context({.threads = threads}), folder / fmt::format("by_{}.nii.gz", threads), images,
                         Geometry{});
  }
  const std::string compressed = test::read_file(folder / "by_1.nii.gz");
  EXPECT_TRUE(compressed == test::read_file(folder / "by_2.nii.gz"));
  EXPECT_TRUE(compressed == test::read_file(folder / "by_3.nii.gz"));

  std::string expanded(std::size_t{1} << 23U, '\0');
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);  // gzip; it checks length and CRC-32
  std::string input = compressed;
  stream.next_in = reinterpret_cast<unsigned char*>(input.data());
  stream.avail_in = static_cast<unsigned>(input.size());
  stream.next_out = reinterpret_cast<unsigned char*>(expanded.data());
  stream.avail_out = static_cast<unsigned>(expanded.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0U) << "one member, and nothing after it";
  expanded.erase(stream.total_out);
  inflateEnd(&stream);
  EXPECT_TRUE(expanded == test::read_file(folder / "plain.nii"));
}

TEST(Nifti, SeriesHaveTheirTime) {
  const Context ctx;
  const TemporaryFolder folder;
  const Array<Complex> images = random_images(ctx, {4, 1, 3, 5});
  write_nifti<Complex>(ctx, folder / "timed.nii", images, Geometry{}, 85.5);
  const Image timed = read_back(folder / "timed.nii");
  EXPECT_EQ(timed->nt, 4);
  EXPECT_FLOAT_EQ(timed->dt, 0.0855F);
  EXPECT_EQ(timed->time_units, NIFTI_UNITS_SEC);
  EXPECT_EQ(timed->xyz_units, NIFTI_UNITS_MM);
  write_nifti<Complex>(ctx, folder / "other.nii", images, Geometry{});
  EXPECT_EQ(read_back(folder / "other.nii")->time_units, NIFTI_UNITS_UNKNOWN);
}

}  // namespace
}  // namespace whorl
