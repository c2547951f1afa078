#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <span>
#include <system_error>
#include <vector>

#include "core/sha256.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/record.hpp"

namespace whorl {

namespace {

void add(const Context& ctx, std::span<const std::byte> bytes, Sha256& hash) {
  constexpr std::size_t part = std::size_t{1} << 24;
  for (std::size_t first = 0; first < bytes.size(); first += part) {
    ctx.check_cancel("hashing arrays");
    hash.add(bytes.data() + first, std::min(part, bytes.size() - first));
  }
}

}  // namespace

InputFile describe_input(const Context& ctx, const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& cause) {
    throw IoError(fmt::format("cannot read '{}': {}", path.string(), cause));
  };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) refuse("it is a folder");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) refuse(std::generic_category().message(errno));

  Sha256 hash;
  InputFile input{path.string(), 0, {}};
  std::vector<char> buffer(std::size_t{1} << 20);
  while (stream) {
    ctx.check_cancel("hashing the input");
    stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    const auto count = static_cast<std::size_t>(stream.gcount());
    hash.add(buffer.data(), count);
    input.bytes += count;
  }
  if (stream.bad()) refuse("the disk reports an error");
  input.sha256 = hash.digits();
  return input;
}

std::string hash_of(const Context& ctx, ArrayRef<const std::complex<float>> values) {
  Sha256 hash;
  add(ctx, std::as_bytes(values.span()), hash);
  return hash.digits();
}

std::string hash_of(const Context& ctx, const Scan& scan) {
  Sha256 hash;
  for (const ScanFrame& frame : scan.frames) {
    add(ctx, std::as_bytes(frame.data.span()), hash);
    if (frame.trajectory) add(ctx, std::as_bytes(frame.trajectory->points.span()), hash);
  }
  return hash.digits();
}

}  // namespace whorl
