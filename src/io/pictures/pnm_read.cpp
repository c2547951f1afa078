#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "io/pictures/rows.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

constexpr Index most_eight_bits = 255;
constexpr Index most_sixteen_bits = 65535;

bool is_blank(int letter) { return letter == ' ' || (letter >= '\t' && letter <= '\r'); }

/// PBM, PGM, PPM and PAM, as text (P1 to P3) or binary (P4 to P7).
class PnmSource : public RowSource {
 public:
  PnmSource(PictureFile file, PnmValues values) : file_(std::move(file)), values_(values) {
    file_.next();
    kind_ = file_.next();
    format_.channels = kind_ == '3' || kind_ == '6' ? Channels::rgb : Channels::gray;
    if (kind_ == '7') {
      read_pam_header();
    } else {
      format_.width = header_number("width");
      format_.height = header_number("height");
      largest_ = is_bitmap() ? 1 : header_number("largest value");
      if (!is_text()) file_.next();  // the one blank that ends the header
    }
    if (largest_ > most_sixteen_bits || largest_ < 1) {
      throw IoError(
          fmt::format("'{}': its largest value is {}, expected 1 to {}", file_.name(), largest_, most_sixteen_bits));
    }
    format_.type = largest_ > most_eight_bits ? PixelType::uint16 : PixelType::uint8;
    pixels_at_ = file_.position();
    check_size();
  }

  const ImageFormat& format() const override { return format_; }
  std::string_view file_format() const override { return "PNM"; }
  void read_row(std::byte* to) override {
    if (format_.type == PixelType::uint8) {
      read_numbers(reinterpret_cast<std::uint8_t*>(to));
    } else {
      read_numbers(reinterpret_cast<std::uint16_t*>(to));
    }
    ++row_;
  }
  void rewind() override {
    file_.seek(pixels_at_);
    row_ = 0;
  }

 private:
  bool is_text() const { return kind_ <= '3'; }
  /// One bit a pixel, of which 1 is black.
  bool is_bitmap() const { return kind_ == '1' || kind_ == '4'; }

  int next_letter();
  Index header_number(const char* what);
  Index text_number();
  std::string pam_line();
  void read_pam_header();
  void check_size() const;
  template <class T>
  void read_numbers(T* to);
  template <class T>
  T finished(Index value) const;

  PictureFile file_;
  PnmValues values_;
  int kind_ = 0;
  ImageFormat format_;
  Index largest_ = 0;
  std::uintmax_t pixels_at_ = 0;
  Index row_ = 0;
  std::vector<std::uint8_t> stored_;
};

/// The first letter after blanks and comments; -1 at the end.
int PnmSource::next_letter() {
  int letter = file_.next();
  while (is_blank(letter) || letter == '#') {
    if (letter == '#') {
      while (letter >= 0 && letter != '\n' && letter != '\r') letter = file_.next();
    } else {
      letter = file_.next();
    }
  }
  return letter;
}

/// Reads digits and leaves the character after them; -1 without digits.
Index PnmSource::text_number() {
  constexpr Index most = Index{1} << 40U;
  int letter = next_letter();
  if (letter < '0' || letter > '9') return -1;
  Index number = 0;
  for (; letter >= '0' && letter <= '9'; letter = file_.next()) number = std::min(number * 10 + letter - '0', most);
  if (letter >= 0) file_.seek(file_.position() - 1);
  return number;
}

Index PnmSource::header_number(const char* what) {
  const Index number = text_number();
  if (number >= 1) return number;
  throw IoError(fmt::format("'{}': its header has no {}; expected a width, a height and a largest value above 0",
                            file_.name(), what));
}

std::string PnmSource::pam_line() {
  constexpr std::size_t longest = 1000;
  std::string line;
  int letter = file_.next();
  for (; letter >= 0 && letter != '\n' && line.size() < longest; letter = file_.next())
    line += static_cast<char>(letter);
  if (letter != '\n') throw IoError(fmt::format("'{}': its PAM header does not end in ENDHDR", file_.name()));
  return line;
}

