#include "io/cfl/cfl.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <fstream>
#include <system_error>

#include "io/bytes/byte_source.hpp"
#include "io/bytes/elements.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::io {

namespace {

static_assert(std::endian::native == std::endian::little, "the files are in the memory's byte order");

namespace fs = std::filesystem;

constexpr std::uintmax_t longest_header = std::uintmax_t{1} << 24U;

fs::path with_extension(const fs::path& name, const char* extension) {
  fs::path path = name;
  path += extension;
  return path;
}

std::string read_text(const fs::path& path) {
  FileSource source(path);
  const std::uintmax_t size = size_of_file(path);
  if (size > longest_header) {
    throw IoError(
        fmt::format("'{}' is not a header of BART: it has {} bytes, expected a short text", path.string(), size));
  }
  std::string text(size, '\0');
  source.read(text.data(), text.size());
  return text;
}

}  // namespace

fs::path find_cfl(const fs::path& path) {
  std::error_code ignored;
  fs::path name = path;
  if (path.extension() == ".cfl" || path.extension() == ".hdr") name.replace_extension();
  const bool both = fs::is_regular_file(with_extension(name, ".hdr"), ignored) &&
                    fs::is_regular_file(with_extension(name, ".cfl"), ignored);
  return both ? name : fs::path();
}

CflHeader read_cfl_header(const fs::path& name) {
  const fs::path path = with_extension(name, ".hdr");
  return parse_cfl_header(read_text(path), path.string());
}

CflArray read_cfl(const Context& ctx, const fs::path& name) {
  const fs::path data_path = with_extension(name, ".cfl");
  CflHeader header = read_cfl_header(name);
  const Shape shape(std::vector<Index>(header.dimensions.rbegin(), header.dimensions.rend()));
  const std::uintmax_t expected = static_cast<std::uintmax_t>(shape.size()) * sizeof(std::complex<float>);
  std::error_code error;
  const std::uintmax_t size = fs::file_size(data_path, error);
  if (error) throw IoError(fmt::format("cannot read '{}': {}", data_path.string(), error.message()));
  if (size != expected) {
    throw IoError(
        fmt::format("'{}': {} bytes, but the dimensions {} of its header take {}: it is truncated, or belongs "
                    "to another header",
                    data_path.string(), size, fmt::join(header.dimensions, " x "), expected));
  }
  FileSource source(data_path);
  AnyArray values = read_elements(ctx, source, {ElementType::Kind::complex, sizeof(std::complex<float>)}, shape);
  return {std::move(header.dimensions), std::get<Array<std::complex<float>>>(std::move(values)),
          std::move(header.scan)};
}

void write_cfl(const Context& ctx, const fs::path& path, ArrayRef<const std::complex<float>> values,
               const std::vector<Index>& dimensions, const std::string& scan) {
  if (path.extension() != ".cfl") {
    throw ValueError(fmt::format("'{}': the name of BART's data ends in .cfl", path.string()));
  }
  if (dimensions.size() > most_cfl_dimensions || values.size() == 0) {
    throw ShapeError(fmt::format("writing '{}': BART's files hold 1 to {} dimensions, none of them empty; got {}",
                                 path.string(), most_cfl_dimensions, fmt::join(dimensions, " x ")));
  }
  if (Shape(dimensions).size() != values.size()) {
    throw ShapeError(fmt::format("writing '{}': dimensions {} for {} elements", path.string(),
                                 fmt::join(dimensions, " x "), values.size()));
  }
  const std::string text = format_cfl_header({dimensions, scan});
  AtomicFileGroup together;
  AtomicFile data(path);
  AtomicFile header(fs::path(path).replace_extension(".hdr"));
  const auto bytes = std::as_bytes(values.span());
  constexpr std::size_t part_bytes = std::size_t{1} << 23U;
  for (std::size_t first = 0; first < bytes.size(); first += part_bytes) {
    ctx.check_cancel("writing .cfl");
    const auto part = bytes.subspan(first, std::min(part_bytes, bytes.size() - first));
    data.write(part.data(), part.size());
  }
  header.write(text.data(), text.size());
  data.commit();
  header.commit();
  together.commit();
}

}  // namespace whorl::io
