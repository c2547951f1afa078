#include "whorl/io/array_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "io/format.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> describe(const std::vector<NamedArray>& arrays) {
  std::vector<std::string> names;
  for (const NamedArray& array : arrays) {
    names.push_back(array.fault.empty() ? fmt::format("{} ({} {})", array.name, type_name(array.values),
                                                      to_string(shape_of(array.values)))
                                        : fmt::format("{} (not readable)", array.name));
  }
  return names;
}

}  // namespace

std::pair<fs::path, std::string> io::split_name(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  std::error_code ignored;
  if (colon == std::string::npos || fs::exists(text, ignored)) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::vector<NamedArray> read_arrays(const Context& ctx, const fs::path& path) {
  const io::FileStart file = io::read_start(path);
  const io::Format* format = io::recognize(file);
  if (format == nullptr) {
    throw IoError(
        fmt::format("{}: of no format that whorl reads (by its content): expected NumPy, BART, NIfTI, MATLAB, "
                    "HDF5, Parboil's or a picture",
                    path.string()));
  }
  if (format->read_arrays == nullptr) {
    throw Unsupported(fmt::format("{}: {} hold a scan, expected an array", path.string(), format->description));
  }
  std::vector<NamedArray> arrays = format->read_arrays(ctx, path);
  if (std::ranges::none_of(arrays, [](const NamedArray& array) { return array.fault.empty(); })) {
    std::ranges::for_each(arrays, &check_readable);
  }
  return arrays;
}

NamedArray read_array(const Context& ctx, const std::string& file_and_name) {
  const auto [path, name] = io::split_name(file_and_name);
  std::vector<NamedArray> arrays = read_arrays(ctx, path);
  const auto found = std::find_if(arrays.begin(), arrays.end(), [&, &name = name](const NamedArray& array) {
    return name.empty() ? arrays.size() == 1 : array.name == name;
  });
  if (found != arrays.end()) {
    check_readable(*found);
    check_finite(found->values, fmt::format("{}: {}", path.string(), found->name));
    return std::move(*found);
  }
  throw ValueError(name.empty() ? fmt::format("{}: it holds several arrays; choose one with FILE:NAME of {}",
                                              path.string(), fmt::join(describe(arrays), ", "))
                                : fmt::format("{}: no array {} in it; it has {}", path.string(), name,
                                              fmt::join(describe(arrays), ", ")));
}

void write_arrays(const Context& ctx, const fs::path& path, std::span<const NamedArray> arrays,
                  std::string_view format_name) {
  const io::Format& format = io::format_to_write(path, io::Content::arrays, format_name);
  if (arrays.empty()) throw ValueError(fmt::format("writing '{}': there is no array to write", path.string()));
  std::set<std::string> names;
  for (const NamedArray& array : arrays) {
    if (!names.insert(array.name).second) {
      throw ValueError(fmt::format("writing '{}': two arrays have the name {}", path.string(), array.name));
    }
    check_readable(array);
    check_finite(array.values, fmt::format("writing '{}': {}", path.string(), array.name));
  }
  format.write_arrays(ctx, path, arrays);
}

void write_array(const Context& ctx, const fs::path& path, const NamedArray& array) {
  write_arrays(ctx, path, std::span(&array, 1));
}

void check_array_extension(const fs::path& path, std::string_view format) {
  io::format_to_write(path, io::Content::arrays, format);
}

std::string array_extensions() { return io::extensions_of(io::Content::arrays); }

}  // namespace whorl
