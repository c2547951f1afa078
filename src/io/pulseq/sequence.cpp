#include "io/pulseq/sequence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "io/bytes/byte_source.hpp"
#include "io/bytes/printable.hpp"
#include "io/pulseq/lines.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io::pulseq {

namespace {

constexpr double micro = 1e-6;
constexpr double nano = 1e-9;

/// Events may lie in any order, but the version decides how they are read.
class Reader {
 public:
  Reader(const Context& ctx, std::string_view text, const std::string& source) : lines_(ctx, text, source) {
    sequence_.source = source;
    sequence_.bytes = text.size();
  }

  Sequence read() {
    std::string_view line;
    while (lines_.next(line)) {
      const std::vector<std::string_view> words = lines_.words();
      if (line.starts_with('[')) {
        read_section(line);
      } else if (words.front() == "extension") {
        if (words.size() != 3) lines_.fail("expected 'extension', a name and a number");
        read_extension(std::string(words[1]), lines_.id(lines_.number(words[2])));
      } else {
        lines_.fail("expected a section in [ ]");
      }
    }
    if (sequence_.version == 0) throw IoError(fmt::format("'{}': it has no section [VERSION]", sequence_.source));
    if (sequence_.blocks.empty()) throw IoError(fmt::format("'{}': it has no blocks", sequence_.source));
    check_required();
    return std::move(sequence_);
  }

 private:
  /// Calls `take` for each line up to the next section.
  template <class Take>
  void each_line(const Take& take) {
    std::string_view line;
    while (lines_.next(line)) {
      if (line.starts_with('[') || line.starts_with("extension ") || line.starts_with("extension\t")) {
        lines_.put_back();
        return;
      }
      take(line);
    }
  }

  template <class Event>
  void insert(std::map<Id, Event>& events, double number, Event event) {
    if (!events.emplace(lines_.id(number, 1), std::move(event)).second) {
      lines_.fail(fmt::format("another event of this kind has the number {:g}", number));
    }
  }

  double not_negative(double number) const {
    if (!(number >= 0)) lines_.fail(fmt::format("expected a time of 0 or more, got {:g}", number));
    return number;
  }

  void read_section(std::string_view name) {
    const bool needs_version = name != "[VERSION]" && name != "[DEFINITIONS]" && name != "[SIGNATURE]";
    if (needs_version && sequence_.version == 0) lines_.fail("the section [VERSION] has to come before it");
    if (name == "[VERSION]") return read_version();
    if (name == "[DEFINITIONS]") return each_line([&](std::string_view) { read_definition(); });
    if (name == "[BLOCKS]") return each_line([&](std::string_view) { read_block(); });
    if (name == "[RF]") return each_line([&](std::string_view) { read_pulse(); });
    if (name == "[GRADIENTS]") return each_line([&](std::string_view) { read_gradient(); });
    if (name == "[TRAP]") return each_line([&](std::string_view) { read_trapezoid(); });
    if (name == "[ADC]") return each_line([&](std::string_view) { read_adc(); });
    if (name == "[DELAYS]" && sequence_.version < version_1_4) {
      return each_line([&](std::string_view) { read_delay(); });
    }
    if (name == "[SHAPES]") return read_shapes();
    if (name == "[EXTENSIONS]") return each_line([&](std::string_view) { read_link(); });
    if (name == "[SIGNATURE]") return each_line([](std::string_view) {});
    lines_.fail("the section is not known");
  }

  void read_version() {
    std::array<Index, 3> parts{};
    each_line([&](std::string_view) {
      const std::vector<std::string_view> words = lines_.words();
      constexpr std::array<std::string_view, 3> names{"major", "minor", "revision"};
      const auto* const name = std::find(names.begin(), names.end(), words.front());
      if (name == names.end() || words.size() != 2) lines_.fail("expected major, minor or revision, and a number");
      // Some writers add letters: "1post1".
      const std::string_view digits = words[1].substr(0, words[1].find_first_not_of("0123456789"));
      constexpr Index most = 999;
      parts[static_cast<std::size_t>(name - names.begin())] = lines_.count(lines_.number(digits), most);
    });
    const auto [major, minor, revision] = parts;
    if (major != 1 || minor < 2 || minor > 5) {
      throw Unsupported(fmt::format("'{}': Pulseq of version {}.{}.{}, known are 1.2 to 1.5", sequence_.source, major,
                                    minor, revision));
    }
    sequence_.version = static_cast<int>(1000000 * major + 1000 * minor + revision);
  }

