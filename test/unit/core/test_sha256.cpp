#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/sha256.hpp"
#include "core/sha256_blocks.hpp"

namespace whorl {
namespace {

std::vector<unsigned char> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<unsigned char> bytes(count);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random() & 0xff);
  return bytes;
}

std::string by_openssl(const std::vector<unsigned char>& bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned count = 0;
  EXPECT_EQ(EVP_Digest(bytes.data(), bytes.size(), digest, &count, EVP_sha256(), nullptr), 1);
  std::string digits;
  for (unsigned i = 0; i < count; ++i) {
    for (const int half : {digest[i] >> 4, digest[i] & 15}) digits += "0123456789abcdef"[half];
  }
  return digits;
}

// Every length around the ends of the first blocks, in pieces that do not end with them.
TEST(Sha256, IsThatOfOpenSsl) {
  std::mt19937 random(5);  // NOLINT(bugprone-random-generator-seed): the same bytes in every run
  for (std::size_t count = 0; count < 200; ++count) {
    const auto bytes = random_bytes(count, static_cast<unsigned>(count));
    Sha256 hash;
    for (std::size_t done = 0; done < count;) {
      const std::size_t piece = std::min<std::size_t>(count - done, random() % 90);
      hash.add(bytes.data() + done, piece);
      done += piece;
    }
    EXPECT_EQ(hash.digits(), by_openssl(bytes)) << count << " bytes";
  }
}

TEST(Sha256, ByInstructionsOfTheProcessorIsThatInWords) {
  const Sha256Blocks fast = sha256_blocks_of_processor();
  if (fast == nullptr) GTEST_SKIP() << "this processor has no instructions for SHA-256";
  const auto bytes = random_bytes(64 * 7, 3);
  std::vector<std::uint32_t> words{1, 0x80000000, 3, 0xffffffff, 5, 6, 0x12345678, 8};
  std::vector<std::uint32_t> same = words;
  fast(words.data(), bytes.data(), 7);
  sha256_blocks_plain(same.data(), bytes.data(), 7);
  EXPECT_EQ(words, same);
}

}  // namespace
}  // namespace whorl
