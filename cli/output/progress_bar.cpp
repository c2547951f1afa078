#include "cli/output/progress_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>

#include "cli/output/print.hpp"

namespace whorl::cli {

namespace {

constexpr double terminal_interval = 0.1;
constexpr double log_interval = 10;
constexpr double worth_a_line = 1;  // seconds of a stage
constexpr int bar_width = 24;

// Back to the first column, and clear to the end of the line.
constexpr std::string_view new_drawing = "\r\x1b[K";

}  // namespace

ProgressBar::ProgressBar(std::ostream& out, Options options) : out_(out), options_(std::move(options)) {}

double ProgressBar::steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void ProgressBar::begin(std::string_view stage, Index total) {
  const double now = options_.seconds();
  stages_.push_back({escaped(stage), total, 0, now, std::uncaught_exceptions()});
  if (options_.terminal) {
    if (stages_.size() == 1 || now - last_shown_ >= terminal_interval) draw({}, now);
  } else {
    if (options_.verbose) say(stages_.back().name + " ...");
    if (stages_.size() == 1) last_shown_ = now;
  }
}

void ProgressBar::update(Index done, std::string_view detail) {
  if (stages_.empty()) return;
  stages_.back().done = done;
  const double now = options_.seconds();
  if (now - last_shown_ < (options_.terminal ? terminal_interval : log_interval)) return;
  if (options_.terminal) {
    draw(detail, now);
  } else {
    say(fmt::format("{}: {}", shown().name, status(detail, now)));
    last_shown_ = now;
  }
}

void ProgressBar::end() {
  if (stages_.empty()) return;
  const Stage& stage = stages_.back();
  const bool given_up = std::uncaught_exceptions() > stage.exceptions;
  if (options_.terminal) out_ << new_drawing;
  const double took = options_.seconds() - stage.start;
  if (!given_up && (options_.verbose || (stages_.size() == 1 && took >= worth_a_line))) {
    say(fmt::format("{}: done in {}", stage.name, took < 60 ? fmt::format("{:.1f} s", took) : format_duration(took)));
  }
  out_.flush();
  stages_.pop_back();
}

double ProgressBar::part_of(const Stage& stage) {
  return static_cast<double>(stage.done) / static_cast<double>(stage.total);
}

const ProgressBar::Stage& ProgressBar::shown() const {
  const auto inner = stages_.end() - 1;
  return *std::find_if(stages_.begin(), inner, [](const Stage& stage) { return stage.total > 1; });
}

std::string ProgressBar::status(std::string_view detail, double now) const {
  const Stage& stage = shown();
  const bool is_loop = &stage != &stages_.back();
  const double elapsed = now - stage.start;
  const auto done = static_cast<double>(stage.done);
  const auto total = static_cast<double>(stage.total);
  std::string text = is_loop           ? fmt::format("{} of {}", std::min(stage.done + 1, stage.total), stage.total)
                     : stage.total > 0 ? fmt::format("{:3.0f} %", 100 * std::min(1.0, part_of(stage)))
                                       : fmt::format("{} done", stage.done);
  if (stage.done > 0 && elapsed > 0) {
    if (!is_loop) text += fmt::format(", {:.3g}/s", done / elapsed);
    if (stage.total >= stage.done) text += fmt::format(", {} left", format_duration(elapsed * (total / done - 1)));
  }
  if (is_loop) {
    const Stage& inner = stages_.back();
    text += "; " + inner.name;
    if (inner.total > 0) text += fmt::format(" {:.0f} %", 100 * std::min(1.0, part_of(inner)));
  }
  if (!detail.empty()) text += ", " + escaped(detail);
  return text;
}

void ProgressBar::say(const std::string& line) {
  // One write for a line, so that lines of several processes do not mix.
  out_ << std::string(options_.verbose ? 2 * (stages_.size() - 1) : 0, ' ') + line + '\n';
  out_.flush();
}

void ProgressBar::draw(std::string_view detail, double now) {
  const Stage& stage = shown();
  std::string line = stage.name + "  ";
  if (stage.total > 0) {
    const double part = std::min(1.0, part_of(stage));
    const auto full = static_cast<std::size_t>(std::lround(part * bar_width));
    line += fmt::format("[{:<{}}] ", std::string(full, '='), bar_width);
  }
  line += status(detail, now);
  // A line that wraps can not be drawn over; the last column stays free, since some terminals wrap there already.
  line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(options_.width - 1, 0))));
  out_ << std::string(new_drawing) + line;
  out_.flush();
  last_shown_ = now;
}

std::string format_duration(double seconds) {
  const auto whole = static_cast<long long>(std::lround(std::max(0.0, seconds)));
  const long long hours = whole / 3600;
  const long long minutes = whole / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                   : fmt::format("{}:{:02}", minutes, whole % 60);
}

}  // namespace whorl::cli
