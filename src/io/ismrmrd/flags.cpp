#include "io/ismrmrd/flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ismrmrd/ismrmrd.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "io/bytes/printable.hpp"
#include "io/ismrmrd/source.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

struct Flag {
  int number;
  std::string_view name;   // in messages
  std::string_view plain;  // ISMRMRD's name as plain() makes it, where it is another
};

constexpr std::array<Flag, 43> flags{
    {{ISMRMRD::ISMRMRD_ACQ_IS_NOISE_MEASUREMENT, "noise", "noisemeasurement"},
     {ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION, "calibration", "parallelcalibration"},
     {ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION_AND_IMAGING, "calibration and imaging",
      "parallelcalibrationandimaging"},
     {ISMRMRD::ISMRMRD_ACQ_IS_REVERSE, "reverse", ""},
     {ISMRMRD::ISMRMRD_ACQ_IS_NAVIGATION_DATA, "navigator", "navigation"},
     {ISMRMRD::ISMRMRD_ACQ_IS_PHASECORR_DATA, "phase correction", "phasecorr"},
     {ISMRMRD::ISMRMRD_ACQ_LAST_IN_MEASUREMENT, "last in measurement", ""},
     {ISMRMRD::ISMRMRD_ACQ_IS_HPFEEDBACK_DATA, "high-pass feedback", "hpfeedback"},
     {ISMRMRD::ISMRMRD_ACQ_IS_DUMMYSCAN_DATA, "dummy", "dummyscan"},
     {ISMRMRD::ISMRMRD_ACQ_IS_RTFEEDBACK_DATA, "real-time feedback", "rtfeedback"},
     {ISMRMRD::ISMRMRD_ACQ_IS_SURFACECOILCORRECTIONSCAN_DATA, "surface coil correction", "surfacecoilcorrectionscan"},
     {ISMRMRD::ISMRMRD_ACQ_IS_PHASE_STABILIZATION_REFERENCE, "phase stabilization reference", ""},
     {ISMRMRD::ISMRMRD_ACQ_IS_PHASE_STABILIZATION, "phase stabilization", ""},
     {ISMRMRD::ISMRMRD_ACQ_COMPRESSION1, "compression 1", ""},
     {ISMRMRD::ISMRMRD_ACQ_COMPRESSION2, "compression 2", ""},
     {ISMRMRD::ISMRMRD_ACQ_COMPRESSION3, "compression 3", ""},
     {ISMRMRD::ISMRMRD_ACQ_COMPRESSION4, "compression 4", ""},
     {ISMRMRD::ISMRMRD_ACQ_USER1, "user 1", ""},
     {ISMRMRD::ISMRMRD_ACQ_USER2, "user 2", ""},
     {ISMRMRD::ISMRMRD_ACQ_USER3, "user 3", ""},
     {ISMRMRD::ISMRMRD_ACQ_USER4, "user 4", ""},
     {ISMRMRD::ISMRMRD_ACQ_USER5, "user 5", ""},
     {ISMRMRD::ISMRMRD_ACQ_USER6, "user 6", ""},
     {ISMRMRD::ISMRMRD_ACQ_USER7, "user 7", ""},
     {ISMRMRD::ISMRMRD_ACQ_USER8, "user 8", ""},
     {ISMRMRD::ISMRMRD_ACQ_FIRST_IN_ENCODE_STEP1, "first in encode step 1", ""},
     {ISMRMRD::ISMRMRD_ACQ_LAST_IN_ENCODE_STEP1, "last in encode step 1", ""},
     {ISMRMRD::ISMRMRD_ACQ_FIRST_IN_ENCODE_STEP2, "first in encode step 2", ""},
     {ISMRMRD::ISMRMRD_ACQ_LAST_IN_ENCODE_STEP2, "last in encode step 2", ""},
     {ISMRMRD::ISMRMRD_ACQ_FIRST_IN_AVERAGE, "first in average", ""},
     {ISMRMRD::ISMRMRD_ACQ_LAST_IN_AVERAGE, "last in average", ""},
     {ISMRMRD::ISMRMRD_ACQ_FIRST_IN_SLICE, "first in slice", ""},
     {ISMRMRD::ISMRMRD_ACQ_LAST_IN_SLICE, "last in slice", ""},
     {ISMRMRD::ISMRMRD_ACQ_FIRST_IN_CONTRAST, "first in contrast", ""},
     {ISMRMRD::ISMRMRD_ACQ_LAST_IN_CONTRAST, "last in contrast", ""},
     {ISMRMRD::ISMRMRD_ACQ_FIRST_IN_PHASE, "first in phase", ""},
     {ISMRMRD::ISMRMRD_ACQ_LAST_IN_PHASE, "last in phase", ""},
     {ISMRMRD::ISMRMRD_ACQ_FIRST_IN_REPETITION, "first in repetition", ""},
     {ISMRMRD::ISMRMRD_ACQ_LAST_IN_REPETITION, "last in repetition", ""},
     {ISMRMRD::ISMRMRD_ACQ_FIRST_IN_SET, "first in set", ""},
     {ISMRMRD::ISMRMRD_ACQ_LAST_IN_SET, "last in set", ""},
     {ISMRMRD::ISMRMRD_ACQ_FIRST_IN_SEGMENT, "first in segment", ""},
     {ISMRMRD::ISMRMRD_ACQ_LAST_IN_SEGMENT, "last in segment", ""}}};

