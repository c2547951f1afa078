#include "io/nifti/header.hpp"

#include <fmt/format.h>
#include <nifti1_io.h>
#include <nifti2.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

static_assert(sizeof(nifti_1_header) == nifti1_bytes && sizeof(nifti_2_header) == nifti2_bytes);
static_assert(std::endian::native == std::endian::little);

/// Reads numbers of a header at given offsets, in the header's byte order.
class Fields {
 public:
  Fields(std::span<const unsigned char> bytes, bool swapped) : bytes_(bytes), swapped_(swapped) {}

  template <class T>
  T get(std::size_t offset) const {
    std::array<unsigned char, sizeof(T)> raw{};
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), sizeof(T), raw.begin());
    if (swapped_) std::reverse(raw.begin(), raw.end());
    return std::bit_cast<T>(raw);
  }

 private:
  std::span<const unsigned char> bytes_;
  bool swapped_;
};

/// The members that are read, by NIfTI's names.
struct Members {
  std::array<std::int64_t, 8> dim{};
  std::array<double, 8> pixdim{};
  int datatype = 0;
  double vox_offset = 0;
  double scl_slope = 0;
  double scl_inter = 0;
  int xyzt_units = 0;
  int qform_code = 0;
  int sform_code = 0;
  std::array<double, 3> quatern{};  // b, c, d
  std::array<double, 3> qoffset{};
  std::array<std::array<double, 4>, 3> srow{};
};

template <class Header, class Extent, class Real, class Code>
Members members_of(const Fields& fields) {
  Members members;
  for (std::size_t i = 0; i < 8; ++i) {
    members.dim[i] = fields.get<Extent>(offsetof(Header, dim) + i * sizeof(Extent));
    members.pixdim[i] = fields.get<Real>(offsetof(Header, pixdim) + i * sizeof(Real));
  }
  members.datatype = fields.get<std::int16_t>(offsetof(Header, datatype));
  members.scl_slope = fields.get<Real>(offsetof(Header, scl_slope));
  members.scl_inter = fields.get<Real>(offsetof(Header, scl_inter));
  members.qform_code = static_cast<int>(fields.get<Code>(offsetof(Header, qform_code)));
  members.sform_code = static_cast<int>(fields.get<Code>(offsetof(Header, sform_code)));
  members.quatern = {fields.get<Real>(offsetof(Header, quatern_b)), fields.get<Real>(offsetof(Header, quatern_c)),
                     fields.get<Real>(offsetof(Header, quatern_d))};
  members.qoffset = {fields.get<Real>(offsetof(Header, qoffset_x)), fields.get<Real>(offsetof(Header, qoffset_y)),
                     fields.get<Real>(offsetof(Header, qoffset_z))};
  const std::array<std::size_t, 3> rows{offsetof(Header, srow_x), offsetof(Header, srow_y), offsetof(Header, srow_z)};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      members.srow[row][column] = fields.get<Real>(rows[row] + column * sizeof(Real));
    }
  }
  return members;
}

[[noreturn]] void fail(const std::string& file, const std::string& what) {
  throw IoError(fmt::format("'{}' is not a valid NIfTI file: {}", file, what));
}

Shape shape_of(const Members& members, const std::string& file) {
  const std::int64_t rank = members.dim[0];
  if (rank < 1 || rank > 7) fail(file, fmt::format("expected 1 to 7 dimensions, got {}", rank));
  std::vector<Index> extents;
  double size = 1;
  for (auto axis = static_cast<std::size_t>(rank); axis > 0; --axis) {
    const std::int64_t extent = members.dim[axis];
    if (extent < 1) fail(file, fmt::format("dimension {} is {}, expected 1 or more", axis, extent));
    size *= static_cast<double>(extent);
    if (extents.empty() && extent == 1 && axis > 1) continue;
    extents.push_back(extent);
  }
  constexpr double most = 1e18;
  if (size > most) fail(file, fmt::format("its dimensions claim {:g} elements", size));
  return Shape(extents);
}

ElementType type_of(int datatype, bool swapped, const std::string& file) {
  using Kind = ElementType::Kind;
  struct Known {
    int code;
    Kind kind;
    std::size_t bytes;
  };
  constexpr std::array known{
      Known{DT_UINT8, Kind::unsigned_integer, 1}, Known{DT_INT8, Kind::signed_integer, 1},
      Known{DT_INT16, Kind::signed_integer, 2},   Known{DT_UINT16, Kind::unsigned_integer, 2},
      Known{DT_INT32, Kind::signed_integer, 4},   Known{DT_UINT32, Kind::unsigned_integer, 4},
      Known{DT_INT64, Kind::signed_integer, 8},   Known{DT_UINT64, Kind::unsigned_integer, 8},
      Known{DT_FLOAT32, Kind::floating, 4},       Known{DT_FLOAT64, Kind::floating, 8},
      Known{DT_COMPLEX64, Kind::complex, 8},      Known{DT_COMPLEX128, Kind::complex, 16},
  };
  const auto* found =
      std::find_if(known.begin(), known.end(), [&](const Known& candidate) { return candidate.code == datatype; });
  if (found == known.end()) {
    throw Unsupported(
        fmt::format("'{}': NIfTI data type {} is not read; expected integers, float32, float64, complex64 or "
                    "complex128",
                    file, datatype));
  }
  return {found->kind, found->bytes, swapped};
}

