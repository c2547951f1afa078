#include "whorl/core/note.hpp"

#include <algorithm>

namespace whorl {

Notes by_weight(Notes notes) {
  Notes sorted;
  for (Note& note : notes) {
    if (std::find(sorted.begin(), sorted.end(), note) == sorted.end()) sorted.push_back(std::move(note));
  }
  const auto rank = [](const Note& note) { return note.is_doubt() ? 0 : note.kind == NoteKind::answer ? 1 : 2; };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return sorted;
}

}  // namespace whorl