void PnmSource::read_pam_header() {
  Index depth = 0;
  for (std::string line = pam_line(); !line.starts_with("ENDHDR"); line = pam_line()) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string name = line.substr(0, blank);
    const std::string text = line.substr(std::min(line.find_first_not_of(' ', blank), line.size()));
    if (name == "TUPLTYPE") {
      constexpr std::array<std::string_view, 6> known{"BLACKANDWHITE",       "GRAYSCALE",       "RGB",
                                                      "BLACKANDWHITE_ALPHA", "GRAYSCALE_ALPHA", "RGB_ALPHA"};
      if (std::find(known.begin(), known.end(), text) == known.end()) {
        throw Unsupported(
            fmt::format("'{}': a PAM picture of another kind than gray or RGB, with or without alpha", file_.name()));
      }
      continue;
    }
    Index* number = name == "WIDTH"    ? &format_.width
                    : name == "HEIGHT" ? &format_.height
                    : name == "DEPTH"  ? &depth
                    : name == "MAXVAL" ? &largest_
                                       : nullptr;
    if (number == nullptr) continue;  // a comment, an empty line
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (error != std::errc{} || *number < 1) {
      throw IoError(fmt::format("'{}': its PAM header has no number above 0 after {}", file_.name(), name));
    }
  }
  if (depth < 1 || depth > 4) {
    throw IoError(fmt::format("'{}': its PAM header says {} numbers a pixel, expected 1 to 4", file_.name(), depth));
  }
  constexpr std::array<Channels, 4> by_depth{Channels::gray, Channels::gray_alpha, Channels::rgb, Channels::rgba};
  format_.channels = by_depth[static_cast<std::size_t>(depth - 1)];
}

/// The shortest text of a number is a digit and a blank, of a bit the digit alone.
void PnmSource::check_size() const {
  check_claim(
      file_, format_.width, format_.height,
      kind_ == '4' ? static_cast<std::uintmax_t>((format_.width + 7) / 8) : static_cast<std::uintmax_t>(format_.width));
  const auto row = static_cast<std::uintmax_t>(format_.row());
  const auto height = static_cast<std::uintmax_t>(format_.height);
  std::uintmax_t bytes = row * height * bytes_of(format_.type);
  if (kind_ == '4') bytes = (row + 7) / 8 * height;
  if (kind_ == '1') bytes = row * height;
  if (kind_ == '2' || kind_ == '3') bytes = 2 * row * height - 1;
  if (bytes > file_.size() - pixels_at_) {
    throw IoError(fmt::format("'{}': {} x {} pixels take more than the {} bytes after its header: it is truncated",
                              file_.name(), format_.width, format_.height, file_.size() - pixels_at_));
  }
}

template <class T>
T PnmSource::finished(Index value) const {
  if (is_bitmap()) return value == 0 ? static_cast<T>(most_eight_bits) : T{0};
  if (value > largest_) {
    throw IoError(fmt::format("'{}' is damaged: row {} has a value of {}, the largest is said to be {}", file_.name(),
                              row_, value, largest_));
  }
  const Index full = sizeof(T) == 1 ? most_eight_bits : most_sixteen_bits;
  if (values_ == PnmValues::as_stored || largest_ == full) return static_cast<T>(value);
  return static_cast<T>((value * full + largest_ / 2) / largest_);
}

template <class T>
void PnmSource::read_numbers(T* to) {
  const auto count = static_cast<std::size_t>(format_.row());
  if (is_text()) {
    for (std::size_t i = 0; i < count; ++i) {
      const int digit = kind_ == '1' ? next_letter() : '0';  // bits need no blank between them
      const Index number = kind_ == '1' ? (digit == '0' || digit == '1' ? digit - '0' : -1) : text_number();
      if (number < 0) {
        throw IoError(
            fmt::format("'{}': row {}, number {} is none: it is truncated or damaged", file_.name(), row_, i));
      }
      to[i] = finished<T>(number);
    }
    return;
  }
  stored_.resize(kind_ == '4' ? (count + 7) / 8 : count * sizeof(T));
  file_.read(stored_.data(), stored_.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (kind_ == '4') {
      to[i] = finished<T>((stored_[i / 8] >> (7 - i % 8)) & 1);
    } else {  // the more significant byte is first
      to[i] = finished<T>(sizeof(T) == 1 ? stored_[i] : stored_[2 * i] << 8 | stored_[2 * i + 1]);
    }
  }
}

}  // namespace

Source open_pnm(PictureFile file, PnmValues values) { return std::make_unique<PnmSource>(std::move(file), values); }

}  // namespace whorl::io
