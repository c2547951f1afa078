// Lessons: the steps of a study one by one, for those who learn from them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "whorl/core/device.hpp"

namespace whorl::studies {

/// A step of a study's ladder as a lesson, from lessons.json in the study's folder.
struct Lesson {
  std::string step;  ///< its name in the ladder, or that of the reconstruction
  std::string idea;  ///< what it changes and why: the first comment of its source
  std::string source;
  std::string prediction;  ///< to be judged by the time
  std::string question;
  std::string ladder{};  ///< the name of its table, where the study has several ladders

  std::string title() const { return ladder.empty() ? step : ladder + ": " + step; }
};

/// The lessons of a study on a kind of device, in the order of its ladders; none of a study without ladders.
std::vector<Lesson> lessons_of(std::string_view study, DeviceKind device);

/// The lesson as text: title, idea, its source with a "+" before each line that the step of the ladder before it has not, prediction,
/// question. `number` is 1 for the first.
std::string to_text(const std::vector<Lesson>& lessons, std::size_t number);

/// A file of the folder studies that the build has put into the program; empty: it has no such file.
std::string_view embedded(std::string_view file);

/// The lines of a source that are a step's: those between "// step: NAME" and "// end of step", of which there may be several, a
/// name among others ("// step: NAME; NAME"); all where no line begins so. Includes, namespaces and the first comment are left out.
std::string region_of(std::string_view source, std::string_view step);

/// The comment at the beginning of a source, or of the step's first region where that has one; on one line.
std::string idea_of(std::string_view source, std::string_view step);

}  // namespace whorl::studies