  void read_definition() {
    const std::vector<std::string_view> words = lines_.words();
    const auto raster = [&](double& seconds) {
      const double number = words.size() == 2 ? lines_.number(words[1]) : 0;
      if (!(number > 0)) lines_.fail("expected a time above 0");
      seconds = number;
    };
    if (words[0] == "GradientRasterTime") raster(sequence_.gradient_raster);
    if (words[0] == "RadiofrequencyRasterTime") raster(sequence_.pulse_raster);
    if (words[0] == "BlockDurationRaster") raster(sequence_.block_raster);
    if (words[0] == "RequiredExtensions") required_.assign(words.begin() + 1, words.end());
    if (words[0] == "FOV" && words.size() == 4) read_field_of_view(words);
  }

  void read_field_of_view(const std::vector<std::string_view>& words) {
    std::array<double, 3> numbers{};
    for (std::size_t axis = 0; axis < 3; ++axis) numbers[axis] = std::max(0.0, lines_.number(words[axis + 1]));
    // Meters; old programs wrote millimeters, and no scanner holds a field of view of 10 m.
    constexpr double least_mm = 10;
    sequence_.field_of_view_in_mm = *std::max_element(numbers.begin(), numbers.end()) >= least_mm;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sequence_.field_of_view_mm[axis] = numbers[axis] * (sequence_.field_of_view_in_mm ? 1 : 1000);
    }
  }

  void read_block() {
    // The column of extensions came with 1.3.
    const std::size_t columns = sequence_.version < version_1_3 ? 7 : 8;
    const std::vector<double> row = lines_.numbers(columns, columns);
    Block block;
    if (sequence_.version >= version_1_4) {
      block.duration = not_negative(row[1]) * sequence_.block_raster;
    } else {
      delays_of_blocks_.push_back(lines_.id(row[1]));
    }
    block.rf = lines_.id(row[2]);
    for (std::size_t axis = 0; axis < 3; ++axis) block.gradients[axis] = lines_.id(row[3 + axis]);
    block.adc = lines_.id(row[6]);
    if (columns == 8) block.extension = lines_.id(row[7]);
    sequence_.blocks.push_back(block);
  }

  void read_pulse() {
    Pulse pulse;
    if (sequence_.version >= version_1_5) {
      const std::vector<std::string_view> words = lines_.words();
      if (words.size() != 12) lines_.fail(fmt::format("expected 11 numbers and a letter, got {} words", words.size()));
      const auto number = [&](std::size_t column) { return lines_.number(words[column]); };
      pulse = {number(1),
               lines_.id(number(2)),
               lines_.id(number(3)),
               lines_.id(number(4), -1),
               micro * number(5),
               micro * not_negative(number(6)),
               words[11].front(),
               number(9),
               number(7)};
      insert(sequence_.pulses, number(0), pulse);
      return;
    }
    const bool has_time = sequence_.version >= version_1_4;
    const std::vector<double> row = lines_.numbers(has_time ? 8 : 7, has_time ? 8 : 7);
    pulse.amplitude_hz = row[1];
    pulse.magnitude = lines_.id(row[2]);
    pulse.phase = lines_.id(row[3]);
    pulse.time = has_time ? lines_.id(row[4]) : 0;
    pulse.delay = micro * not_negative(row[has_time ? 5 : 4]);
    pulse.frequency_hz = row[has_time ? 6 : 5];
    insert(sequence_.pulses, row[0], pulse);
  }

