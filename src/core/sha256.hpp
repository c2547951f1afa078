// SHA-256 of a stream of bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace whorl {

class Sha256 {
 public:
  /// Throws Error if the machine's cryptographic library lacks it.
  Sha256();
  void add(const void* bytes, std::size_t count);
  /// 64 hexadecimal digits; may be called once.
  std::string digits();

 private:
  std::unique_ptr<void, void (*)(void*)> digest_;  // EVP_MD_CTX; OpenSSL's header stays out of this one
};

}  // namespace whorl
