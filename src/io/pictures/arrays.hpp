// Pictures as arrays.
#pragma once

#include <filesystem>
#include <string_view>

#include "whorl/core/context.hpp"
#include "whorl/io/any_array.hpp"

namespace whorl::io {

/// Whether a file begins like a picture.
bool is_picture(std::string_view start);

/// Gray pictures are [y, x], others [channel, y, x] (gray and alpha; red, green, blue; and alpha). Values are 0 to 255,
/// or 0 to 65535 where the file has 16 bits, as PictureReader gives them; those of PNM are as stored, whatever its
/// largest value. Throws as PictureReader, Cancelled.
Array<float> read_picture_array(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl::io
