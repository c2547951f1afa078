#include "whorl/scan/note_weight.hpp"

#include <algorithm>
#include <array>

#include "whorl/scan/header_notes.hpp"

namespace whorl {

bool is_doubt(std::string_view note) {
  // Words of the notes of readers, corrections, methods and error bars.
  constexpr std::array doubts{header_disagrees,
                              std::string_view("noise is not known"),
                              std::string_view("noise not known"),
                              std::string_view("noise, which is not known"),
                              std::string_view("dwell time is not known"),
                              std::string_view("not known and was ignored"),
                              std::string_view("reached the limit"),
                              std::string_view("the limit: they may not have settled"),
                              std::string_view("rounding errors dominate"),
                              std::string_view("not those of the converged image"),
                              std::string_view("those of the converged image; this one stopped"),
                              std::string_view("negative estimate"),
                              std::string_view("not undone"),
                              std::string_view("dropped"),
                              std::string_view("left aside"),
                              std::string_view("were left out"),
                              std::string_view("fill no frame"),
                              std::string_view("no energy above the noise"),
                              std::string_view("by what the model misses"),
                              std::string_view("no sample reaches"),
                              std::string_view("can not be told"),
                              std::string_view("are missing"),
                              std::string_view("made anew")};
  return std::any_of(doubts.begin(), doubts.end(),
                     [&](std::string_view words) { return note.find(words) != std::string_view::npos; });
}

bool is_answer(std::string_view note) {
  constexpr std::array openings{"Weight ",   "Point spread at ", "Gradient delays",
                                "K-space: ", "Motion: ",         "Self-gating: "};
  return std::any_of(openings.begin(), openings.end(), [&](const char* words) { return note.starts_with(words); }) ||
         (note.starts_with("Lambda ") && note.find(" by ") != std::string_view::npos);
}

std::vector<std::string> by_weight(std::vector<std::string> notes) {
  std::vector<std::string> sorted;
  for (std::string& note : notes) {
    if (std::find(sorted.begin(), sorted.end(), note) == sorted.end()) sorted.push_back(std::move(note));
  }
  const auto rank = [](const std::string& note) { return is_doubt(note) ? 0 : is_answer(note) ? 1 : 2; };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return sorted;
}

}  // namespace whorl
