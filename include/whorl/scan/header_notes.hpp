// Notes of a scan that tell where the header of its file and the data disagree.
#pragma once

#include <string>
#include <string_view>

#include "whorl/core/note.hpp"

namespace WHORL_PUBLIC whorl {

/// The words with which such a note of Scan::notes begins.
inline constexpr std::string_view header_disagrees = "Header and data disagree: ";

/// The note that says what disagrees and what was taken. `examine` lists these notes.
inline Note disagreement(const std::string& what) {
  return {std::string(header_disagrees) + what, NoteKind::disagreement};
}

}  // namespace whorl
