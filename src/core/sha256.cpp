#include "core/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "whorl/core/error.hpp"

namespace whorl {

Sha256::Sha256() : digest_(EVP_MD_CTX_new(), [](void* made) { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(made)); }) {
  if (!digest_ || EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(digest_.get()), EVP_sha256(), nullptr) != 1) {
    throw Error("SHA-256 is not available");
  }
}

void Sha256::add(const void* bytes, std::size_t count) {
  EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(digest_.get()), bytes, count);
}

std::string Sha256::digits() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned count = 0;
  EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(digest_.get()), bytes.data(), &count);
  std::string digits;
  for (unsigned i = 0; i < count; ++i) digits += fmt::format("{:02x}", bytes[i]);
  return digits;
}

}  // namespace whorl
