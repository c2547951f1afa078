#include "io/picture.hpp"

#include <fmt/format.h>

#include "io/byte_source.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

constexpr std::string_view png_signature("\x89PNG\r\n\x1a\n", 8);

bool is_pnm(std::string_view start) { return start.starts_with("P5") || start.starts_with("P6"); }

}  // namespace

bool is_picture(std::string_view start) { return start.starts_with(png_signature) || is_pnm(start); }

Array<float> read_picture(const Context& ctx, const std::filesystem::path& path) {
  FileSource source(path);
  if (source.is_compressed())
    throw IoError(fmt::format("'{}': a compressed picture; decompress it first", path.string()));
  std::string bytes(source.limit(), '\0');
  source.read(bytes.data(), bytes.size());
  return is_pnm(bytes) ? decode_pnm(ctx, bytes, path.string()) : decode_png(ctx, bytes, path.string());
}

}  // namespace whorl::io
