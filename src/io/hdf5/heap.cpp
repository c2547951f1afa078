#include "io/hdf5/heap.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

namespace whorl::io {

namespace {

// The parts of a file are little-endian.
static_assert(std::endian::native == std::endian::little);

template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// The smallest collection: one call reads the heads of small objects.
constexpr std::size_t window_bytes = 4096;
constexpr std::size_t collection_head = 16;
constexpr std::size_t object_head = 16;

bool read_fully(int descriptor, std::uint64_t position, void* to, std::size_t count) {
  auto* next = static_cast<std::byte*>(to);
  while (count > 0) {
    if (position > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) return false;
    const ssize_t got = pread(descriptor, next, count, static_cast<off_t>(position));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    position += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

// Bytes of the file around the last place that was asked for.
class Window {
 public:
  explicit Window(int descriptor) : descriptor_(descriptor) {}

  // 16 bytes at a position; null beyond the end of the file.
  const std::byte* head(std::uint64_t position) {
    if (position < first_ || position + object_head > first_ + count_) {
      if (position > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) return nullptr;
      const ssize_t got = pread(descriptor_, bytes_.data(), bytes_.size(), static_cast<off_t>(position));
      first_ = position;
      count_ = got > 0 ? static_cast<std::size_t>(got) : 0;
      if (count_ < object_head) return nullptr;
    }
    return bytes_.data() + (position - first_);
  }

  // Bytes from a position, of which the window may have the first ones.
  bool read(std::uint64_t position, void* to, std::size_t count) const {
    std::size_t known = 0;
    if (position >= first_ && position < first_ + count_) {
      known = std::min<std::size_t>(count, first_ + count_ - position);
      std::memcpy(to, bytes_.data() + (position - first_), known);
    }
    return read_fully(descriptor_, position + known, static_cast<std::byte*>(to) + known, count - known);
  }

 private:
  int descriptor_;
  std::array<std::byte, window_bytes> bytes_{};
  std::uint64_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

std::optional<Hdf5Heap> Hdf5Heap::open(const std::filesystem::path& path, std::uint64_t file_size, hid_t file) {
  const Hdf5ErrorTrap trap;
  const Hdf5Handle properties(H5Fget_create_plist(file), &H5Pclose);
  std::size_t address_bytes = 0;
  std::size_t length_bytes = 0;
  hsize_t base = 0;
  if (H5Pget_sizes(properties.get(), &address_bytes, &length_bytes) < 0 || address_bytes != 8 || length_bytes != 8 ||
      H5Pget_userblock(properties.get(), &base) < 0) {
    return {};
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  return Hdf5Heap(descriptor, base, file_size);
}

Hdf5Heap::Hdf5Heap(Hdf5Heap&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), base_(other.base_), file_size_(other.file_size_) {}

Hdf5Heap::~Hdf5Heap() {
  if (descriptor_ >= 0) close(descriptor_);
}

HeapReference Hdf5Heap::reference(const std::byte* bytes) {
  return {load<std::uint32_t>(bytes), load<std::uint64_t>(bytes + 4), load<std::uint32_t>(bytes + 12)};
}

bool Hdf5Heap::read(const HeapReference& from, std::size_t bytes, void* to) const {
  if (bytes == 0) return true;
  Window window(descriptor_);
  const std::uint64_t start = base_ + from.address;
  const std::byte* collection = window.head(start);
  if (collection == nullptr || std::memcmp(collection, "GCOL\1", 5) != 0) return false;
  const auto size = load<std::uint64_t>(collection + 8);
  if (size > file_size_) return false;
  // Objects follow one another, each padded to 8 bytes. Number 0 is the free space at the end.
  for (std::uint64_t offset = collection_head; offset <= size - std::min<std::uint64_t>(size, object_head);) {
    const std::byte* head = window.head(start + offset);
    if (head == nullptr) return false;
    const auto number = load<std::uint16_t>(head);
    const auto length = load<std::uint64_t>(head + 8);
    if (number == 0 || length > size - offset - object_head) return false;
    if (number == from.object) {
      return length == bytes && window.read(start + offset + object_head, to, bytes);
    }
    offset += object_head + (length + 7) / 8 * 8;
  }
  return false;
}

}  // namespace whorl::io
