#include "serve/mrd2/encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "whorl/core/error.hpp"

namespace whorl::serve::mrd2 {

namespace {

// Types that have each other as members twice could ask for a value without end.
constexpr std::size_t most_values = std::size_t{1} << 24;

const Json& nothing() {
  static const Json none;
  return none;
}

const Json& part(const Json& value, const std::string& name) {
  const auto found = value.is_object() ? value.find(name) : value.end();
  return value.is_object() && found != value.end() ? *found : nothing();
}

std::uint64_t zigzag(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
}

}  // namespace

std::vector<std::byte> Encoder::take() { return std::exchange(bytes_, {}); }

void Encoder::append(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

void Encoder::write_count(std::uint64_t count) {
  for (; count >= 0x80; count >>= 7) bytes_.push_back(static_cast<std::byte>((count & 0x7F) | 0x80));
  bytes_.push_back(static_cast<std::byte>(count));
}

void Encoder::text(std::string_view text) {
  write_count(text.size());
  append(std::as_bytes(std::span(text)));
}

void Encoder::write_schema(const Schema& schema) {
  append(std::as_bytes(std::span(stream_begin)));
  append(std::as_bytes(std::span(&stream_version, 1)));
  text(schema.text());
}

void Encoder::write(const Type& type, const Json& value) {
  values_ = 0;
  try {
    this->value(type, value);
  } catch (const Json::exception&) {
    throw IoError("MRD v2: a value is of another kind than the schema of the output has it");
  }
}

void Encoder::value(const Type& type, const Json& value) {
  if (++values_ > most_values) throw IoError("MRD v2: a value of the output's schema has too many parts");
  switch (type.kind) {
    case Kind::boolean:
    case Kind::integer:
    case Kind::natural:
      return number(type, value);
    case Kind::enumeration:
      return number(*type.item, value);
    case Kind::real:
      return real(type.bits, value);
    case Kind::complex:
      for (std::size_t i = 0; i < 2; ++i) real(type.bits, value.is_array() ? value.at(i) : nothing());
      return;
    case Kind::text:
      return text(value.is_null() ? std::string() : value.get<std::string>());
    case Kind::record:
      for (const Member& member : type.members) this->value(*member.type, part(value, member.name));
      return;
    case Kind::choice:
      return choice(type, value);
    case Kind::vector: {
      const std::size_t count = type.has_length ? type.extents[0] : value.size();
      if (!type.has_length) write_count(count);
      return list(*type.item, value, count);
    }
    case Kind::array:
      return array(type, value);
    case Kind::map:
      write_count(value.size());
      for (const Json& pair : value) {
        this->value(*type.key, pair.at(0));
        this->value(*type.item, pair.at(1));
      }
      return;
    case Kind::stream:
      break;
  }
  throw IoError("MRD v2: the output's schema has a stream within a value");
}

void Encoder::number(const Type& type, const Json& value) {
  if (type.kind == Kind::boolean)
    return bytes_.push_back(static_cast<std::byte>(value.is_boolean() && value.get<bool>()));
  if (!value.is_null() && !value.is_number_integer()) {
    throw IoError(fmt::format("MRD v2: '{}' is written where the output's schema has an integer", value.type_name()));
  }
  const auto word = value.is_null() ? std::int64_t{0} : value.get<std::int64_t>();
  if (type.bits == 8) return bytes_.push_back(static_cast<std::byte>(word));
  const std::uint64_t coded = type.kind == Kind::natural ? static_cast<std::uint64_t>(word) : zigzag(word);
  if (type.bits < 64 && coded >> type.bits != 0) {
    throw IoError(fmt::format("MRD v2: {} is beyond the {} bits of the output's schema", word, type.bits));
  }
  write_count(coded);
}

void Encoder::real(int bits, const Json& value) {
  const double number = value.is_null() ? 0 : value.get<double>();
  const auto narrow = static_cast<float>(number);
  append(bits == 32 ? std::as_bytes(std::span(&narrow, 1)) : std::as_bytes(std::span(&number, 1)));
}

void Encoder::choice(const Type& type, const Json& value) {
  const bool has_nothing = type.members[0].type == nullptr;
  std::size_t number = 0;
  if (!(value.is_null() && has_nothing)) {
    const Json& tag = part(value, "tag");
    const auto found = std::find_if(type.members.begin(), type.members.end(), [&](const Member& member) {
      return member.type != nullptr && (member.name.empty() || tag.is_null() ||
                                        (tag.is_string() && tag.get_ref<const std::string&>() == member.name));
    });
    if (found == type.members.end()) {
      throw IoError(fmt::format("MRD v2: the output's schema has no '{}'", tag.get<std::string>()));
    }
    number = static_cast<std::size_t>(found - type.members.begin());
  }
  bytes_.push_back(static_cast<std::byte>(number));
  const Member& member = type.members[number];
  if (member.type != nullptr) this->value(*member.type, member.name.empty() ? value : part(value, "value"));
}

void Encoder::list(const Type& item, const Json& value, std::size_t count) {
  if (!value.is_null() && value.size() != count) {
    throw IoError(fmt::format("MRD v2: a list has {} values where the output's schema has {}", value.size(), count));
  }
  for (std::size_t i = 0; i < count; ++i) this->value(item, value.is_null() ? nothing() : value[i]);
}

void Encoder::array(const Type& type, const Json& value) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : type.extents) count *= extent;
  if (type.has_length) return list(*type.item, value, count);
  const Json& shape = part(value, "shape");
  const std::size_t axes = type.axes >= 0 ? static_cast<std::size_t>(type.axes) : shape.size();
  if (!shape.is_null() && shape.size() != axes) {
    throw IoError(fmt::format("MRD v2: an array has {} axes where the output's schema has {}", shape.size(), axes));
  }
  if (type.axes < 0) write_count(axes);
  for (std::size_t axis = 0; axis < axes; ++axis) write_count(shape.is_null() ? 0 : shape[axis].get<std::uint64_t>());
  const Json& data = part(value, "data");
  if (data.is_binary()) return append(std::as_bytes(std::span(data.get_binary())));
  list(*type.item, data, data.size());
}

}  // namespace whorl::serve::mrd2
