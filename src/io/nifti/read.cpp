#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "io/nifti/header.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/nifti.hpp"

namespace whorl {

namespace {

void skip(io::ByteSource& source, std::uint64_t count) {
  if (count > source.limit()) {
    throw IoError(fmt::format("'{}': its data is said to begin {} bytes after the header, more than the file has",
                              source.name(), count));
  }
  std::vector<char> part(std::min<std::uint64_t>(count, std::uint64_t{1} << 20U));
  for (std::uint64_t left = count; left > 0;) {
    const std::size_t some = std::min<std::uint64_t>(left, part.size());
    source.read(part.data(), some);
    left -= some;
  }
}

/// slope * stored + intercept; for complex numbers, as nifti1.h has it, for both parts.
template <class T>
void scale(Array<T>& array, double slope, double intercept) {
  for (T& value : array.span()) {
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(slope * value + intercept);
    } else {
      using Real = typename T::value_type;
      value =
          T(static_cast<Real>(slope * value.real() + intercept), static_cast<Real>(slope * value.imag() + intercept));
    }
  }
}

}  // namespace

NiftiImage read_nifti(const Context& ctx, const std::filesystem::path& path) {
  io::FileSource source(path);
  std::vector<unsigned char> bytes(io::nifti1_bytes);
  source.read(bytes.data(), bytes.size());
  if (io::nifti_version(bytes) == 2) {
    bytes.resize(io::nifti2_bytes);
    source.read(bytes.data() + io::nifti1_bytes, io::nifti2_bytes - io::nifti1_bytes);
  }
  const io::NiftiHeader header = io::parse_nifti_header(bytes, path.string());
  skip(source, header.offset - bytes.size());
  NiftiImage image{io::read_elements(ctx, source, header.type, header.shape), header.affine};
  source.at_end();  // what follows is not read, but the checksum of a compressed file is
  if (header.slope != 1 || header.intercept != 0) {
    // A scaled integer has more digits than float32.
    if (header.type.kind != io::ElementType::Kind::complex && header.type.kind != io::ElementType::Kind::floating) {
      image.values = converted<double>(ctx, image.values, path.string());
    }
    std::visit([&](auto& values) { scale(values, header.slope, header.intercept); }, image.values);
  }
  return image;
}

}  // namespace whorl
