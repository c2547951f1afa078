// Filters on the command line: a pipeline as one text, or an option for each filter, applied in the order written.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "whorl/filter/descriptor.hpp"
#include "whorl/filter/pipeline.hpp"

namespace whorl::cli {

/// The files that the filters of a text read; none of a text that has a mistake.
std::vector<std::string> files_of_pipeline(const std::string& text);

class FilterArguments {
 public:
  /// Adds the argument `pipeline` and --NAME for every name and alias of the list of filters. This must outlive `app`.
  void add_to(App& app);

  /// Takes a text as the argument `pipeline`. Throws ValueError if there is one.
  void take_text(const std::string& text);
  /// The filters that were asked for. Throws ValueError for both ways at once.
  Pipeline pipeline() const;
  /// Were any?
  bool given() const { return !text_.empty() || !given_.empty(); }
  /// The files that they read.
  std::vector<std::string> files_to_read() const;

 private:
  struct Given {
    std::string name;
    std::vector<FilterArgument> arguments;
  };

  void add_words_of_the_exercise(App& app);
  /// Adds a parameter to the last filter of a name. A mistake in the command line where there is none before.
  void add_to_last(const std::string& filter, const std::string& option, FilterArgument argument);

  std::string text_;
  std::vector<Given> given_;
};

}  // namespace whorl::cli
