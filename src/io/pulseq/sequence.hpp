// A Pulseq file as it is: blocks, events, shapes and extensions by their numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "whorl/core/context.hpp"

namespace whorl::io::pulseq {

/// Number of an event or shape in its section.
using Id = std::int32_t;

/// Version as one number: 1.4.2 is 1004002.
inline constexpr int version_1_3 = 1003000;
inline constexpr int version_1_4 = 1004000;
inline constexpr int version_1_5 = 1005000;

struct Block {
  double duration = 0;  ///< s; before 1.4 that of the delay
  Id rf = 0;
  std::array<Id, 3> gradients{};
  Id adc = 0;
  Id extension = 0;
};

enum class PulseUse { excitation, refocusing, other };

struct Pulse {
  double amplitude_hz = 0;
  Id magnitude = 0;
  Id phase = 0;
  Id time = 0;
  double center = -1;        ///< s after its start; -1: not said
  double delay = 0;          ///< s
  char use = 0;              ///< first letter; 0: not said
  double frequency_hz = 0;   ///< offset, and
  double frequency_ppm = 0;  ///< one in parts of the main frequency
};

struct Gradient {
  bool is_trapezoid = false;
  double amplitude = 0;  ///< Hz/m
  double delay = 0;      ///< s
  double rise = 0;       ///< s, of a trapezoid, as the next two
  double flat = 0;
  double fall = 0;
  Id shape = 0;
  Id time = 0;            ///< 0: centers of the raster; -1: half the raster
  bool has_ends = false;  ///< first and last are said
  double first = 0;       ///< Hz/m
  double last = 0;
};

struct Adc {
  Index samples = 0;
  double dwell = 0;  ///< s
  double delay = 0;  ///< s
};

/// A shape as it is stored; decompressed() gives its values.
struct Shape1d {
  Index samples = 0;
  std::vector<double> stored;
  bool compressed = true;
};

struct Extension {
  Id type = 0;
  Id reference = 0;
  Id next = 0;
};

struct Label {
  std::string name;
  double value = 0;
  bool increments = false;
};

/// What a sequence may ask for, since a few numbers in a file can ask for any amount: so many points of all gradients.
/// 2^20 are 10 s on the usual raster, or a thousand readouts of a thousand samples; 4096 for each byte of the file are
/// 100,000 and more for a block.
constexpr Index most_points(std::size_t file_bytes) { return (Index{1} << 20) + 4096 * static_cast<Index>(file_bytes); }

/// Most that is held in memory: samples (40 bytes each), and values of all shapes.
constexpr Index most_held(std::size_t file_bytes) { return std::min(most_points(file_bytes), Index{1} << 28); }

struct Sequence {
  std::string source;
  std::size_t bytes = 0;  ///< of the file
  int version = 0;
  double gradient_raster = 1e-5;             ///< s
  double pulse_raster = 1e-6;                ///< s
  double block_raster = 1e-5;                ///< s
  std::array<double, 3> field_of_view_mm{};  ///< 0: not said
  bool field_of_view_in_mm = false;          ///< in the file, in place of meters
  std::vector<Block> blocks;
  std::map<Id, Pulse> pulses;
  std::map<Id, Gradient> gradients;
  std::map<Id, Adc> adcs;
  std::map<Id, Shape1d> shapes;
  std::map<Id, Extension> extensions;
  std::map<Id, std::string> extension_names;  ///< by type
  std::map<Id, Label> set_labels;
  std::map<Id, Label> increment_labels;
  std::map<Id, std::array<double, 4>> rotations;  ///< quaternions of length 1: real part, x, y, z
};

/// True if a file begins as a sequence in text.
bool is_sequence(std::string_view start);
/// True if a file begins as a binary sequence.
bool is_binary_sequence(std::string_view start);

/// Throws IoError, Unsupported, Cancelled.
Sequence read_sequence(const Context& ctx, const std::filesystem::path& path);

/// The values of a shape. Throws IoError for a shape that is not there, or whose runs do not fit its length.
std::vector<double> decompressed(const Sequence& sequence, Id id);

[[noreturn]] void fail_missing(const Sequence& sequence, std::string_view kind, Id id);

/// The event with this number. Throws IoError.
template <class Event>
const Event& event_of(const Sequence& sequence, const std::map<Id, Event>& events, Id id, std::string_view kind) {
  const auto found = events.find(id);
  if (found == events.end()) fail_missing(sequence, kind, id);
  return found->second;
}

}  // namespace whorl::io::pulseq
