// Where the header of the file and the data disagree, as the reader found out.
#include "doctor/check.hpp"
#include "whorl/scan/header_notes.hpp"

namespace whorl::doctor {

Findings list_header_notes(const Context& /*ctx*/, Examination& examination) {
  Findings findings;
  for (const Note& note : examination.scan().notes) {
    if (note.kind != NoteKind::disagreement) continue;
    const std::string what = note.substr(header_disagrees.size());
    Finding& finding = findings.emplace_back();
    finding.check = "header";
    finding.is_fault = false;
    finding.what = what.substr(0, what.find_last_not_of('.') + 1);
    finding.confidence = 1;
    finding.remedy = "none needed: the data decided; correct the header for other programs";
  }
  return findings;
}

}  // namespace whorl::doctor
