#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <span>
#include <system_error>
#include <vector>

#include "core/parallel.hpp"
#include "core/sha256.hpp"
#include "io/bytes/byte_source.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/record.hpp"

namespace whorl {

namespace {

using Bytes = std::span<const std::byte>;

// Parts that are hashed side by side, and between two looks at the cancel flag.
void add_parts(Bytes bytes, std::vector<Bytes>& parts) {
  constexpr std::size_t part = std::size_t{1} << 24;
  for (std::size_t first = 0; first < bytes.size(); first += part) {
    parts.push_back(bytes.subspan(first, std::min(part, bytes.size() - first)));
  }
}

}  // namespace

InputFile describe_input(const Context& ctx, const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& cause) {
    throw IoError(fmt::format("cannot read '{}': {}", path.string(), cause));
  };
  // The command reads the file again, and would find nothing in a pipe, not even in one with a table of numbers.
  io::check_regular(path);
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
  std::vector<Bytes> parts;
  add_parts(std::as_bytes(values.span()), parts);
  Sha256 hash;
  for (const Bytes part : parts) {
    ctx.check_cancel("hashing arrays");
    hash.add(part.data(), part.size());
  }
  return hash.digits();
}

std::string hash_of(const Context& ctx, const Scan& scan) {
  std::vector<Bytes> parts;
  const Trajectory* last = nullptr;
  for (const ScanFrame& frame : scan.frames) {
    add_parts(std::as_bytes(frame.data.span()), parts);
    if (frame.trajectory && frame.trajectory.get() != last) {
      add_parts(std::as_bytes(frame.trajectory->points.span()), parts);
    }
    last = frame.trajectory.get();
  }
  std::vector<std::string> digests(parts.size());
  detail::parallel_for(ctx, "hashing arrays", 0, std::ssize(parts), [&](Index i) {
    Sha256 hash;
    hash.add(parts[static_cast<std::size_t>(i)].data(), parts[static_cast<std::size_t>(i)].size());
    digests[static_cast<std::size_t>(i)] = hash.digits();
  });
  Sha256 hash;
  for (const std::string& digest : digests) hash.add(digest.data(), digest.size());
  return hash.digits();
}

}  // namespace whorl
