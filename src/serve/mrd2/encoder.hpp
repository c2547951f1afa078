// Values as yardl's binary format has them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "serve/mrd2/decoder.hpp"
#include "serve/mrd2/schema.hpp"

namespace whorl::serve::mrd2 {

/// Collects bytes. A member that a value has not is nothing, 0, an empty text, list or array, or the first alternative; one
/// that the type has not is left out. So a value can be written by another schema than that which it was read by.
class Encoder {
 public:
  void write_schema(const Schema& schema);
  void write_count(std::uint64_t count);
  /// Throws IoError, naming the member: a value of another kind than the type, a tag that it has not, a number out of range.
  void write(const Type& type, const Json& value);
  /// The bytes so far, which are then forgotten.
  std::vector<std::byte> take();

 private:
  void append(std::span<const std::byte> bytes);
  void value(const Type& type, const Json& value);
  void number(const Type& type, const Json& value);
  void real(int bits, const Json& value);
  void text(std::string_view text);
  void choice(const Type& type, const Json& value);
  void list(const Type& item, const Json& value, std::size_t count);
  void array(const Type& type, const Json& value);

  std::vector<std::byte> bytes_;
  std::size_t values_ = 0;
};

}  // namespace whorl::serve::mrd2
