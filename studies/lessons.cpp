#include "studies/lessons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace whorl::studies {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

constexpr std::string_view begin_mark = "// step: ";
constexpr std::string_view end_mark = "// end of step";

bool names(std::string_view line, std::string_view step) {
  std::string_view list = trimmed(line).substr(begin_mark.size());
  while (!list.empty()) {
    const std::size_t end = std::min(list.find("; "), list.size());
    if (list.substr(0, end) == step) return true;
    list.remove_prefix(std::min(end + 2, list.size()));
  }
  return false;
}

/// What every source has and no step is about.
bool is_frame(std::string_view line) {
  for (const char* const start : {"#include", "#pragma once", "#undef", "#define HWY", "namespace ", "}  // namespace",
                                  "HWY_BEFORE", "HWY_AFTER", "// NOLINT"}) {
    if (line.starts_with(start)) return true;
  }
  return false;
}

/// The lines of each region; the first comment of the source is none of the whole.
std::vector<std::vector<std::string_view>> regions_of(std::string_view source, std::string_view step) {
  const std::vector<std::string_view> lines = lines_of(source);
  const auto starts = [](std::string_view line) { return trimmed(line).starts_with(begin_mark); };
  if (std::none_of(lines.begin(), lines.end(), starts)) {
    const auto code = std::find_if(lines.begin(), lines.end(), [](auto line) { return !line.starts_with("//"); });
    return {{code, lines.end()}};
  }
  std::vector<std::vector<std::string_view>> regions;
  bool inside = false;
  for (const std::string_view line : lines) {
    if (starts(line)) {
      inside = names(line, step);
      if (inside) regions.emplace_back();
    } else if (trimmed(line) == end_mark) {
      inside = false;
    } else if (inside) {
      regions.back().push_back(line);
    }
  }
  return regions;
}

std::string comment_of(const std::vector<std::string_view>& lines) {
  std::string text;
  for (const std::string_view line : lines) {
    if (!line.starts_with("//")) break;
    const std::string_view words = trimmed(line.substr(2));
    if (!words.empty()) text += (text.empty() ? "" : " ") + std::string(words);
  }
  return text;
}

}  // namespace

std::string region_of(std::string_view source, std::string_view step) {
  std::string text;
  bool empty = true;  // the line before
  for (const auto& region : regions_of(source, step)) {
    if (!empty) text += "\n";
    empty = true;
    for (const std::string_view line : region) {
      if (is_frame(line) || (line.empty() && empty)) continue;
      text += std::string(line) + "\n";
      empty = line.empty();
    }
  }
  return text;
}

std::string idea_of(std::string_view source, std::string_view step) {
  const auto regions = regions_of(source, step);
  const std::string of_step = regions.empty() ? "" : comment_of(regions.front());
  std::string idea = of_step.empty() ? comment_of(lines_of(source)) : of_step;
  // "Step 3, registers: ...": the lesson has a name and a number of its own.
  if (idea.starts_with("Step")) idea.erase(0, std::min(idea.find_first_of(":."), idea.size() - 2) + 2);
  if (!idea.empty() && idea[0] >= 'a' && idea[0] <= 'z') idea[0] = static_cast<char>(idea[0] - 'a' + 'A');
  return idea;
}

std::vector<Lesson> lessons_of(std::string_view study, DeviceKind device) {
  const std::string_view list = embedded(std::string(study) + "/lessons.json");
  if (list.empty()) return {};
  const nlohmann::json all = nlohmann::json::parse(list);
  std::vector<Lesson> lessons;
  for (const auto& one : all.at(device == DeviceKind::cuda ? "cuda" : "cpu")) {
    const std::string step = one.at("step");
    const std::string file = one.at("file");
    const std::string_view source = embedded(file);
    lessons.push_back({step, one.value("idea", idea_of(source, step)), region_of(source, step), one.at("prediction"),
                       one.at("question"), one.value("ladder", "")});
  }
  return lessons;
}

std::string to_text(const std::vector<Lesson>& lessons, std::size_t number) {
  const Lesson& lesson = lessons.at(number - 1);
  std::set<std::string_view> before;
  const bool first = number == 1 || lessons[number - 2].ladder != lesson.ladder;
  if (!first) {
    for (const std::string_view line : lines_of(lessons[number - 2].source)) before.insert(trimmed(line));
  }
  std::string text = fmt::format("Step {} of {}: {}\n\n{}\n\n", number, lessons.size(), lesson.title(), lesson.idea);
  for (const std::string_view line : lines_of(lesson.source)) {
    const bool is_new = !first && !line.empty() && before.count(trimmed(line)) == 0;
    text += fmt::format("{}{}{}\n", is_new ? "+" : "", !is_new && !line.empty() ? " " : "", line);
  }
  return text + fmt::format("\nPrediction: {}\nQuestion: {}\n", lesson.prediction, lesson.question);
}

}  // namespace whorl::studies
