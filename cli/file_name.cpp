#include "file_name.hpp"

#include <fmt/format.h>

#include "whorl/core/error.hpp"

namespace whorl::cli {

namespace fs = std::filesystem;

fs::path file_of(const std::string& file_and_name) {
  std::error_code ignored;
  const std::size_t colon = file_and_name.rfind(':');
  if (colon == std::string::npos || fs::exists(file_and_name, ignored)) return file_and_name;
  return file_and_name.substr(0, colon);
}

void refuse_to_overwrite(std::span<const std::string> inputs, const std::string& output) {
  std::error_code ignored;
  for (const std::string& input : inputs) {
    if (fs::equivalent(file_of(input), output, ignored)) {
      throw ValueError(fmt::format("'{}' is an input; give the output another name", output));
    }
  }
}

std::string message_of_check(void (*check)(const fs::path&), const std::string& text) {
  try {
    check(text);
    return {};
  } catch (const ValueError& error) {
    return error.what();
  }
}

std::string check_png_name(const std::string& path) {
  return path.ends_with(".png") ? std::string() : "'" + path + "': a picture's name ends in .png";
}

}  // namespace whorl::cli
