// Progress for people: a bar on a terminal, plain lines in a log.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "whorl/core/progress.hpp"

namespace whorl::cli {

/// On a terminal one line is drawn again and again, at most 10 times a second: the outermost loop with its count and remaining
/// time ("2 of 13"), or else the innermost stage with its rate. In a log a line comes at most every 10 s. An outer stage that
/// took a second or more leaves a line with its time behind. `verbose` says when each stage, inner ones too, begins and ends.
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
  static double part_of(const Stage& stage);
  // The outermost stage around the innermost that has several steps, or the innermost.
  const Stage& shown() const;
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
