// Elements of variable length, read from the file without HDF5's library, by several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "io/hdf5/handle.hpp"

namespace whorl::io {

/// Where a record says that its elements lie.
struct HeapReference {
  std::uint32_t count = 0;    ///< of elements
  std::uint64_t address = 0;  ///< of the collection, from the file's base
  std::uint32_t object = 0;   ///< number in the collection
};

/// The global heap of a file. HDF5 copies each element several times and is for one thread at a time; of a scan of
/// hundreds of megabytes that is most of the time.
///
/// Source  HDF5 File Format Specification 3.0, III.E (global heap) and IV.A.2.d (variable-length types)
class Hdf5Heap {
 public:
  /// None for a file with addresses that are not of 8 bytes, or that cannot be opened.
  static std::optional<Hdf5Heap> open(const std::filesystem::path& path, std::uint64_t file_size, hid_t file);

  Hdf5Heap(Hdf5Heap&& other) noexcept;
  Hdf5Heap& operator=(Hdf5Heap&&) = delete;
  ~Hdf5Heap();

  /// Bytes of a reference in a record.
  static constexpr std::size_t reference_bytes = 16;
  static HeapReference reference(const std::byte* bytes);

  /// Reads the elements of a reference, `bytes` in all. False where the file has something else at that place.
  bool read(const HeapReference& from, std::size_t bytes, void* to) const;

 private:
  Hdf5Heap(int descriptor, std::uint64_t base, std::uint64_t file_size)
      : descriptor_(descriptor), base_(base), file_size_(file_size) {}

  int descriptor_;
  std::uint64_t base_;
  std::uint64_t file_size_;
};

}  // namespace whorl::io
