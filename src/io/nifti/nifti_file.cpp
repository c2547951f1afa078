#include "io/nifti/nifti_file.hpp"

#include <fmt/format.h>
#include <nifti1_io.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "whorl/core/error.hpp"
#include "whorl/core/version.hpp"

namespace whorl::io {

namespace {

// The header, and the four bytes that say that no extension follows it.
constexpr std::size_t header_bytes = sizeof(nifti_1_header);
constexpr std::size_t data_offset = header_bytes + 4;
static_assert(header_bytes == 348);

template <class T>
constexpr short nifti_type = DT_FLOAT32;
template <>
constexpr short nifti_type<double> = DT_FLOAT64;
template <>
constexpr short nifti_type<std::complex<float>> = DT_COMPLEX64;
template <>
constexpr short nifti_type<std::complex<double>> = DT_COMPLEX128;

constexpr int most_dimensions = 7;

void set_dimensions(nifti_1_header& header, const Shape& shape) {
  if (shape.rank() < 1 || shape.rank() > most_dimensions) {
    throw ShapeError(
        fmt::format("writing NIfTI: expected an array of 1 to {} axes, got {}", most_dimensions, to_string(shape)));
  }
  std::fill(std::begin(header.dim), std::end(header.dim), short{1});
  header.dim[0] = static_cast<short>(shape.rank());
  for (int axis = 1; axis <= shape.rank(); ++axis) {
    const Index extent = shape[-axis];
    if (extent < 1 || extent > std::numeric_limits<short>::max()) {
      throw ShapeError(fmt::format("writing NIfTI: axis {} of images {}: the format holds 1 to {} along an axis; {}",
                                   shape.rank() - axis, to_string(shape), std::numeric_limits<short>::max(),
                                   extent < 1 ? "there is nothing to write" : "write .npy instead"));
    }
    header.dim[axis] = static_cast<short>(extent);
  }
}

void set_place(nifti_1_header& header, const Affine& affine) {
  mat44 place{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      place.m[row][column] = static_cast<float>(affine.matrix[row][column]);
      if (!std::isfinite(place.m[row][column])) {
        throw ValueError(
            fmt::format("NIfTI: the voxels' place has the number {}, which float32 does not hold; check "
                        "the field of view and the position",
                        affine.matrix[row][column]));
      }
    }
  }
  place.m[3][3] = 1;
  std::memcpy(header.srow_x, place.m[0], sizeof(header.srow_x));
  std::memcpy(header.srow_y, place.m[1], sizeof(header.srow_y));
  std::memcpy(header.srow_z, place.m[2], sizeof(header.srow_z));
  std::fill(std::begin(header.pixdim), std::end(header.pixdim), 1.0F);
  nifti_mat44_to_quatern(place, &header.quatern_b, &header.quatern_c, &header.quatern_d, &header.qoffset_x,
                         &header.qoffset_y, &header.qoffset_z, &header.pixdim[1], &header.pixdim[2], &header.pixdim[3],
                         &header.pixdim[0]);
  header.qform_code = affine.in_scanner ? NIFTI_XFORM_SCANNER_ANAT : NIFTI_XFORM_UNKNOWN;
  header.sform_code = header.qform_code;
  header.xyzt_units = NIFTI_UNITS_MM;
}

template <class T>
nifti_1_header make_header(const Shape& shape, const Affine& affine, double frame_interval_ms) {
  nifti_1_header header{};
  header.sizeof_hdr = static_cast<int>(header_bytes);
  set_dimensions(header, shape);
  set_place(header, affine);
  if (frame_interval_ms > 0) {
    header.pixdim[4] = static_cast<float>(1e-3 * frame_interval_ms);
    header.xyzt_units |= NIFTI_UNITS_SEC;
  }
  header.datatype = nifti_type<T>;
  header.bitpix = static_cast<short>(8 * sizeof(T));
  header.vox_offset = static_cast<float>(data_offset);
  header.scl_slope = 1;
  const std::string description = "whorl " + version();
  description.copy(header.descrip, sizeof(header.descrip) - 1);
  std::memcpy(header.magic, "n+1", 4);
  return header;
}

bool is_compressed(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const bool compressed = name.ends_with(".nii.gz");
  if (compressed || name.ends_with(".nii")) return compressed;
  throw ValueError(fmt::format("writing NIfTI: expected a file name ending in .nii or .nii.gz, got '{}'", name));
}

}  // namespace

NiftiFile::NiftiFile(Context ctx, const std::filesystem::path& path) : ctx_(std::move(ctx)), file_(path) {
  if (is_compressed(path)) gzip_.emplace(ctx_, file_);
}

void NiftiFile::write(const void* bytes, std::size_t count) {
  gzip_ ? gzip_->write(bytes, count) : file_.write(bytes, count);
}

void NiftiFile::commit() {
  if (gzip_) gzip_->finish();
  file_.commit();
}

template <class T>
std::unique_ptr<NiftiFile> open_nifti(const Context& ctx, const std::filesystem::path& path, const Shape& shape,
                                      const Affine& affine, double frame_interval_ms) {
  static_cast<void>(is_compressed(path));
  const nifti_1_header header = make_header<T>(shape, affine, frame_interval_ms);
  auto file = std::make_unique<NiftiFile>(ctx, path);
  file->write(&header, header_bytes);
  constexpr std::array<char, data_offset - header_bytes> no_extension{};
  file->write(no_extension.data(), no_extension.size());
  return file;
}

template std::unique_ptr<NiftiFile> open_nifti<float>(const Context&, const std::filesystem::path&, const Shape&,
                                                      const Affine&, double);
template std::unique_ptr<NiftiFile> open_nifti<double>(const Context&, const std::filesystem::path&, const Shape&,
                                                       const Affine&, double);
template std::unique_ptr<NiftiFile> open_nifti<std::complex<float>>(const Context&, const std::filesystem::path&,
                                                                    const Shape&, const Affine&, double);
template std::unique_ptr<NiftiFile> open_nifti<std::complex<double>>(const Context&, const std::filesystem::path&,
                                                                     const Shape&, const Affine&, double);

}  // namespace whorl::io
