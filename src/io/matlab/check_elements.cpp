#include "io/matlab/check_elements.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

// Types of elements.
struct Kind {
  static constexpr std::uint32_t integers = 5;
  static constexpr std::uint32_t unsigned_integers = 6;
  static constexpr std::uint32_t matrix = 14;
  static constexpr std::uint32_t compressed = 15;
};

// Classes of arrays.
struct Class {
  static constexpr std::uint32_t cell = 1;
  static constexpr std::uint32_t structure = 2;
  static constexpr std::uint32_t object = 3;
  static constexpr std::uint32_t text = 4;
  static constexpr std::uint32_t sparse = 5;
  static constexpr std::uint32_t last_numeric = 15;
  static constexpr std::uint32_t function = 16;
};

constexpr int most_levels = 32;
constexpr double most_elements = 10000;       // of cells and structures: matio keeps 50 kB for each
constexpr std::size_t most_variables = 2000;  // matio looks for each from the beginning
constexpr std::size_t part_bytes = std::size_t{1} << 16U;

/// Bytes one after another.
class Bytes {
 public:
  virtual ~Bytes() = default;
  /// Throws IoError where they end before.
  virtual void read(void* to, std::size_t count) = 0;
  virtual void skip(std::uint64_t count) = 0;
};

class FileBytes final : public Bytes {
 public:
  explicit FileBytes(const std::filesystem::path& path) : name_(path.string()), stream_(path, std::ios::binary) {}

  void at(std::uint64_t position) { stream_.seekg(static_cast<std::streamoff>(position)); }
  void read(void* to, std::size_t count) override {
    if (!stream_.read(static_cast<char*>(to), static_cast<std::streamsize>(count))) {
      throw IoError(fmt::format("{}: the file is truncated, or can not be read", name_));
    }
  }
  void skip(std::uint64_t count) override { stream_.seekg(static_cast<std::streamoff>(count), std::ios::cur); }

 private:
  std::string name_;
  std::ifstream stream_;
};

/// What `count` compressed bytes of a file hold.
class InflatedBytes final : public Bytes {
 public:
  InflatedBytes(FileBytes& file, std::uint64_t count, std::string name)
      : file_(file), left_(count), name_(std::move(name)), packed_(part_bytes) {
    if (inflateInit(&stream_) != Z_OK) throw IoError(fmt::format("{}: zlib can not begin", name_));
  }
  ~InflatedBytes() override { inflateEnd(&stream_); }
  InflatedBytes(const InflatedBytes&) = delete;
  InflatedBytes& operator=(const InflatedBytes&) = delete;

  void read(void* to, std::size_t count) override {
    stream_.next_out = static_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(count);
    while (stream_.avail_out > 0) {
      if (stream_.avail_in == 0 && left_ > 0) {
        const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(left_, packed_.size()));
        file_.read(packed_.data(), some);
        left_ -= some;
        stream_.next_in = packed_.data();
        stream_.avail_in = static_cast<uInt>(some);
      }
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_OK || (status == Z_STREAM_END && stream_.avail_out == 0)) continue;
      throw IoError(fmt::format("{}: its compressed data are damaged or truncated", name_));
    }
  }
  void skip(std::uint64_t count) override {
    std::vector<Bytef> unused(static_cast<std::size_t>(std::min<std::uint64_t>(count, part_bytes)));
    for (; count > 0; count -= std::min<std::uint64_t>(count, part_bytes)) {
      read(unused.data(), static_cast<std::size_t>(std::min<std::uint64_t>(count, part_bytes)));
    }
  }

 private:
  FileBytes& file_;
  std::uint64_t left_;
  std::string name_;
  std::vector<Bytef> packed_;
  z_stream stream_{};
};

struct Tag {
  std::uint32_t kind = 0;
  std::uint32_t bytes = 0;
  bool is_small = false;  // its data are the last four bytes of the tag
  std::array<unsigned char, 4> data{};

  /// Bytes that follow the tag.
  std::uint64_t following() const { return is_small ? 0 : (std::uint64_t{bytes} + 7) / 8 * 8; }
};

class Walk {
 public:
  explicit Walk(const std::filesystem::path& path) : name_(path.string()), size_(size_of_file(path)), file_(path) {}

  void run() {
    constexpr std::uint64_t header = 128;
    constexpr std::uint64_t tag_bytes = 8;
    std::array<char, 2> mark{};
    file_.at(header - mark.size());
    file_.read(mark.data(), mark.size());
    swapped_ = mark[0] == 'M';  // "IM", or "MI" where it is big-endian
    std::uint64_t position = header;
    for (std::size_t variables = 0; position + tag_bytes <= size_; ++variables) {
      if (variables == most_variables) fail(fmt::format("it has more than {} variables", most_variables));
      file_.at(position);
      const Tag tag = read_tag(file_);
      if (tag.is_small || (tag.kind != Kind::matrix && tag.kind != Kind::compressed)) {
        fail(fmt::format("there is no variable at byte {}: the file is damaged", position));
      }
      position += tag_bytes + tag.bytes;
      if (position <= size_) take_variable(tag);
    }
    if (position != size_) {
      fail(fmt::format("the file is truncated: its variables reach to byte {}, it has {}", position, size_));
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw IoError(fmt::format("{}: {}", name_, what)); }

  std::uint32_t number_at(const unsigned char* bytes) const {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) number = number << 8U | bytes[swapped_ ? i : 3 - i];
    return number;
  }

