#include "io/parboil/parboil.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "io/bytes/byte_source.hpp"
#include "io/bytes/elements.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::io {

namespace {

static_assert(std::endian::native == std::endian::little, "the files are in the memory's byte order");

using Complex = std::complex<float>;

std::uint32_t number_at(std::span<const unsigned char> bytes, std::size_t offset) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + offset, sizeof(number));
  return number;
}

Array<float> read_numbers(const Context& ctx, ByteSource& source, Index count) {
  return std::get<Array<float>>(read_elements(ctx, source, {}, {count}));
}

Array<Complex> join(const Context& ctx, const Array<float>& real, const Array<float>& imaginary) {
  Array<Complex> joined(ctx, real.shape());
  for (Index i = 0; i < joined.size(); ++i) joined.data()[i] = {real.data()[i], imaginary.data()[i]};
  return joined;
}

void write_numbers(AtomicFile& file, std::span<const float> numbers) {
  file.write(numbers.data(), numbers.size_bytes());
}

void write_parts(AtomicFile& file, std::span<const Complex> numbers) {
  std::vector<float> part(numbers.size());
  std::transform(numbers.begin(), numbers.end(), part.begin(), [](Complex value) { return value.real(); });
  write_numbers(file, part);
  std::transform(numbers.begin(), numbers.end(), part.begin(), [](Complex value) { return value.imag(); });
  write_numbers(file, part);
}

void write_count(AtomicFile& file, Index count, const std::filesystem::path& path) {
  if (count < 1 || count > std::numeric_limits<std::int32_t>::max()) {
    throw ShapeError(
        fmt::format("writing '{}': Parboil's files hold 1 to 2^31 - 1 numbers, got {}", path.string(), count));
  }
  const auto number = static_cast<std::int32_t>(count);
  file.write(&number, sizeof(number));
}

template <class T>
Array<T> find(const Context& ctx, std::span<const NamedArray> arrays, const char* name,
              const std::filesystem::path& path) {
  const auto found =
      std::find_if(arrays.begin(), arrays.end(), [&](const NamedArray& array) { return array.name == name; });
  if (found == arrays.end()) {
    throw ValueError(
        fmt::format("writing '{}': mri-q's input takes arrays kx, ky, kz, x, y, z and phi (complex); there "
                    "is no {}",
                    path.string(), name));
  }
  return converted<T>(ctx, found->values, name);
}

}  // namespace

bool is_mri_q_input(std::span<const unsigned char> start, std::uintmax_t bytes) {
  if (start.size() < 8) return false;
  const std::uint64_t samples = number_at(start, 0);
  const std::uint64_t voxels = number_at(start, 4);
  return samples > 0 && voxels > 0 && bytes == 8 + 4 * (5 * samples + 3 * voxels);
}

std::vector<NamedArray> read_mri_q_input(const Context& ctx, const std::filesystem::path& path) {
  FileSource source(path);
  std::array<unsigned char, 8> start{};
  source.read(start.data(), start.size());
  if (!is_mri_q_input(start, source.limit())) {
    throw IoError(
        fmt::format("'{}' is not an input of Parboil's mri-q: its size is not that of its two counts", path.string()));
  }
  const Index samples = number_at(start, 0);
  const Index voxels = number_at(start, 4);
  std::vector<NamedArray> arrays;
  for (const char* name : {"kx", "ky", "kz"}) arrays.push_back({name, read_numbers(ctx, source, samples)});
  for (const char* name : {"x", "y", "z"}) arrays.push_back({name, read_numbers(ctx, source, voxels)});
  const Array<float> real = read_numbers(ctx, source, samples);
  const Array<float> imaginary = read_numbers(ctx, source, samples);
  arrays.push_back({"phi", join(ctx, real, imaginary)});
  return arrays;
}

void write_mri_q_input(const Context& ctx, const std::filesystem::path& path, std::span<const NamedArray> arrays) {
  AtomicFile file(path);
  const Array<Complex> phi = find<Complex>(ctx, arrays, "phi", path);
  const Index voxels = find<float>(ctx, arrays, "x", path).size();
  write_count(file, phi.size(), path);
  write_count(file, voxels, path);
  for (const char* name : {"kx", "ky", "kz", "x", "y", "z"}) {
    const Array<float> numbers = find<float>(ctx, arrays, name, path);
    const Index expected = name[0] == 'k' ? phi.size() : voxels;
    if (numbers.size() != expected) {
      throw ShapeError(
          fmt::format("writing '{}': {} has {} numbers, expected {}", path.string(), name, numbers.size(), expected));
    }
    write_numbers(file, numbers.span());
  }
  write_parts(file, phi.span());
  file.commit();
}

bool is_mri_q_output(std::span<const unsigned char> start, std::uintmax_t bytes) {
  if (start.size() < 4) return false;
  const std::uint64_t voxels = number_at(start, 0);
  return voxels > 0 && bytes == 4 + 8 * voxels;
}

std::vector<NamedArray> read_mri_q_output(const Context& ctx, const std::filesystem::path& path) {
  FileSource source(path);
  std::array<unsigned char, 4> start{};
  source.read(start.data(), start.size());
  if (!is_mri_q_output(start, source.limit())) {
    throw IoError(
        fmt::format("'{}' is not an output of Parboil's mri-q: its size is not that of its count", path.string()));
  }
  const Index voxels = number_at(start, 0);
  const Array<float> real = read_numbers(ctx, source, voxels);
  const Array<float> imaginary = read_numbers(ctx, source, voxels);
  std::vector<NamedArray> arrays;
  arrays.push_back({"Q", join(ctx, real, imaginary)});
  return arrays;
}

void write_mri_q_output(const Context& ctx, const std::filesystem::path& path, std::span<const NamedArray> arrays) {
  if (arrays.size() != 1) {
    throw ValueError(fmt::format("writing '{}': mri-q's output is one array, got {}", path.string(), arrays.size()));
  }
  const Array<Complex> values = converted<Complex>(ctx, arrays.front().values, arrays.front().name);
  AtomicFile file(path);
  write_count(file, values.size(), path);
  write_parts(file, values.span());
  file.commit();
}

}  // namespace whorl::io