constexpr int most_flags = 64;

/// Letters and digits in lower case, without ISMRMRD's prefixes and its last word.
std::string plain(std::string_view name) {
  std::string letters;
  for (const unsigned char letter : name) {
    if (std::isalnum(letter) != 0) letters += static_cast<char>(std::tolower(letter));
  }
  for (const std::string_view prefix : {"ismrmrd", "acq", "is"}) {
    if (letters.starts_with(prefix)) letters.erase(0, prefix.size());
  }
  constexpr std::string_view last = "data";
  if (letters.ends_with(last)) letters.erase(letters.size() - last.size());
  return letters;
}

int flag_number(const std::string& name, std::string_view option) {
  const std::string wanted = plain(name);
  const auto known = std::find_if(flags.begin(), flags.end(),
                                  [&](const Flag& flag) { return wanted == flag.plain || wanted == plain(flag.name); });
  if (known != flags.end()) return known->number;
  const bool digits =
      !name.empty() && name.size() <= 2 &&
      std::all_of(name.begin(), name.end(), [](unsigned char letter) { return std::isdigit(letter) != 0; });
  const int number = digits ? std::stoi(name) : 0;
  if (number >= 1 && number <= most_flags) return number;
  std::vector<std::string> names;  // as they are given: the words of a list may not have spaces
  for (const Flag& flag : flags) {
    names.emplace_back(flag.name);
    std::replace(names.back().begin(), names.back().end(), ' ', '-');
  }
  throw ValueError(fmt::format("{}: \"{}\" is no flag of an acquisition; use a number from 1 to {}, or one of {}",
                               option, printable(name), most_flags, fmt::join(names, ", ")));
}

}  // namespace

bool AcquisitionHead::is_reversed() const { return flag(ISMRMRD::ISMRMRD_ACQ_IS_REVERSE); }

std::uint64_t flag_bits(const std::vector<std::string>& names, std::string_view option) {
  std::uint64_t bits = 0;
  for (const std::string& name : names)
    bits |= std::uint64_t{1} << static_cast<unsigned>(flag_number(name, option) - 1);
  return bits;
}

std::string flag_name(int flag) {
  const auto known = std::find_if(flags.begin(), flags.end(), [&](const Flag& one) { return one.number == flag; });
  return known == flags.end() ? fmt::format("flag {}", flag) : std::string(known->name);
}

std::vector<int> flags_in(std::uint64_t bits) {
  std::vector<int> numbers;
  for (int number = 1; number <= most_flags; ++number) {
    if ((bits >> static_cast<unsigned>(number - 1) & 1U) != 0) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace whorl::io
