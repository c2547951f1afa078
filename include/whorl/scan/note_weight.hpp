// The weight of notes: which of them a person must not miss.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// Whether a note says that a result may not be what it seems: header and data disagree, something is not known, was left out
/// or had to be guessed, a limit was reached. Known by its words.
bool is_doubt(std::string_view note);

/// Whether a note is the answer to an option: the weight that the data chose, a point spread, the motion that was undone. Known by its words.
bool is_answer(std::string_view note);

/// The notes of a run, each once: those that are doubts, then answers, then the others, each kind in its order.
std::vector<std::string> by_weight(std::vector<std::string> notes);

}  // namespace whorl
