#include "io/dicom/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "io/bytes/byte_source.hpp"
#include "io/dicom/elements.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

using dicom::Tag;

constexpr std::size_t preamble_bytes = 128;
constexpr std::uint32_t undefined_length = 0xFFFFFFFF;
constexpr Tag item = 0xFFFEE000;
constexpr Tag item_end = 0xFFFEE00D;
constexpr Tag sequence_end = 0xFFFEE0DD;
constexpr Tag pixel_data = 0x7FE00010;
constexpr int most_depth = 32;  // of sequences in sequences

struct ReadElement {
  Tag tag = 0;
  std::uint32_t length = 0;
};

// The elements of a data set, one after another. Every length is held against what is left.
class DataSetReader {
 public:
  DataSetReader(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  bool at_end() const { return at_ >= bytes_.size(); }
  std::uint16_t next_group() const { return static_cast<std::uint16_t>(number(at_, 2)); }
  void set_explicit(bool is_explicit) { is_explicit_ = is_explicit; }

  // Reads the head of an element; its value comes next.
  ReadElement head() {
    ReadElement element{static_cast<Tag>(number(at_, 2) << 16U | number(at_ + 2, 2)), 0};
    at_ += 4;
    const bool has_representation = is_explicit_ && element.tag >> 16U != 0xFFFE;
    if (!has_representation) {
      element.length = number(at_, 4);
      at_ += 4;
      return element;
    }
    const std::string_view representation = take(2);
    constexpr std::string_view long_ones = "OB OW OF OD OL OV SQ UC UR UT UN SV UV";
    if (long_ones.find(representation) != std::string_view::npos) {
      at_ += 2;
      element.length = number(at_, 4);
      at_ += 4;
    } else {
      element.length = number(at_, 2);
      at_ += 2;
    }
    return element;
  }

  std::string_view value(const ReadElement& element) {
    if (element.length == undefined_length) {
      skip_to(sequence_end, 0);
      return {};
    }
    return take(element.length);
  }

  [[noreturn]] void fail(const std::string& cause) const {
    throw IoError(fmt::format("cannot read '{}': {}", name_, cause));
  }

 private:
  void skip_to(Tag end, int depth) {
    if (depth > most_depth) fail("its sequences lie too deep in one another");
    while (true) {
      const ReadElement element = head();
      if (element.tag == end) return;
      if (element.length == undefined_length) {
        skip_to(element.tag == item ? item_end : sequence_end, depth + 1);
      } else {
        take(element.length);
      }
    }
  }

  std::uint32_t number(std::size_t at, std::size_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) fail("it ends within an element");
    std::uint32_t result = 0;
    for (std::size_t i = count; i-- > 0;) result = result << 8U | static_cast<unsigned char>(bytes_[at + i]);
    return result;
  }

  std::string_view take(std::size_t count) {
    if (at_ > bytes_.size() || count > bytes_.size() - at_) fail("it ends within an element");
    const std::string_view value = bytes_.substr(at_, count);
    at_ += count;
    return value;
  }

  std::string_view bytes_;
  std::string name_;
  std::size_t at_ = 0;
  bool is_explicit_ = true;
};

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  const std::size_t last = text.find_last_not_of(std::string_view(" \0", 2));
  return first == std::string_view::npos || last == std::string_view::npos || last < first
             ? std::string()
             : std::string(text.substr(first, last - first + 1));
}

using Values = std::map<Tag, std::string_view>;

// DS or IS: numbers between backslashes. Fewer than are there where one is no number.
std::vector<double> decimals(const Values& values, Tag tag) {
  std::vector<double> numbers;
  const auto found = values.find(tag);
  if (found == values.end()) return numbers;
  std::string_view rest = found->second;
  while (true) {
    const std::size_t end = std::min(rest.find('\\'), rest.size());
    std::string text = trimmed(rest.substr(0, end));
    if (text.starts_with('+')) text.erase(0, 1);
    double number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(number)) return numbers;
    numbers.push_back(number);
    if (end == rest.size()) return numbers;
    rest.remove_prefix(end + 1);
  }
}

std::optional<Index> word(const Values& values, Tag tag) {
  const auto found = values.find(tag);
  if (found == values.end() || found->second.size() < 2) return std::nullopt;
  return static_cast<unsigned char>(found->second[0]) + 256 * static_cast<unsigned char>(found->second[1]);
}

double first_of(const Values& values, Tag tag, double otherwise) {
  const std::vector<double> numbers = decimals(values, tag);
  return numbers.empty() ? otherwise : numbers.front();
}

// From voxels to RAS+; DICOM's axes are LPS.
std::optional<Affine> place_of(const Values& values) {
  const std::vector<double> position = decimals(values, 0x00200032);
  const std::vector<double> directions = decimals(values, 0x00200037);
  const std::vector<double> spacing = decimals(values, 0x00280030);  // between rows, between columns
  if (position.size() != 3 || directions.size() != 6 || spacing.size() != 2) return std::nullopt;
  const double thickness = first_of(values, 0x00180088, first_of(values, 0x00180050, 1));
  Affine affine;
  for (std::size_t row = 0; row < 3; ++row) {
    const std::size_t next = (row + 1) % 3;
    const std::size_t last = (row + 2) % 3;
    const double normal = directions[next] * directions[3 + last] - directions[last] * directions[3 + next];
    const double sign = row < 2 ? -1 : 1;
    affine.matrix[row] = {sign * directions[row] * spacing[1], sign * directions[3 + row] * spacing[0],
                          sign * normal * thickness, sign * position[row]};
  }
  return affine;
}

