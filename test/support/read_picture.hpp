// The colors of a PNG, read by libpng itself.
#pragma once

#include <gtest/gtest.h>
#include <png.h>

#include <filesystem>
#include <vector>

#include "whorl/plot/picture.hpp"

namespace whorl::test {

inline Picture read_picture(const std::filesystem::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
  image.format = PNG_FORMAT_RGB;
  std::vector<png_byte> bytes(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr), 0) << image.message;
  Picture picture = blank_picture(image.width, image.height, {});
  for (std::size_t i = 0; i < bytes.size(); ++i) picture.pixels[i / 3][i % 3] = bytes[i];
  return picture;
}

}  // namespace whorl::test
