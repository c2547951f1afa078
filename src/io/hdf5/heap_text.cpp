#include "io/hdf5/heap_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "io/hdf5/heap.hpp"
#include "io/hdf5/links.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

using Record = std::array<std::byte, Hdf5Heap::reference_bytes>;

std::optional<Record> record_of(hid_t dataset, const std::string& file) {
  const Hdf5Handle properties(H5Dget_create_plist(dataset), &H5Pclose);
  if (H5Pget_layout(properties.get()) != H5D_CONTIGUOUS || H5Pget_external_count(properties.get()) != 0 ||
      H5Dget_storage_size(dataset) != Hdf5Heap::reference_bytes) {
    return {};
  }
  const haddr_t place = H5Dget_offset(dataset);
  std::ifstream stream(file, std::ios::binary);
  Record record{};
  if (place == HADDR_UNDEF || !stream.seekg(static_cast<std::streamoff>(place)) ||
      !stream.read(reinterpret_cast<char*>(record.data()), record.size())) {
    return {};
  }
  return record;
}

}  // namespace

std::optional<std::string> read_heap_text(hid_t dataset) {
  const std::string file = file_of_object(dataset);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  const std::optional<Record> record = record_of(dataset, file);
  if (error || !record) return {};
  const auto heap = Hdf5Heap::open(file, size, Hdf5Handle(H5Iget_file_id(dataset), &H5Fclose).get());
  if (!heap) return {};
  const HeapReference from = Hdf5Heap::reference(record->data());
  std::string text(from.count <= size ? from.count : 0, '\0');
  if (from.count > size || !heap->read(from, text.size(), text.data())) {
    throw IoError(
        fmt::format("{}: a text of {} bytes is not where its record says; the file is damaged", file, from.count));
  }
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

}  // namespace whorl::io
