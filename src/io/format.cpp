#include "io/format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "io/bytes/byte_source.hpp"
#include "io/cfl/cfl.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

bool writes(const Format& format, Content content) {
  return content == Content::scan ? format.write_scan != nullptr : format.write_arrays != nullptr;
}

/// A name that is an extension alone (".npy") has none.
bool has_extension(const Format& format, const std::string& name) {
  return std::any_of(format.extensions.begin(), format.extensions.end(), [&](std::string_view extension) {
    return name.size() > extension.size() && name.ends_with(extension);
  });
}

constexpr std::string_view plural(Content content) { return content == Content::scan ? "scans" : "arrays"; }

}  // namespace

FileStart read_start(const std::filesystem::path& path) {
  FileStart file;
  file.path = path;
  const std::filesystem::path pair = find_cfl(path);
  if (!pair.empty()) {
    file.path = pair;
    file.path += ".hdr";
  }
  FileSource source(file.path);
  file.bytes = size_of_file(file.path);
  if (!pair.empty()) file.bytes += size_of_file(std::filesystem::path(pair) += ".cfl");
  if (file.bytes == 0) throw IoError(fmt::format("{}: the file is empty", path.string()));
  file.compressed = source.is_compressed();
  constexpr std::size_t most = 4096;  // a header of BART with what whorl adds is longer than 512
  file.start.resize(most);
  file.start.resize(source.read_up_to(file.start.data(), most));
  file.path = path;
  return file;
}

const Format* recognize(const FileStart& file) {
  const auto all = formats();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Format& format) { return format.recognizes(file); });
  return found == all.end() ? nullptr : &*found;
}

const Format& format_to_write(const std::filesystem::path& path, Content content, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Format& format : formats()) {
    if (!writes(format, content)) continue;
    names.push_back(format.name);
    if (name.empty() ? has_extension(format, path.filename().string()) : format.name == name) return format;
  }
  if (!name.empty()) {
    throw ValueError(
        fmt::format("{} can not be written as '{}'; known are {}", plural(content), name, fmt::join(names, ", ")));
  }
  throw ValueError(fmt::format("'{}': the extension names the format; {} are written as {}", path.string(),
                               plural(content), extensions_of(content)));
}

std::string extensions_of(Content content) {
  std::vector<std::string_view> extensions;
  for (const Format& format : formats()) {
    if (!writes(format, content)) continue;
    for (const std::string_view extension : format.extensions) {
      if (std::find(extensions.begin(), extensions.end(), extension) == extensions.end())
        extensions.push_back(extension);
    }
  }
  return fmt::format("{}", fmt::join(extensions, ", "));
}

}  // namespace whorl::io
