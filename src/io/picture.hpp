// Pictures as arrays: PNG, and the binary PGM and PPM.
#pragma once

#include <filesystem>
#include <string_view>

#include "whorl/core/context.hpp"
#include "whorl/io/any_array.hpp"

namespace whorl::io {

/// Whether a file begins like a picture that read_picture reads.
bool is_picture(std::string_view start);

/// Gray pictures are [y, x], others [channel, y, x] (gray and alpha; red, green, blue; and alpha). Values are those of
/// the file: 0 to 255, or 0 to 65535 where it has 16 bits; palettes become colors and gray of less than 8 bits is
/// spread over 0 to 255. Throws IoError (damaged, truncated, sizes that the file can not hold), Cancelled.
Array<float> read_picture(const Context& ctx, const std::filesystem::path& path);

/// Of all bytes of a file; `name` is what messages call it.
Array<float> decode_png(const Context& ctx, std::string_view bytes, const std::string& name);
Array<float> decode_pnm(const Context& ctx, std::string_view bytes, const std::string& name);

}  // namespace whorl::io
