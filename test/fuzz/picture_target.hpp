// What the targets of pictures share: bytes that are a picture of one format.
#pragma once

#include "fuzz_target.hpp"
#include "whorl/io/picture.hpp"

namespace whorl::fuzz {

/// `letters`: what the format begins with. Rows are read twice, in bands, so that no more is held than the reader
/// holds.
inline int read_picture(std::string_view letters, const std::uint8_t* bytes, std::size_t count) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), count);
  if (!text.starts_with(letters)) return 0;
  const auto path = write("picture", bytes, count);
  expect_result_or_error([&](const Context& ctx) {
    PictureReader reader(path);
    ImageFormat format = reader.format();
    constexpr Index most_rows = 3;
    format.height = std::min(most_rows, format.height);
    Image band(ctx, format);
    for (int pass = 0; pass < 2; ++pass, reader.rewind()) {
      while (reader.next_row() < reader.format().height) {
        reader.read_rows(ctx, band, 0, std::min(format.height, reader.format().height - reader.next_row()));
      }
    }
  });
  return 0;
}

}  // namespace whorl::fuzz
