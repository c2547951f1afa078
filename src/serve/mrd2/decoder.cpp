#include "serve/mrd2/decoder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "whorl/core/error.hpp"

namespace whorl::serve::mrd2 {

namespace {

// Memory is taken for so many bytes that have not arrived yet.
constexpr std::size_t ahead = std::size_t{1} << 16;
constexpr std::size_t most_text = std::size_t{16} << 20;
constexpr std::uint64_t most_axes = 32;
constexpr double bytes_of_value = 64;  // of one in JSON, with its share of the containers around it

}  // namespace

void Decoder::refuse(const std::string& what) const {
  throw IoError(fmt::format("MRD v2, {}: {}", fmt::join(place_, "."), what));
}

void Decoder::take(double bytes) {
  left_ -= bytes;
  if (left_ < 0) refuse(fmt::format("it takes more memory than the {} MB that a value may", most_bytes_ >> 20));
}

void Decoder::read_bytes(std::span<std::byte> to) {
  while (!to.empty()) {
    if (used_ == filled_) {
      used_ = 0;
      filled_ = stream_.read_some(buffer_);
      if (filled_ == 0) {
        throw StreamEnded(fmt::format("MRD v2, {}: the stream ends within it, {} bytes or more are missing",
                                      fmt::join(place_, "."), to.size()));
      }
    }
    const std::size_t count = std::min(to.size(), filled_ - used_);
    std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(used_), count, to.begin());
    used_ += count;
    to = to.subspan(count);
  }
}

std::uint8_t Decoder::read_byte() { return read_fixed<std::uint8_t>(); }

template <class T>
T Decoder::read_fixed() {
  T made{};
  read_bytes(std::as_writable_bytes(std::span(&made, 1)));
  return made;
}

// Seven bits a byte, the lowest first; the highest bit says that more come.
std::uint64_t Decoder::read_varint(int bits) {
  std::uint64_t made = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::uint64_t byte = read_byte();
    const std::uint64_t part = byte & 0x7F;
    made |= part << shift;
    if (shift + 7 > 64 && part >> (64 - shift) != 0) break;
    if (byte < 0x80) {
      if (bits < 64 && made >> bits != 0) refuse(fmt::format("{} is beyond {} bits", made, bits));
      return made;
    }
  }
  refuse("a number has more than 64 bits");
}

std::string Decoder::read_text() {
  const std::uint64_t length = read_varint(64);
  if (length > most_text) refuse(fmt::format("a text has {} bytes, at most {} are taken", length, most_text));
  take(static_cast<double>(length));
  std::string text;
  while (text.size() < length) {
    const std::size_t before = text.size();
    text.resize(before + std::min(ahead, length - before));
    read_bytes(std::as_writable_bytes(std::span(text).subspan(before)));
  }
  return text;
}

Schema Decoder::read_schema() {
  place_ = {"schema"};
  left_ = static_cast<double>(most_text);
  std::array<char, stream_begin.size()> first{};
  read_bytes(std::as_writable_bytes(std::span(first)));
  if (std::string_view(first.data(), first.size()) != stream_begin) {
    refuse("it does not begin as a stream of yardl does; is it MRD v1, or a file?");
  }
  const auto number = read_fixed<std::int32_t>();
  if (number != stream_version)
    refuse(fmt::format("its binary format has version {}, {} is read", number, stream_version));
  return Schema(read_text());
}

std::uint64_t Decoder::read_count(std::string_view name) {
  place_ = {name};
  return read_varint(64);
}

Json Decoder::read(const Type& type, std::string_view name) {
  place_ = {name};
  left_ = static_cast<double>(most_bytes_);
  return value(type);
}

