#include "whorl/job/scan_names.hpp"

#include "whorl/io/file_parts.hpp"

namespace whorl {

std::string source_of(const FileOr<Scan>& scan) { return scan.value != nullptr ? scan.value->source : scan.file; }

std::string with_scan_name(std::string text, const std::string& scan) {
  const std::string name = file_of(scan).stem().string();
  for (std::size_t at = 0; (at = text.find(scan_placeholder, at)) != std::string::npos; at += name.size()) {
    text.replace(at, 2, name);
  }
  return text;
}

}  // namespace whorl
