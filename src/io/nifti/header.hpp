// The header of a NIfTI file, version 1 or 2, of either byte order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/bytes/elements.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl::io {

struct NiftiHeader {
  Shape shape;  ///< C order: dim[1] is the last; axes of extent 1 are dropped from the front
  ElementType type;
  double slope = 1;  ///< values are slope * stored + intercept
  double intercept = 0;
  std::uint64_t offset = 0;  ///< of the first element in the file
  Affine affine;
};

/// Bytes of the headers.
inline constexpr std::size_t nifti1_bytes = 348;
inline constexpr std::size_t nifti2_bytes = 540;

/// The version that a file's first 4 bytes (sizeof_hdr) stand for: 1 or 2, or 0 for neither.
int nifti_version(std::span<const unsigned char> start);

/// Parses nifti1_bytes or nifti2_bytes. Throws IoError naming the file and what was expected.
NiftiHeader parse_nifti_header(std::span<const unsigned char> bytes, const std::string& file);

}  // namespace whorl::io
