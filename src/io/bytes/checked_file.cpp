#include "whorl/io/checked_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <complex>
#include <fstream>
#include <future>
#include <sstream>
#include <system_error>
#include <type_traits>
#include <utility>

#include "core/sha256.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl {

namespace {

constexpr std::size_t digits = 64;

std::string digits_of(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes.data(), bytes.size());
  return hash.digits();
}

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
  // A thread of its own has no AtomicFileGroup, in which the file would wait for the others.
  std::async(std::launch::async, [&] {
    AtomicFile file(path);
    const std::string head = digits_of(bytes) + "\n";
    file.write(head.data(), head.size());
    file.write(bytes.data(), bytes.size());
    file.commit();
  }).get();
}

std::optional<std::string> read_checked_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream all;
  all << stream.rdbuf();
  if (!stream) {
    throw IoError(fmt::format("cannot read '{}': {}", path.string(), std::generic_category().message(errno)));
  }
  std::string bytes = std::move(all).str();
  if (bytes.size() <= digits || bytes[digits] != '\n') return std::nullopt;
  const std::string_view content = std::string_view(bytes).substr(digits + 1);
  if (digits_of(content) != std::string_view(bytes).substr(0, digits)) return std::nullopt;
  return bytes.substr(digits + 1);
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
