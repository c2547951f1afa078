// A stream of bytes in memory, that gives few at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "serve/byte_stream.hpp"

namespace whorl::test {

class MemoryStream final : public serve::ByteStream {
 public:
  explicit MemoryStream(std::vector<std::byte> bytes, std::size_t at_once = 1000)
      : bytes_(std::move(bytes)), at_once_(at_once) {}

  void await(serve::Awaited /*what*/) override {}
  std::size_t read_some(std::span<std::byte> to) override {
    const std::size_t count = std::min({to.size(), at_once_, bytes_.size() - place_});
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(place_), count, to.begin());
    place_ += count;
    return count;
  }
  void write(std::span<const std::byte> bytes) override { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void interrupt() override { place_ = bytes_.size(); }

 private:
  std::vector<std::byte> bytes_;
  std::size_t at_once_;
  std::size_t place_ = 0;
};

}  // namespace whorl::test
