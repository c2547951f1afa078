// Options on the command line, and in the record of a run, as their table describes them (whorl/core/options.hpp).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.hpp"
#include "whorl/core/option_table.hpp"
#include "whorl/io/parameters.hpp"

namespace whorl::cli {

/// What a command says of an option where the table's words do not fit: empty, those of the table.
struct ShownOption {
  std::string name;  ///< in the table
  std::string as{};  ///< on this command line
  std::string summary{};
  std::string fallback{};              ///< the default that the help shows
  std::vector<std::string> choices{};  ///< the words that this command takes
  std::string group{};
  std::string form{};                    ///< example of a list: "X,Y[,Z]"
  std::optional<std::string> applies{};  ///< with what it has an effect here; empty: always
};

/// Which options of a table a command has, and how. Those for programs alone it has not.
struct Shown {
  std::vector<std::string> only{};  ///< empty: all
  std::vector<std::string> but{};   ///< all but these
  std::vector<ShownOption> changed{};

  bool has(const OptionDescriptor& option) const;
};

/// Adds options that set the members of `options`, whose values are the defaults that the help shows; where the table
/// does not take such a value it stands for one that is found later, and none is shown. A flag that is on has the name
/// --no-NAME. An option that has no effect beside the others is refused (OptionDescriptor::applies). `options` and `table`
/// must outlive the app.
void add_options(App& app, void* options, const OptionSet& table, const Shown& shown);

template <class Options>
void add_options(App& app, Options& options, const OptionTable<Options>& table, const Shown& shown = {}) {
  add_options(app, static_cast<void*>(&options), table, shown);
}
template <class Options>
void add_options(App& app, Options& options, const Shown& shown = {}) {
  add_options(app, static_cast<void*>(&options), option_table<Options>(), shown);
}

using whorl::parameters_of;

/// The options for the record of a run, by their keys: those that a command has and that had an effect.
template <class Options>
Parameters parameters_of(const Options& options, const OptionTable<Options>& table, const Shown& shown) {
  return parameters_of(static_cast<const void*>(&options), table,
                       [&shown](const OptionDescriptor& option) { return shown.has(option); });
}
template <class Options>
Parameters parameters_of(const Options& options, const Shown& shown) {
  return parameters_of(options, option_table<Options>(), shown);
}

}  // namespace whorl::cli
