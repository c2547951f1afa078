#include "io/pictures/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {
constexpr std::size_t buffer_bytes = std::size_t{1} << 16U;

[[noreturn]] void refuse(const std::string& name, const std::string& cause) {
  throw IoError(fmt::format("cannot read '{}': {}", name, cause));
}

}  // namespace

PictureFile::PictureFile(const std::filesystem::path& path) : name_(path.string()) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) refuse(name_, "it is a folder");
  size_ = std::filesystem::file_size(path, error);
  if (error) refuse(name_, error.message());
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) refuse(name_, std::generic_category().message(errno));
}

PictureFile::~PictureFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

PictureFile::PictureFile(PictureFile&& other) noexcept
    : name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      position_(other.position_),
      buffer_(std::move(other.buffer_)),
      buffer_start_(other.buffer_start_) {}

std::size_t PictureFile::read_at(std::uintmax_t position, void* to, std::size_t count) const {
  std::size_t done = 0;
  while (done < count && position + done < size_) {
    const ssize_t got =
        ::pread(descriptor_, static_cast<char*>(to) + done, count - done, static_cast<off_t>(position + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(name_, std::generic_category().message(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::size_t PictureFile::read_up_to(void* to, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    if (position_ < buffer_start_ || position_ >= buffer_start_ + buffer_.size()) {
      if (count - done >= buffer_bytes) {
        const std::size_t got = read_at(position_, static_cast<char*>(to) + done, count - done);
        position_ += got;
        return done + got;
      }
      buffer_.resize(buffer_bytes);
      buffer_start_ = position_;
      buffer_.resize(read_at(position_, buffer_.data(), buffer_bytes));
      if (buffer_.empty()) break;
    }
    const auto at = static_cast<std::size_t>(position_ - buffer_start_);
    const std::size_t part = std::min(count - done, buffer_.size() - at);
    std::memcpy(static_cast<char*>(to) + done, buffer_.data() + at, part);
    done += part;
    position_ += part;
  }
  return done;
}

void PictureFile::read(void* to, std::size_t count) {
  if (read_up_to(to, count) != count) throw IoError(fmt::format("'{}' ends early: it is truncated", name_));
}

int PictureFile::next() {
  if (position_ >= buffer_start_ && position_ - buffer_start_ < buffer_.size()) {
    return static_cast<unsigned char>(buffer_[static_cast<std::size_t>(position_++ - buffer_start_)]);
  }
  unsigned char byte = 0;
  return read_up_to(&byte, 1) == 1 ? byte : -1;
}

}  // namespace whorl::io
