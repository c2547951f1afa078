// An option whose text the library turns into a value.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "whorl/core/error.hpp"

namespace whorl::cli {

/// Adds an option `name` that sets `value` to parse(text). A text that `parse` refuses by a ValueError is a mistake in
/// the command line. `names` are the texts that completion offers,
/// where there is a set of them.
template <class Value, class Parse>
Option* add_text_option(App& app, const std::string& name, Value& value, Parse parse, const std::string& help,
                        const std::vector<std::string>& names = {}) {
  return app
      .add_option_function(
          name,
          [&value, parse, name](const std::string& text) {
            try {
              value = parse(text);
            } catch (const ValueError& error) {
              refuse_option(name, error.what());
            }
          },
          help)
      ->check(offer(names));
}

}  // namespace whorl::cli
