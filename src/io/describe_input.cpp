#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>
#include <vector>

#include "core/sha256.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/record.hpp"

namespace whorl {

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

}  // namespace whorl