  void read_gradient() {
    Gradient gradient;
    gradient.has_ends = sequence_.version >= version_1_5;
    const bool has_time = sequence_.version >= version_1_4;
    const std::size_t columns = gradient.has_ends ? 7 : has_time ? 5 : 4;
    const std::vector<double> row = lines_.numbers(columns, columns);
    gradient.amplitude = row[1];
    std::size_t column = 2;
    if (gradient.has_ends) {
      gradient.first = row[2];
      gradient.last = row[3];
      column = 4;
    }
    gradient.shape = lines_.id(row[column++], 1);
    if (has_time) gradient.time = lines_.id(row[column++], gradient.has_ends ? -1 : 0);
    gradient.delay = micro * not_negative(row[column]);
    insert(sequence_.gradients, row[0], gradient);
  }

  void read_trapezoid() {
    const std::vector<double> row = lines_.numbers(6, 6);
    Gradient gradient;
    gradient.is_trapezoid = true;
    gradient.amplitude = row[1];
    gradient.rise = micro * not_negative(row[2]);
    gradient.flat = micro * not_negative(row[3]);
    gradient.fall = micro * not_negative(row[4]);
    gradient.delay = micro * not_negative(row[5]);
    insert(sequence_.gradients, row[0], gradient);
  }

  void read_adc() {
    const std::size_t columns = sequence_.version >= version_1_5 ? 9 : 6;
    const std::vector<double> row = lines_.numbers(columns, columns);
    if (!(row[2] > 0)) lines_.fail(fmt::format("expected a dwell time above 0, got {:g}", row[2]));
    insert(sequence_.adcs, row[0],
           Adc{lines_.count(row[1], most_held(sequence_.bytes)), nano * row[2], micro * not_negative(row[3])});
  }

  void read_delay() {
    const std::vector<double> row = lines_.numbers(2, 2);
    insert(delays_, row[0], micro * not_negative(row[1]));
  }

  void read_shapes() {
    Shape1d* shape = nullptr;
    const auto finish = [&] {
      // Since 1.4 a shape of as many values as samples is not compressed.
      if (shape != nullptr && sequence_.version >= version_1_4) {
        shape->compressed = static_cast<Index>(shape->stored.size()) != shape->samples;
      }
    };
    each_line([&](std::string_view line) {
      if (line.starts_with("shape_id")) {
        finish();
        const std::vector<std::string_view> words = lines_.words();
        if (words.size() != 2) lines_.fail("expected the number of the shape");
        const double number = lines_.number(words[1]);
        insert(sequence_.shapes, number, Shape1d{});
        shape = &sequence_.shapes[lines_.id(number, 1)];
      } else if (shape == nullptr) {
        lines_.fail("expected shape_id and a number");
      } else if (line.starts_with("num_samples")) {
        const std::vector<std::string_view> words = lines_.words();
        if (words.size() != 2) lines_.fail("expected the number of samples");
        shape->samples = lines_.count(lines_.number(words[1]), most_held(sequence_.bytes));
      } else {
        shape->stored.push_back(lines_.number(line));
      }
    });
    finish();
  }

  void read_link() {
    const std::vector<double> row = lines_.numbers(4, 4);
    insert(sequence_.extensions, row[0], Extension{lines_.id(row[1]), lines_.id(row[2]), lines_.id(row[3])});
  }

  void read_extension(const std::string& name, Id type) {
    if (!sequence_.extension_names.emplace(type, name).second) lines_.fail("another extension has this number");
    if (name == "LABELSET" || name == "LABELINC") {
      const bool increments = name == "LABELINC";
      each_line([&](std::string_view) {
        const std::vector<std::string_view> words = lines_.words();
        if (words.size() != 3) lines_.fail("expected two numbers and a label");
        insert(increments ? sequence_.increment_labels : sequence_.set_labels, lines_.number(words[0]),
               Label{std::string(words[2]), lines_.number(words[1]), increments});
      });
    } else if (name == "ROTATIONS") {
      each_line([&](std::string_view) {
        const std::vector<double> row = lines_.numbers(5, 5);
        const double norm = std::hypot(std::hypot(row[1], row[2]), std::hypot(row[3], row[4]));
        // Files hold six digits of a quaternion of length 1.
        constexpr double rounding = 1e-3;
        if (!(std::abs(norm - 1) < rounding)) lines_.fail(fmt::format("a quaternion of length {:g}, expected 1", norm));
        insert(sequence_.rotations, row[0],
               std::array<double, 4>{row[1] / norm, row[2] / norm, row[3] / norm, row[4] / norm});
      });
    } else {
      each_line([](std::string_view) {});
    }
  }

