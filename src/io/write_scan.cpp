#include "whorl/io/write_scan.hpp"

#include "io/format.hpp"

namespace whorl {

void write_scan(const Context& ctx, const Scan& scan, const std::filesystem::path& path, std::string_view format) {
  io::format_to_write(path, io::Content::scan, format).write_scan(ctx, scan, path);
}

void check_scan_extension(const std::filesystem::path& path, std::string_view format) {
  io::format_to_write(path, io::Content::scan, format);
}

std::string scan_extensions() { return io::extensions_of(io::Content::scan); }

}  // namespace whorl
