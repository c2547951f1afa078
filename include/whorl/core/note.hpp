// Note: a sentence for people about a scan or a run, with its weight.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// Kind of a note, which sets its weight.
enum class NoteKind {
  fact,    ///< what was read, chosen or done
  answer,  ///< to an option: the weight that the data chose, a point spread
  doubt,   ///< a result may not be what it seems: something is not known, was left out or guessed, a limit was reached
  disagreement,  ///< a doubt: the header of a file and its data disagree, and one of them was taken
};

struct Note : std::string {
  Note(std::string text, NoteKind what = NoteKind::fact)  // NOLINT(google-explicit-constructor): a sentence is a fact
      : std::string(std::move(text)), kind(what) {}

  bool is_doubt() const { return kind == NoteKind::doubt || kind == NoteKind::disagreement; }

  NoteKind kind;
};

using Notes = std::vector<Note>;

/// A doubt where `doubtful`, else a fact.
inline Note doubt_if(bool doubtful, std::string text) {
  return {std::move(text), doubtful ? NoteKind::doubt : NoteKind::fact};
}

/// The note of one of several: "name: note".
inline Note with_name(const std::string& name, const Note& note) { return {name + ": " + note, note.kind}; }

/// The notes of a run, each once: doubts, then answers, then facts, each in their order.
Notes by_weight(Notes notes);

}  // namespace whorl
