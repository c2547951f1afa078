// Progress for people: a bar on a terminal, plain lines in a log.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "whorl/core/progress.hpp"

namespace whorl::cli {

/// On a terminal one line is drawn again and again, at most 10 times a second: the innermost stage with its rate and
/// remaining time; every outer stage leaves a line with its time behind. In a log a line comes at the begin and the end
/// of every outer stage, and at most every 10 s between. `verbose` treats inner stages like outer ones.
class ProgressBar : public ProgressSink {
 public:
  struct Options {
    bool terminal = false;
    bool verbose = false;
    int width = 80;  ///< of the terminal, in characters
    std::function<double()> seconds = steady_seconds;
  };

  ProgressBar(std::ostream& out, Options options);

  void begin(std::string_view stage, Index total) override;
  void update(Index done, std::string_view detail) override;
  void end() override;

 private:
  struct Stage {
    std::string name;
    Index total = 0;
    Index done = 0;
    double start = 0;
    int exceptions = 0;  // in flight when the stage began
  };

  static double steady_seconds();
  bool is_said() const { return options_.verbose || stages_.size() == 1; }
  std::string status(std::string_view detail, double now) const;
  void say(const std::string& line);
  void draw(std::string_view detail, double now);

  std::ostream& out_;
  Options options_;
  std::vector<Stage> stages_;
  double last_shown_ = 0;
};

/// "0:07", "12:34", "1:02:03"
std::string format_duration(double seconds);

}  // namespace whorl::cli
