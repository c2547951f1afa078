#include "whorl/io/npy.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cerrno>
#include <complex>
#include <fstream>
#include <system_error>

#include "io/npy_header.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl {

namespace {

static_assert(std::endian::native == std::endian::little, "the files are written in the memory's byte order");

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::size_t part_bytes = std::size_t{1} << 23;

template <class T>
constexpr const char* npy_type = nullptr;
template <>
constexpr const char* npy_type<float> = "<f4";
template <>
constexpr const char* npy_type<double> = "<f8";
template <>
constexpr const char* npy_type<std::complex<float>> = "<c8";
template <>
constexpr const char* npy_type<std::complex<double>> = "<c16";

// Magic, version, length of the dictionary in 2 bytes, dictionary, blanks and a line end to a multiple of 64 bytes.
std::string make_preamble(const io::NpyHeader& header) {
  std::string dictionary = io::format_npy_header(header);
  constexpr std::size_t fixed = magic.size() + 4;
  dictionary.resize((fixed + dictionary.size() + 1 + 63) / 64 * 64 - fixed - 1, ' ');
  dictionary += '\n';
  if (dictionary.size() > 0xFFFF) {
    throw ShapeError(fmt::format("writing .npy: an array of {} axes does not fit the format", header.shape.rank()));
  }
  std::string preamble(magic);
  preamble += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xFF), static_cast<char>(dictionary.size() >> 8)};
  return preamble + dictionary;
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : name_(path.string()) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
      throw IoError(fmt::format("cannot read '{}': it is a folder", name_));
    bytes_ = std::filesystem::file_size(path, error);
    if (!error) {
      stream_.open(path, std::ios::binary);
      if (!stream_) error = std::error_code(errno, std::generic_category());
    }
    if (error) throw IoError(fmt::format("cannot read '{}': {}", name_, error.message()));
  }

  void read(void* to, std::size_t count) {
    if (!stream_.read(static_cast<char*>(to), static_cast<std::streamsize>(count))) {
      throw IoError(fmt::format("'{}' is not a valid .npy file: it ends early, at {} bytes", name_, bytes_));
    }
    position_ += count;
  }

  io::NpyHeader header() {
    std::array<char, 8> start{};
    read(start.data(), start.size());
    if (std::string_view(start.data(), magic.size()) != magic) {
      throw IoError(fmt::format("'{}' is not a .npy file: it does not begin with \\x93NUMPY", name_));
    }
    const int major = static_cast<unsigned char>(start[6]);
    if (major != 1 && major != 2) {
      throw IoError(fmt::format("'{}': expected .npy version 1 or 2, got {}", name_, major));
    }
    std::array<unsigned char, 4> length{};
    read(length.data(), major == 1 ? 2 : 4);
    const std::size_t count =
        length[0] + (std::size_t{length[1]} << 8) + (std::size_t{length[2]} << 16) + (std::size_t{length[3]} << 24);
    if (count > remaining()) {
      throw IoError(fmt::format("'{}' is not a valid .npy file: its header is said to have {} bytes, the file has {}",
                                name_, count, bytes_));
    }
    std::string text(count, '\0');
    read(text.data(), count);
    return io::parse_npy_header(text, name_);
  }

  std::size_t remaining() const { return bytes_ - position_; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::ifstream stream_;
  std::size_t bytes_ = 0;
  std::size_t position_ = 0;
};

}  // namespace

template <class T>
void write_npy(const Context& ctx, const std::filesystem::path& path, ArrayRef<const T> array) {
  const std::string preamble = make_preamble({npy_type<T>, false, array.shape()});
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
  Reader reader(path);
  const io::NpyHeader header = reader.header();
  if (header.type != npy_type<T>) {
    throw IoError(fmt::format("'{}' holds elements of type '{}', expected '{}'; convert it with numpy's astype",
                              reader.name(), header.type, npy_type<T>));
  }
  if (header.fortran_order && header.shape.rank() > 1) {
    throw IoError(fmt::format("'{}' is in Fortran order, expected C order; convert it with numpy.ascontiguousarray",
                              reader.name()));
  }
  const std::size_t bytes = static_cast<std::size_t>(header.shape.size()) * sizeof(T);
  if (bytes != reader.remaining()) {
    throw IoError(
        fmt::format("'{}': an array of shape {} and type '{}' takes {} bytes, the file has {} after its header",
                    reader.name(), to_string(header.shape), header.type, bytes, reader.remaining()));
  }
  Array<T> array(ctx, header.shape);
  const auto to = std::as_writable_bytes(array.span());
  for (std::size_t first = 0; first < bytes; first += part_bytes) {
    ctx.check_cancel("reading .npy");
    reader.read(to.data() + first, std::min(part_bytes, bytes - first));
  }
  return array;
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
