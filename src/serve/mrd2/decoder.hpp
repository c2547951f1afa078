// Values of yardl's binary format from a stream of bytes, as the schema that it begins with says.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/byte_stream.hpp"
#include "serve/mrd2/schema.hpp"

namespace whorl::serve::mrd2 {

/// A value: numbers, texts, lists and objects as they are; null for nothing. One of several alternatives is {"tag", "value"}. An
/// array is {"shape", "data"}, its data as bytes where its elements have fixed sizes, else as a list; one of fixed length
/// and a vector are lists. A map is a list of pairs, in which no name counts twice.
using Json = nlohmann::ordered_json;

/// Reads whatever a peer sends. Memory grows with the bytes that arrive, not with what counts promise.
class Decoder {
 public:
  /// Bytes of memory that one value may take.
  explicit Decoder(ByteStream& stream, std::size_t most_bytes = std::size_t{1} << 30)
      : stream_(stream), most_bytes_(most_bytes) {}

  /// What every stream of yardl begins with. Throws IoError for another beginning or version, and as Schema.
  Schema read_schema();
  /// Throws  IoError, naming the place: numbers out of range, tags of no alternative, more than the memory allows;
  ///         StreamEnded within the value
  Json read(const Type& type, std::string_view name);
  /// How many items of a stream come before the next such number; 0: it is over.
  std::uint64_t read_count(std::string_view name);

 private:
  [[noreturn]] void refuse(const std::string& what) const;
  void take(double bytes);
  void read_bytes(std::span<std::byte> to);
  std::uint8_t read_byte();
  std::uint64_t read_varint(int bits);
  template <class T>
  T read_fixed();
  std::string read_text();
  Json value(const Type& type);
  Json natural(const Type& type);
  Json real(int bits);
  Json choice(const Type& type);
  Json record(const Type& type);
  Json list(const Type& item, std::uint64_t count);
  Json pairs(const Type& type);
  Json array(const Type& type);

  ByteStream& stream_;
  std::size_t most_bytes_;
  double left_ = 0;  // of the memory of the value
  std::vector<std::string_view> place_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(std::size_t{1} << 16);
  std::size_t used_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace whorl::serve::mrd2
