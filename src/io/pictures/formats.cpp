// The list of picture formats: the first bytes and the extensions of each.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "io/pictures/arrays.hpp"
#include "io/pictures/rows.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/picture.hpp"

namespace whorl::io {

namespace {

using Open = Source (*)(PictureFile);
using Create = Sink (*)(const std::filesystem::path&, const ImageFormat&);

/// BMP begins with only two letters; the size of the header, at byte 14, tells it from text.
bool is_bmp(std::string_view start) {
  constexpr std::size_t header_at = 14;
  constexpr unsigned char largest_header = 124;
  return start.starts_with("BM") && start.size() > header_at + 3 &&
         static_cast<unsigned char>(start[header_at]) <= largest_header &&
         start.substr(header_at + 1, 3) == std::string_view("\0\0\0", 3);
}

bool is_pnm(std::string_view start) {
  constexpr std::string_view blanks_and_comments = " \t\r\n#";
  return start.size() > 2 && start[0] == 'P' && start[1] >= '1' && start[1] <= '7' &&
         blanks_and_comments.find(start[2]) != std::string_view::npos;
}

Open opener(std::string_view start) {
  if (start.starts_with(std::string_view("\x89PNG\r\n\x1a\n", 8))) return &open_png;
  if (start.starts_with("\xff\xd8\xff")) return &open_jpeg;
  if (start.starts_with(std::string_view("II\x2a\0", 4)) || start.starts_with(std::string_view("MM\0\x2a", 4)) ||
      start.starts_with(std::string_view("II\x2b\0", 4)) || start.starts_with(std::string_view("MM\0\x2b", 4))) {
    return &open_tiff;
  }
  return is_bmp(start) ? &open_bmp : nullptr;
}

/// The format of an extension for writing.
struct Kind {
  std::string_view extension;
  Create create;
  std::vector<Channels> channels;
  bool sixteen_bits;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Channels> all{Channels::gray, Channels::gray_alpha, Channels::rgb, Channels::rgba};
  static const std::vector<Kind> list{
      {".bmp", &create_bmp, {Channels::gray, Channels::rgb, Channels::rgba}, false},
      {".pam", &create_pnm, all, true},
      {".pgm", &create_pnm, {Channels::gray}, true},
      {".png", &create_png, all, true},
      {".pnm", &create_pnm, {Channels::gray, Channels::rgb}, true},
      {".ppm", &create_pnm, {Channels::rgb}, true},
      {".tif", &create_tiff, all, true},
      {".tiff", &create_tiff, all, true},
  };
  return list;
}

std::string list_extensions() {
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds()) names.push_back(kind.extension);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Null where the extension names none. Windows writes extensions in capitals too.
const Kind* find_kind(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  const auto found =
      std::find_if(kinds().begin(), kinds().end(), [&](const Kind& kind) { return kind.extension == extension; });
  return found == kinds().end() ? nullptr : &*found;
}

const Kind& kind_of(const std::filesystem::path& path) {
  if (const Kind* const kind = find_kind(path)) return *kind;
  throw ValueError(fmt::format("'{}': the extension names the format; pictures are written as {}", path.string(),
                               list_extensions()));
}

constexpr std::size_t start_bytes = 32;

/// The format of a file by its first bytes.
std::string_view start_of(PictureFile& file, std::array<char, start_bytes>& bytes) {
  const std::string_view start(bytes.data(), file.read_up_to(bytes.data(), bytes.size()));
  file.seek(0);
  return start;
}

}  // namespace

bool is_picture(std::string_view start) { return is_pnm(start) || opener(start) != nullptr; }

Source open_picture(const std::filesystem::path& path, PnmValues values) {
  PictureFile file(path);
  std::array<char, start_bytes> bytes{};
  const std::string_view start = start_of(file, bytes);
  if (is_pnm(start)) return open_pnm(std::move(file), values);
  if (const Open open = opener(start)) return open(std::move(file));
  if (start.empty()) throw IoError(fmt::format("'{}': the file is empty", file.name()));
  if (start.starts_with("\x1f\x8b")) {
    throw IoError(fmt::format("'{}': a compressed file; decompress it first", file.name()));
  }
  throw IoError(fmt::format(
      "'{}': not a picture that whorl reads (by its content): expected BMP, JPEG, PNG, PNM or TIFF", file.name()));
}

Sink create_picture(const std::filesystem::path& path, const ImageFormat& format) {
  check_picture_path(path, format);
  return kind_of(path).create(path, format);
}

void check_claim(const PictureFile& file, Index width, Index height, std::uintmax_t row_bytes,
                 std::uintmax_t expansion) {
  if (width < 1 || height < 1) {
    throw IoError(
        fmt::format("'{}': its header says {} x {} pixels, expected at least 1 x 1", file.name(), width, height));
  }
  if (row_bytes > file.size() * expansion / static_cast<std::uintmax_t>(height)) refuse_claim(file, width, height);
}

void refuse_claim(const PictureFile& file, Index width, Index height) {
  throw IoError(fmt::format("'{}' claims {} x {} pixels, more than its {} bytes can hold: it is truncated or damaged",
                            file.name(), width, height, file.size()));
}

}  // namespace whorl::io

namespace whorl {

bool is_picture_file(const std::filesystem::path& path) {
  io::PictureFile file(path);
  std::array<char, io::start_bytes> bytes{};
  return io::is_picture(io::start_of(file, bytes));
}

bool names_picture(const std::filesystem::path& path) { return io::find_kind(path) != nullptr; }

void check_picture_path(const std::filesystem::path& path, const ImageFormat& format) {
  const io::Kind& kind = io::kind_of(path);
  const auto refuse = [&](std::string_view advice) {
    throw ValueError(
        fmt::format("'{}': {} is not written as {}; {}", path.string(), to_string(format), kind.extension, advice));
  };
  if (format.slices() != 1) refuse("a picture is one slice");
  if (format.height < 1 || format.width < 1) refuse("a picture has at least one pixel");
  if (format.channels == Channels::complex) refuse("take the magnitude first");
  if (format.type == PixelType::float32) refuse("convert it to uint8 or uint16 first");
  if (format.type == PixelType::uint16 && !kind.sixteen_bits) refuse("convert it to uint8 first, or write .png");
  if (std::find(kind.channels.begin(), kind.channels.end(), format.channels) == kind.channels.end()) {
    refuse("write .png, .pam or .tif, which hold all pixels");
  }
}

std::string_view picture_extensions() {
  static const std::string all = io::list_extensions();
  return all;
}

}  // namespace whorl
