// The schema that begins a stream of MRD v2: types as yardl describes them, in JSON, resolved to what reading and writing need.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/internal.hpp"

namespace whorl::serve::mrd2 {

/// What a stream of yardl begins with, before its schema, and the version of the binary format that is read and written.
inline constexpr std::string_view stream_begin = "yardl";
inline constexpr std::int32_t stream_version = 1;

/// What a type is made of. Numbers of more than 8 bits are of variable length in a stream, but for those with a point.
enum class Kind {
  boolean,
  integer,
  natural,
  real,
  complex,
  text,
  record,
  enumeration,
  choice,
  vector,
  array,
  map,
  stream
};

struct Type;

/// A member of a record, or an alternative of a choice; of the latter, one without a type is nothing (null).
struct Member {
  std::string name;
  const Type* type = nullptr;
};

struct Type {
  Kind kind = Kind::record;
  int bits = 0;                          ///< of numbers; of complex ones those of a part
  std::string name{};                    ///< of records, and of enumerations
  std::vector<Member> members{};         ///< of records and choices
  const Type* item = nullptr;            ///< of vectors, arrays, maps and streams; of an enumeration its number
  const Type* key = nullptr;             ///< of maps
  bool has_length = false;               ///< a vector or an array of fixed length
  int axes = -1;                         ///< of an array; -1: each has its own
  std::vector<std::uint64_t> extents{};  ///< of a vector or an array of fixed length
  std::vector<std::pair<std::string, std::int64_t>> words{};  ///< of an enumeration

  /// One value or nothing.
  bool is_optional() const { return kind == Kind::choice && members.size() == 2 && members[0].type == nullptr; }
  /// Bytes of a value that lies in arrays as it is in memory; 0: it is coded.
  std::size_t plain_size() const;
};

/// A protocol: its steps in their order. Types live as long as it does.
class Schema {
 public:
  /// Throws IoError for text that is no schema, types that contain themselves, and more or deeper ones than any protocol has.
  explicit Schema(std::string text);

  const std::string& text() const { return text_; }
  const std::string& protocol() const { return protocol_; }
  const std::vector<Member>& steps() const { return steps_; }

 private:
  friend class SchemaReader;

  std::string text_;
  std::string protocol_;
  std::vector<Member> steps_;
  std::shared_ptr<std::deque<Type>> types_ = std::make_shared<std::deque<Type>>();
};

}  // namespace whorl::serve::mrd2