  void check_required() {
    constexpr std::array<std::string_view, 6> known{"TRIGGERS", "LABELSET", "LABELINC",
                                                    "DELAYS",   "RF_SHIMS", "ROTATIONS"};
    for (const std::string& name : required_) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw IoError(fmt::format("'{}': it requires the extension {}, known are {}", sequence_.source,
                                  printable(name, 40), fmt::join(known, ", ")));
      }
    }
    for (std::size_t i = 0; i < delays_of_blocks_.size(); ++i) {
      if (delays_of_blocks_[i] == 0) continue;
      sequence_.blocks[i].duration = event_of(sequence_, delays_, delays_of_blocks_[i], "delay");
    }
  }

  Lines lines_;
  Sequence sequence_;
  std::vector<std::string> required_;
  std::map<Id, double> delays_;       // before 1.4
  std::vector<Id> delays_of_blocks_;  // before 1.4
};

std::string read_text(const std::filesystem::path& path) {
  FileSource source(path);
  std::string text;
  constexpr std::size_t part = std::size_t{1} << 20;
  // Sequences of hours of scan time have some hundred megabytes; what a compressed file holds is not known before.
  constexpr std::size_t most = std::size_t{1} << 32;
  while (true) {
    const std::size_t before = text.size();
    text.resize(before + part);
    const std::size_t got = source.read_up_to(text.data() + before, part);
    text.resize(before + got);
    if (got < part) return text;
    if (text.size() > most) throw IoError(fmt::format("'{}': a sequence of more than 4 GiB of text", path.string()));
  }
}

}  // namespace

bool is_sequence(std::string_view start) {
  if (start.starts_with("# Pulseq sequence")) return true;
  const std::size_t version = start.find("[VERSION]");
  return version != std::string_view::npos && start.find("major", version) != std::string_view::npos;
}

bool is_binary_sequence(std::string_view start) {
  return start.starts_with("\x01pulseq\x02") || start.starts_with("\x02qeslup\x01");
}

Sequence read_sequence(const Context& ctx, const std::filesystem::path& path) {
  const std::string text = read_text(path);
  if (is_binary_sequence(text)) {
    throw Unsupported(fmt::format("'{}': a binary sequence of Pulseq; write it as text", path.string()));
  }
  const std::string source = path.string();
  return Reader(ctx, text, source).read();
}

void fail_missing(const Sequence& sequence, std::string_view kind, Id id) {
  throw IoError(
      fmt::format("'{}': there is no {} of the number {}, which the sequence uses", sequence.source, kind, id));
}

std::vector<double> decompressed(const Sequence& sequence, Id id) {
  const Shape1d& shape = event_of(sequence, sequence.shapes, id, "shape");
  if (!shape.compressed) return shape.stored;
  const auto fail = [&] {
    throw IoError(
        fmt::format("'{}': the values of shape {} are not those of {} samples", sequence.source, id, shape.samples));
  };
  // The differences of neighboring samples; two equal ones are followed by the number of further repetitions.
  std::vector<double> values;
  double value = 0;
  const std::vector<double>& stored = shape.stored;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    double times = 1;
    const double step = stored[i];
    if (i + 1 < stored.size() && stored[i + 1] == step) {
      if (i + 2 >= stored.size()) {
        // Two equal values at the end that no count follows.
        times = 2;
        i += 1;
      } else {
        times = stored[i + 2] + 2;
        i += 2;
      }
    }
    if (!(times >= 1) || times != std::floor(times)) fail();
    if (times > static_cast<double>(shape.samples) - static_cast<double>(values.size())) fail();
    for (auto repeat = static_cast<Index>(times); repeat > 0; --repeat) values.push_back(value += step);
  }
  if (static_cast<Index>(values.size()) != shape.samples) fail();
  return values;
}

}  // namespace whorl::io::pulseq
