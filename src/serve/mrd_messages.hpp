// The messages of MRD v1, the protocol between scanners and reconstructions: a number of 16 bits, then what it stands for, in
// little endian. The layout is that of the package ismrmrd for Python, 1.15 (ismrmrd.serialization).
#pragma once

#include <ismrmrd/ismrmrd.h>
#include <ismrmrd/waveform.h>

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace whorl::serve {

// The structures of ISMRMRD's library are what is sent.
static_assert(std::endian::native == std::endian::little);
static_assert(sizeof(ISMRMRD::ISMRMRD_AcquisitionHeader) == 340);
static_assert(sizeof(ISMRMRD::ISMRMRD_ImageHeader) == 198);
static_assert(sizeof(ISMRMRD::ISMRMRD_WaveformHeader) == 40);

enum class MessageId : std::uint16_t {
  config_file = 1,
  config_text = 2,
  header = 3,
  close = 4,
  text = 5,
  acquisition = 1008,
  image = 1022,
  waveform = 1026,
  array = 1030,
};

/// Bytes of the name in a config file message, which is filled up with zeros.
inline constexpr std::size_t config_file_size = 1024;

/// The name of a reconstruction that the server knows.
struct ConfigFile {
  std::string name;
};
/// A reconstruction as text.
struct ConfigText {
  std::string text;
};
/// ISMRMRD's header, XML.
struct Header {
  std::string xml;
};
struct Close {};
struct Text {
  std::string text;
};
struct Acquisition {
  ISMRMRD::ISMRMRD_AcquisitionHeader head{};
  std::vector<float> trajectory;             ///< [sample, dimension]
  std::vector<std::complex<float>> samples;  ///< [channel, sample]

  // What MRD v2 has in the place of the head's time stamps.
  std::uint64_t time_ns = 0;
  std::vector<std::uint64_t> physiology_ns{};
};
struct Image {
  ISMRMRD::ISMRMRD_ImageHeader head{};
  std::string attributes;
  std::vector<std::byte> pixels;  ///< [channel, z, y, x] of the head's type
};
struct Waveform {
  ISMRMRD::ISMRMRD_WaveformHeader head{};
  std::vector<std::uint32_t> values;  ///< [channel, sample]
};
struct NdArray {
  std::uint16_t data_type = 0;
  std::vector<std::uint64_t> extents;
  std::vector<std::byte> elements;
};

using Message = std::variant<ConfigFile, ConfigText, Header, Close, Text, Acquisition, Image, Waveform, NdArray>;

/// Bytes of an element of ISMRMRD's data types (ISMRMRD_DataTypes); 0 for a number that stands for none.
std::size_t size_of_type(std::uint16_t data_type);

}  // namespace whorl::serve
