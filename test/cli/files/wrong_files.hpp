// What tests of wrong files share: bytes, and a fixture that converts them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/file_content.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/context.hpp"

namespace whorl::test {

inline constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// The text with some bytes in other ones' place.
template <class T>
std::string with(std::string text, std::size_t at, T value) {
  std::memcpy(text.data() + at, &value, sizeof(T));
  return text;
}

inline std::string with_text(std::string text, const std::string& old, const std::string& now) {
  const std::size_t at = text.find(old);
  if (at == std::string::npos) throw std::logic_error("no '" + old + "' in the file");
  return text.replace(at, old.size(), now);
}

class WrongFiles : public testing::Test {
 protected:
  /// Converts a file and expects a refusal that contains `reason` and the file's name.
  void expect_refusal(const std::string& name, const std::string& reason, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{WHORL_PROGRAM, "convert", folder_ / name, "-o", folder_ / "out.npz", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = run_process(words);
    EXPECT_EQ(result.exit_code, 1) << reason << ": " << result.err;
    EXPECT_TRUE(result.err.starts_with("whorl: error: ")) << reason << ": " << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << reason << ": " << result.err;
    EXPECT_NE(result.err.find(reason), std::string::npos) << "expected: " << reason << "\ngot: " << result.err;
    EXPECT_NE(result.err.find(std::filesystem::path(name).stem().stem().string()), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out.npz")) << reason;
    ++refused_;
  }
  void refuse(const std::string& name, const std::string& bytes, const std::string& reason,
              const std::vector<std::string>& more = {}) {
    write_file(folder_ / name, bytes);
    expect_refusal(name, reason, more);
  }
  void TearDown() override { EXPECT_GE(refused_, 10); }

  Context ctx_;
  TemporaryFolder folder_;
  int refused_ = 0;
};

}  // namespace whorl::test