struct Pixels {
  Index bits = 16;  // of a stored value
  Index allocated = 16;
  bool is_signed = false;
  double slope = 1;
  double intercept = 0;
};

float pixel_at(std::string_view bytes, std::size_t at, const Pixels& pixels) {
  std::uint64_t stored = 0;
  for (std::size_t i = static_cast<std::size_t>(pixels.allocated) / 8; i-- > 0;) {
    stored = stored << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  stored &= (std::uint64_t{1} << static_cast<unsigned>(pixels.bits)) - 1;
  auto value = static_cast<double>(stored);
  if (pixels.is_signed && (stored >> static_cast<unsigned>(pixels.bits - 1)) != 0)
    value -= std::ldexp(1.0, static_cast<int>(pixels.bits));
  return static_cast<float>(pixels.slope * value + pixels.intercept);
}

Array<float> image_of(const Context& ctx, const Values& values, const DataSetReader& reader) {
  const auto rows = word(values, 0x00280010);
  const auto columns = word(values, 0x00280011);
  const auto data = values.find(pixel_data);
  if (!rows || !columns || *rows == 0 || *columns == 0 || data == values.end()) reader.fail("it holds no image");
  if (word(values, 0x00280002).value_or(1) != 1) reader.fail("its image is in color; expected gray");
  Pixels pixels;
  pixels.allocated = word(values, 0x00280100).value_or(16);
  pixels.bits = word(values, 0x00280101).value_or(pixels.allocated);
  pixels.is_signed = word(values, 0x00280103).value_or(0) == 1;
  pixels.slope = first_of(values, 0x00281053, 1);
  pixels.intercept = first_of(values, 0x00281052, 0);
  const bool is_known = pixels.allocated == 8 || pixels.allocated == 16 || pixels.allocated == 32;
  if (!is_known || pixels.bits < 1 || pixels.bits > pixels.allocated) {
    reader.fail(fmt::format("its pixels have {} of {} bits; expected 8, 16 or 32", pixels.bits, pixels.allocated));
  }
  const double frames_said = first_of(values, 0x00280008, 1);
  const auto pixel_bytes = static_cast<std::size_t>(pixels.allocated / 8);
  const std::size_t there = data->second.size() / pixel_bytes;
  const auto most = static_cast<double>(there);
  if (!(frames_said >= 1) || frames_said * static_cast<double>(*rows * *columns) > most) {
    reader.fail(fmt::format("its pixel data hold {} values, expected {} frames of {} x {}", most, frames_said, *columns,
                            *rows));
  }
  const auto frames = static_cast<Index>(frames_said);
  Array<float> image(ctx, frames == 1 ? Shape{*rows, *columns} : Shape{frames, *rows, *columns});
  for (Index i = 0; i < image.size(); ++i) {
    image.data()[i] = pixel_at(data->second, static_cast<std::size_t>(i) * pixel_bytes, pixels);
  }
  return image;
}

std::string whole_file(const std::filesystem::path& path) {
  FileSource source(path);
  std::string bytes;
  constexpr std::size_t part = std::size_t{1} << 20;
  while (true) {
    const std::size_t before = bytes.size();
    bytes.resize(before + part);
    const std::size_t count = source.read_up_to(bytes.data() + before, part);
    bytes.resize(before + count);
    if (count < part) return bytes;
  }
}

}  // namespace

bool is_dicom(const FileStart& file) {
  return file.start.size() > preamble_bytes + 4 && file.text().substr(preamble_bytes, 4) == "DICM";
}

NamedArray read_dicom(const Context& ctx, const std::filesystem::path& path) {
  const std::string bytes = whole_file(path);
  if (bytes.size() < preamble_bytes + 4)
    throw IoError(fmt::format("cannot read '{}': it is no DICOM file", path.string()));
  DataSetReader reader(std::string_view(bytes).substr(preamble_bytes + 4), path.string());
  Values values;
  bool is_meta = true;  // group 2 is always in explicit VR
  while (!reader.at_end()) {
    ctx.check_cancel("reading DICOM");
    if (is_meta && reader.next_group() != 2) {
      is_meta = false;
      const auto syntax = values.find(0x00020010);
      const std::string uid = syntax == values.end() ? "" : trimmed(syntax->second);
      const bool is_implicit = uid == "1.2.840.10008.1.2";
      if (!is_implicit && uid != "1.2.840.10008.1.2.1") {
        reader.fail(
            fmt::format("its transfer syntax is {}, expected uncompressed little endian; decompress it first, such as "
                        "by dcmdjpeg or gdcmconv --raw",
                        uid));
      }
      reader.set_explicit(!is_implicit);
    }
    const ReadElement element = reader.head();
    values[element.tag] = reader.value(element);
  }
  Array<float> image = image_of(ctx, values, reader);
  return {path.stem().string(), std::move(image), place_of(values)};
}

}  // namespace whorl::io