  Tag read_tag(Bytes& from) const {
    std::array<unsigned char, 8> bytes{};
    from.read(bytes.data(), bytes.size());
    const std::uint32_t first = number_at(bytes.data());
    Tag tag{first, number_at(bytes.data() + 4)};
    if (first >> 16U == 0) return tag;
    tag = {first & 0xFFFFU, first >> 16U, true};
    std::copy(bytes.begin() + 4, bytes.end(), tag.data.begin());
    if (tag.bytes > 4) fail("an element of more than 4 bytes is said to lie in its tag: the file is damaged");
    return tag;
  }

  void take_variable(const Tag& tag) {
    if (tag.kind == Kind::matrix) return take_array(file_, tag.bytes, 0);
    InflatedBytes inflated(file_, tag.bytes, name_);
    const Tag inside = read_tag(inflated);
    if (inside.kind != Kind::matrix || inside.is_small || inside.bytes / deflate_expansion > tag.bytes) {
      fail("a compressed variable holds no array, or more than its bytes can: the file is damaged");
    }
    take_array(inflated, inside.bytes, 0);
  }

  /// A tag inside an array, of which `left` bytes are left; those of its data are taken off.
  Tag take_tag(Bytes& from, std::uint64_t& left) const {
    constexpr std::uint64_t tag_bytes = 8;
    if (left < tag_bytes) fail("an array ends before its elements: the file is damaged");
    const Tag tag = read_tag(from);
    left -= tag_bytes;
    if (tag.following() > left) fail("an element is longer than the array around it: the file is damaged");
    left -= tag.following();
    return tag;
  }

  std::vector<std::uint32_t> take_numbers(Bytes& from, std::uint64_t& left, std::uint32_t kind) const {
    constexpr std::size_t most = 64;
    const Tag tag = take_tag(from, left);
    if (tag.kind != kind || tag.bytes % 4 != 0 || tag.bytes > 4 * most) {
      fail("an array's flags or extents are none: the file is damaged");
    }
    std::vector<unsigned char> bytes(tag.data.begin(), tag.data.end());
    if (!tag.is_small) {
      bytes.resize(tag.following());
      from.read(bytes.data(), bytes.size());
    }
    std::vector<std::uint32_t> numbers;
    for (std::size_t at = 0; at < tag.bytes; at += 4) numbers.push_back(number_at(bytes.data() + at));
    return numbers;
  }

  Tag pass(Bytes& from, std::uint64_t& left) const {
    const Tag tag = take_tag(from, left);
    from.skip(tag.following());
    return tag;
  }

  /// The elements of an array, of `left` bytes; those that need not be looked at may stay unread at level 0.
  void take_array(Bytes& from, std::uint64_t left, int level) {
    if (left == 0) return;
    if (level > most_levels)
      fail(fmt::format("its cells and structures lie in each other in more than {} levels", most_levels));
    const std::vector<std::uint32_t> flags = take_numbers(from, left, Kind::unsigned_integers);
    const std::uint32_t kind = flags.empty() ? 0 : flags.front() & 0xFFU;
    const bool is_container =
        kind == Class::cell || kind == Class::structure || kind == Class::object || kind == Class::function;
    if (is_container || (kind >= Class::text && kind <= Class::last_numeric)) {
      double count = 1;
      for (const std::uint32_t extent : take_numbers(from, left, Kind::integers)) {
        if (extent > INT32_MAX) fail("an array has a negative extent: the file is damaged");
        count *= extent;
      }
      pass(from, left);  // the name
      if (is_container) return take_parts(from, left, kind, count, level);
      if (kind != Class::sparse && count > static_cast<double>(left)) {
        fail(fmt::format("an array claims {:.0f} elements, more than its {} bytes can hold: the file is damaged", count,
                         left));
      }
    }
    if (level > 0) from.skip(left);
  }

  void take_parts(Bytes& from, std::uint64_t left, std::uint32_t kind, double count, int level) {
    if (kind == Class::object) pass(from, left);  // the name of the class
    if (kind == Class::structure || kind == Class::object) {
      const std::vector<std::uint32_t> length = take_numbers(from, left, Kind::integers);
      const Tag names = pass(from, left);
      if (length.size() != 1 || length.front() == 0) fail("a structure has no length of its fields' names");
      const std::uint64_t fields = names.bytes / length.front();
      count *= static_cast<double>(fields);
    }
    elements_ += count;
    if (elements_ > most_elements) {
      fail(fmt::format("its cells and structures have more than {} elements; save the arrays as variables of their own",
                       most_elements));
    }
    for (double i = 0; i < count; ++i) {
      const Tag tag = take_tag(from, left);
      if (tag.kind != Kind::matrix || tag.is_small)
        fail("an element of a cell or structure is no array: the file is damaged");
      take_array(from, tag.bytes, level + 1);
      from.skip(tag.following() - tag.bytes);
    }
    if (level > 0) from.skip(left);
  }

  std::string name_;
  std::uint64_t size_;
  FileBytes file_;
  bool swapped_ = false;
  double elements_ = 0;
};

}  // namespace

void check_matlab5(const std::filesystem::path& path) { Walk(path).run(); }

}  // namespace whorl::io
