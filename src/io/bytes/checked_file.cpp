#include "whorl/io/checked_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <complex>
#include <fstream>
#include <future>
#include <iterator>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/sha256.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl {

namespace {

constexpr std::size_t digits = 64;

// The hash of numbers and arrays, each behind its size, so that no two lists of them have the same bytes.
class Fingerprint {
 public:
  template <class T>
  void add(const T* values, Index count) {
    const auto bytes = static_cast<std::uint64_t>(count) * sizeof(T);
    hash_.add(&bytes, sizeof bytes);
    hash_.add(values, bytes);
  }
  template <class T>
  void add(ArrayRef<const T> array) {
    add(array.data(), array.size());
  }
  template <class T>
  void add(const T& value) requires std::is_arithmetic_v<T> {
    add(&value, 1);
  }
  std::string digits() { return hash_.digits(); }

 private:
  Sha256 hash_;
};

void add_geometry(Fingerprint& hash, const Geometry& geometry) {
  for (const auto* triple : {&geometry.field_of_view_mm, &geometry.position_mm, &geometry.read_direction,
                             &geometry.phase_direction, &geometry.slice_direction}) {
    hash.add(triple->data(), 3);
  }
}

}  // namespace

void write_checked_file(const std::filesystem::path& path, std::string_view bytes) {
  write_checked_file(path, std::span(&bytes, 1));
}

void write_checked_file(const std::filesystem::path& path, std::span<const std::string_view> parts) {
  // A thread of its own has no AtomicFileGroup, in which the file would wait for the others.
  std::async(std::launch::async, [&] {
    Sha256 hash;
    for (const std::string_view part : parts) hash.add(part.data(), part.size());
    AtomicFile file(path);
    const std::string head = hash.digits() + "\n";
    file.write(head.data(), head.size());
    for (const std::string_view part : parts) file.write(part.data(), part.size());
    file.commit();
  }).get();
}

std::optional<std::string> read_checked_file(const std::filesystem::path& path) {
  std::optional<CheckedFile> file = CheckedFile::open(path);
  if (!file) return std::nullopt;
  std::string bytes(file->left(), '\0');
  file->read(bytes.data(), bytes.size());
  return bytes;
}

std::optional<CheckedFile> CheckedFile::open(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  CheckedFile file(std::ifstream(path, std::ios::binary), path.string(), 0);
  if (!file.stream_) file.fail();
  std::string head(digits + 1, '\0');
  file.stream_.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (file.stream_.gcount() < std::ssize(head) || head.back() != '\n') return std::nullopt;
  Sha256 hash;
  std::vector<char> block(std::size_t{1} << 20U);
  while (file.stream_) {
    file.stream_.read(block.data(), std::ssize(block));
    const auto count = static_cast<std::size_t>(file.stream_.gcount());
    hash.add(block.data(), count);
    file.left_ += count;
  }
  if (file.stream_.bad()) file.fail();
  if (hash.digits() != head.substr(0, digits)) return std::nullopt;
  file.stream_.clear();
  file.stream_.seekg(static_cast<std::streamoff>(head.size()));
  return file;
}

std::string CheckedFile::read_line() {
  std::string line;
  if (!std::getline(stream_, line) || stream_.eof()) fail();
  left_ -= line.size() + 1;
  return line;
}

void CheckedFile::read(void* to, std::size_t count) {
  if (count > left_) fail();
  stream_.read(static_cast<char*>(to), static_cast<std::streamsize>(count));
  if (!stream_) fail();
  left_ -= count;
}

void CheckedFile::fail() const {
  throw IoError(fmt::format("cannot read '{}': {}", path_,
                            errno != 0 ? std::generic_category().message(errno) : "it is shorter than expected"));
}

std::string scan_fingerprint(const Context& ctx, const Scan& scan) {
  Fingerprint hash;
  hash.add(scan.matrix.data(), 3);
  hash.add(scan.coils);
  for (const double number :
       {scan.noise_dwell_us, scan.dwell_us, scan.readout_interval_ms, scan.frame_interval_ms, scan.readout_start_us}) {
    hash.add(number);
  }
  hash.add<std::complex<float>>(scan.noise);
  hash.add<std::complex<float>>(scan.coil_maps);
  const Trajectory* before = nullptr;  // frames that share a trajectory are neighbors, most often
  for (const ScanFrame& frame : scan.frames) {
    ctx.check_cancel("hashing the scan");
    for (const int number :
         {frame.index.slice, frame.index.contrast, frame.index.phase, frame.index.repetition, frame.index.set}) {
      hash.add(number);
    }
    hash.add(frame.trajectory->readout_length);
    if (frame.trajectory.get() != before) hash.add<double>(frame.trajectory->points);
    before = frame.trajectory.get();
    if (frame.weights != nullptr) hash.add<float>(*frame.weights);
    hash.add<std::complex<float>>(frame.data);
    add_geometry(hash, frame.geometry);
  }
  return hash.digits();
}

}  // namespace whorl
