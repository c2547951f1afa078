#include "whorl/io/describe_file.hpp"

#include "io/format.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

FileDescription describe_file(const std::filesystem::path& path) {
  const io::FileStart file = io::read_start(path);
  const io::Format* format = io::recognize(file);
  if (format == nullptr) return {{}, "file of no known format", file.bytes, false, false, false};
  const bool holds_scan = format->holds_scan != nullptr && format->holds_scan(file);
  return {std::string(format->name),
          std::string(format->description),
          file.bytes,
          holds_scan,
          format->read_arrays != nullptr,
          holds_scan && format->states_unit != nullptr && format->states_unit(file)};
}

bool leaves_unit_open(const std::filesystem::path& path) {
  try {
    return !describe_file(path).states_unit;
  } catch (const Error&) {
    return true;
  }
}

bool may_be_ismrmrd(const std::filesystem::path& path) {
  try {
    const FileDescription description = describe_file(path);
    return !description.holds_scan || description.format == "ismrmrd";
  } catch (const Error&) {
    return true;
  }
}

}  // namespace whorl
