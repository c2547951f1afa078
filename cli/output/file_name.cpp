#include "cli/output/file_name.hpp"

#include <fmt/format.h>

#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl::cli {

namespace fs = std::filesystem;

namespace {

// Of the ValueError that the check throws, or none.
template <class Check>
std::string message_of(const Check& check) {
  try {
    check();
    return {};
  } catch (const ValueError& error) {
    return error.what();
  }
}

}  // namespace

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

std::string check_array_name(const std::string& path) {
  return message_of([&] { check_array_extension(path); });
}

std::string check_scan_name(const std::string& path) {
  return message_of([&] { check_scan_extension(path); });
}

std::string check_image_name(const std::string& path) {
  return message_of([&] { check_image_extension(path); });
}

std::string check_png_name(const std::string& path) {
  return path.ends_with(".png") ? std::string() : "'" + path + "': a picture's name ends in .png";
}

}  // namespace whorl::cli