Json Decoder::value(const Type& type) {
  take(bytes_of_value);
  switch (type.kind) {
    case Kind::boolean:
      return read_byte() != 0;
    case Kind::integer:
    case Kind::natural:
      return natural(type);
    case Kind::enumeration:
      return natural(*type.item);
    case Kind::real:
      return real(type.bits);
    case Kind::complex: {
      Json first = real(type.bits);
      return Json::array({std::move(first), real(type.bits)});
    }
    case Kind::text:
      return read_text();
    case Kind::record:
      return record(type);
    case Kind::choice:
      return choice(type);
    case Kind::vector:
      return list(*type.item, type.has_length ? type.extents[0] : read_varint(64));
    case Kind::array:
      return array(type);
    case Kind::map:
      return pairs(type);
    case Kind::stream:
      break;
  }
  refuse("a stream lies within a value");
}

Json Decoder::natural(const Type& type) {
  if (type.bits == 8) {
    const std::uint8_t byte = read_byte();
    return type.kind == Kind::natural ? Json(byte) : Json(static_cast<std::int8_t>(byte));
  }
  const std::uint64_t number = read_varint(type.bits);
  if (type.kind == Kind::natural) return number;
  // Small numbers of both signs are short: 0, -1, 1, -2, ...
  return static_cast<std::int64_t>(number >> 1) ^ -static_cast<std::int64_t>(number & 1);
}

Json Decoder::real(int bits) { return bits == 32 ? static_cast<double>(read_fixed<float>()) : read_fixed<double>(); }

Json Decoder::choice(const Type& type) {
  const std::uint8_t number = read_byte();
  if (number >= type.members.size()) {
    refuse(fmt::format("alternative {} of a type that has {}", number, type.members.size()));
  }
  const Member& member = type.members[number];
  if (member.type == nullptr) return nullptr;
  if (member.name.empty()) return value(*member.type);
  place_.push_back(member.name);
  Json made{{"tag", member.name}, {"value", value(*member.type)}};
  place_.pop_back();
  return made;
}

Json Decoder::record(const Type& type) {
  Json made = Json::object();
  for (const Member& member : type.members) {
    place_.push_back(member.name);
    made.emplace(member.name, value(*member.type));
    place_.pop_back();
  }
  return made;
}

Json Decoder::list(const Type& item, std::uint64_t count) {
  Json made = Json::array();
  for (std::uint64_t i = 0; i < count; ++i) made.push_back(value(item));
  return made;
}

Json Decoder::pairs(const Type& type) {
  Json made = Json::array();
  const std::uint64_t count = read_varint(64);
  for (std::uint64_t i = 0; i < count; ++i) {
    Json key = value(*type.key);
    made.push_back(Json::array({std::move(key), value(*type.item)}));
  }
  return made;
}

Json Decoder::array(const Type& type) {
  std::vector<std::uint64_t> shape = type.extents;
  if (!type.has_length) {
    const std::uint64_t axes = type.axes >= 0 ? static_cast<std::uint64_t>(type.axes) : read_varint(64);
    if (axes > most_axes) refuse(fmt::format("an array has {} axes, at most {} are taken", axes, most_axes));
    for (std::uint64_t axis = 0; axis < axes; ++axis) shape.push_back(read_varint(64));
  }
  double elements = 1;  // in double, which no product of these leaves
  for (const std::uint64_t extent : shape) elements *= static_cast<double>(extent);
  const std::size_t size = type.item->plain_size();
  if (elements * static_cast<double>(std::max<std::size_t>(size, 1)) > static_cast<double>(most_bytes_)) {
    refuse(fmt::format("an array of {} elements takes more memory than the {} MB that a value may",
                       fmt::join(shape, " x "), most_bytes_ >> 20));
  }
  const auto count = static_cast<std::uint64_t>(elements);
  if (type.has_length) return list(*type.item, count);
  Json made{{"shape", shape}};
  if (size == 0) {
    made["data"] = list(*type.item, count);
    return made;
  }
  take(elements * static_cast<double>(size));
  std::vector<std::uint8_t> bytes;
  while (bytes.size() < count * size) {
    const std::size_t before = bytes.size();
    bytes.resize(before + std::min<std::size_t>(ahead, count * size - before));
    read_bytes(std::as_writable_bytes(std::span(bytes).subspan(before)));
  }
  made["data"] = Json::binary(std::move(bytes));
  return made;
}

}  // namespace whorl::serve::mrd2
