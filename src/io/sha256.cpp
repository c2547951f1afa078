#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <system_error>

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

  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (!digest || EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr) != 1) throw Error("SHA-256 is not available");
  InputFile input{path.string(), 0, {}};
  std::vector<char> buffer(std::size_t{1} << 20);
  while (stream) {
    ctx.check_cancel("hashing the input");
    stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    const auto count = static_cast<std::size_t>(stream.gcount());
    EVP_DigestUpdate(digest.get(), buffer.data(), count);
    input.bytes += count;
  }
  if (stream.bad()) refuse("the disk reports an error");
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned count = 0;
  EVP_DigestFinal_ex(digest.get(), bytes.data(), &count);
  for (unsigned i = 0; i < count; ++i) input.sha256 += fmt::format("{:02x}", bytes[i]);
  return input;
}

}  // namespace whorl
