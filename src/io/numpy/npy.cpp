#include "whorl/io/npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <complex>

#include "io/numpy/npy_stream.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl {

namespace {

static_assert(std::endian::native == std::endian::little, "the files are written in the memory's byte order");

constexpr std::size_t part_bytes = std::size_t{1} << 23U;

template <class T>
constexpr const char* npy_type = "<f4";
template <>
constexpr const char* npy_type<double> = "<f8";
template <>
constexpr const char* npy_type<std::complex<float>> = "<c8";
template <>
constexpr const char* npy_type<std::complex<double>> = "<c16";

}  // namespace

template <class T>
void write_npy(const Context& ctx, const std::filesystem::path& path, ArrayRef<const T> array) {
  const std::string preamble = io::make_npy_preamble({npy_type<T>, false, array.shape()});
  AtomicFile file(path);
  file.write(preamble.data(), preamble.size());
  const auto bytes = std::as_bytes(array.span());
  for (std::size_t first = 0; first < bytes.size(); first += part_bytes) {
    ctx.check_cancel("writing .npy");
    const auto part = bytes.subspan(first, std::min(part_bytes, bytes.size() - first));
    file.write(part.data(), part.size());
  }
  file.commit();
}

template <class T>
Array<T> read_npy(const Context& ctx, const std::filesystem::path& path) {
  AnyArray array = read_npy(ctx, path);
  auto* of_type = std::get_if<Array<T>>(&array);
  if (of_type == nullptr) {
    throw IoError(fmt::format("'{}' holds elements of type {}, expected '{}'; convert it with numpy's astype",
                              path.string(), type_name(array), npy_type<T>));
  }
  return std::move(*of_type);
}

AnyArray read_npy(const Context& ctx, const std::filesystem::path& path) {
  io::FileSource source(path);
  const io::NpyHeader header = io::read_npy_header(source);
  return io::read_npy_elements(ctx, source, header);
}

template void write_npy(const Context&, const std::filesystem::path&, ArrayRef<const float>);
template void write_npy(const Context&, const std::filesystem::path&, ArrayRef<const double>);
template void write_npy(const Context&, const std::filesystem::path&, ArrayRef<const std::complex<float>>);
template void write_npy(const Context&, const std::filesystem::path&, ArrayRef<const std::complex<double>>);
template Array<float> read_npy(const Context&, const std::filesystem::path&);
template Array<double> read_npy(const Context&, const std::filesystem::path&);
template Array<std::complex<float>> read_npy(const Context&, const std::filesystem::path&);
template Array<std::complex<double>> read_npy(const Context&, const std::filesystem::path&);

}  // namespace whorl