double millimeters(int xyzt_units) {
  switch (XYZT_TO_SPACE(xyzt_units)) {
    case NIFTI_UNITS_METER:
      return 1000;
    case NIFTI_UNITS_MICRON:
      return 0.001;
    default:
      return 1;
  }
}

/// nifti1.h, "3D image (volume) orientation and location in space": method 3, else 2, else 1.
Affine affine_of(const Members& members) {
  Affine affine;
  affine.in_scanner = members.sform_code > 0 || members.qform_code > 0;
  if (members.sform_code > 0) {
    affine.matrix = members.srow;
  } else if (members.qform_code > 0) {
    const auto narrow = [](double value) { return static_cast<float>(value); };
    const mat44 place = nifti_quatern_to_mat44(
        narrow(members.quatern[0]), narrow(members.quatern[1]), narrow(members.quatern[2]), narrow(members.qoffset[0]),
        narrow(members.qoffset[1]), narrow(members.qoffset[2]), narrow(members.pixdim[1]), narrow(members.pixdim[2]),
        narrow(members.pixdim[3]), narrow(members.pixdim[0]));
    for (std::size_t row = 0; row < 3; ++row) std::copy_n(std::begin(place.m[row]), 4, affine.matrix[row].begin());
  } else {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double edge = std::abs(members.pixdim[axis + 1]);
      affine.matrix[axis][axis] = edge > 0 ? edge : 1;
    }
  }
  const double scale = millimeters(members.xyzt_units);
  for (auto& row : affine.matrix) {
    for (double& value : row) value *= scale;
  }
  return affine;
}

}  // namespace

int nifti_version(std::span<const unsigned char> start) {
  if (start.size() < 4) return 0;
  const auto native = Fields(start, false).get<std::int32_t>(0);
  const auto swapped = Fields(start, true).get<std::int32_t>(0);
  const auto is = [&](std::size_t bytes) {
    return native == static_cast<std::int32_t>(bytes) || swapped == static_cast<std::int32_t>(bytes);
  };
  if (is(nifti1_bytes)) return 1;
  return is(nifti2_bytes) ? 2 : 0;
}

NiftiHeader parse_nifti_header(std::span<const unsigned char> bytes, const std::string& file) {
  const int version = nifti_version(bytes);
  const std::size_t expected = version == 1 ? nifti1_bytes : nifti2_bytes;
  if (version == 0 || bytes.size() < expected) fail(file, "its first 4 bytes are not the size of its header");
  const bool swapped = Fields(bytes, false).get<std::int32_t>(0) != static_cast<std::int32_t>(expected);
  const Fields fields(bytes, swapped);
  const std::size_t magic_at = version == 1 ? offsetof(nifti_1_header, magic) : offsetof(nifti_2_header, magic);
  const std::string_view magic(reinterpret_cast<const char*>(bytes.data()) + magic_at, 4);
  if (magic.substr(0, 3) == (version == 1 ? "ni1" : "ni2")) {
    throw Unsupported(fmt::format("'{}': a NIfTI pair (.hdr and .img); join it into one .nii file first", file));
  }
  if (magic.substr(0, 3) != (version == 1 ? "n+1" : "n+2")) fail(file, "its magic is not n+1 or n+2");
  Members members;
  if (version == 1) {
    members = members_of<nifti_1_header, std::int16_t, float, std::int16_t>(fields);
    members.vox_offset = fields.get<float>(offsetof(nifti_1_header, vox_offset));
    members.xyzt_units = fields.get<unsigned char>(offsetof(nifti_1_header, xyzt_units));
  } else {
    members = members_of<nifti_2_header, std::int64_t, double, std::int32_t>(fields);
    members.vox_offset = static_cast<double>(fields.get<std::int64_t>(offsetof(nifti_2_header, vox_offset)));
    members.xyzt_units = fields.get<std::int32_t>(offsetof(nifti_2_header, xyzt_units));
  }
  NiftiHeader header;
  header.shape = shape_of(members, file);
  header.type = type_of(members.datatype, swapped, file);
  constexpr double farthest = 1e15;
  if (!(members.vox_offset >= static_cast<double>(expected) && members.vox_offset < farthest)) {
    fail(file, fmt::format("its data begins at byte {}, expected after the header", members.vox_offset));
  }
  header.offset = static_cast<std::uint64_t>(members.vox_offset);
  // A slope of 0 means none; some programs write NaN for it.
  if (std::isfinite(members.scl_slope) && members.scl_slope != 0 && std::isfinite(members.scl_inter)) {
    header.slope = members.scl_slope;
    header.intercept = members.scl_inter;
  }
  header.affine = affine_of(members);
  for (const auto& row : header.affine.matrix) {
    for (const double value : row) {
      if (!std::isfinite(value)) fail(file, "its orientation (qform, sform, pixdim) has a number that is not finite");
    }
  }
  return header;
}

}  // namespace whorl::io
