// Options of Python's functions, from the tables that describe them for all of whorl (core/option_table.hpp): names,
// defaults, ranges and help.
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <string>
#include <vector>

#include "whorl/core/note.hpp"
#include "whorl/core/option_table.hpp"

namespace whorl::python {

namespace nb = nanobind;

/// Which options of a table a function takes.
struct Shown {
  std::vector<std::string> but{};     ///< left out, by their names in the table
  std::vector<std::string> groups{};  ///< of these headings alone; empty: of all
};

/// The keyword of an option: "golden-index" is golden_index, "lambda" is lambda_.
std::string keyword_of(const std::string& name);

/// A text of the library as Python's users read it: "--readout-interval" is readout_interval.
std::string with_keywords(std::string text);
std::vector<std::string> with_keywords(const Notes& notes);

/// Whether str() of the value is what it means: a text, or an object of this package.
bool stands_for_text(nb::handle value);

/// A value in one line, for messages and records.
std::string text_of_value(nb::handle value);

/// A set of options with its usual values, whose struct's type is not known here.
struct OptionsOf {
  const OptionSet* table;
  const void* usual;
  Shown shown{};
  std::map<std::string, std::string> types{};  ///< of options whose values are more than the table says, for signatures
};

/// One whose struct is known; void: a function reads the keywords itself.
template <class Options>
struct TableOf : OptionsOf {};

/// The table of a struct. The usual values live as long as the program.
template <class Options>
TableOf<Options> options_of(Shown shown = {}, const OptionTable<Options>& table = option_table<Options>(),
                            Options usual = Options{}) {
  return {{&table, new Options(std::move(usual)), std::move(shown)}};
}

/// The keywords of tables as a signature has them, "OPTION: int = 1": those without a default first.
std::vector<std::string> keywords_of(const std::vector<OptionsOf>& tables);

/// A docstring that ends with the list of options.
const char* with_options(const std::string& text, const std::vector<OptionsOf>& options);

/// Sets options from keywords; None leaves an option at its default. Takes those that it knows out of `keywords`.
/// Throws ValueError for a value out of its range and for an option that has no effect beside the others.
void take_options(nb::dict& keywords, void* options, const OptionsOf& of);

/// take_options without a look at effects: the indices of those that are given, for check_effects.
std::vector<std::size_t> set_options(nb::dict& keywords, void* options, const OptionsOf& of);
void check_effects(const void* options, const OptionsOf& of, const std::vector<std::size_t>& given);

/// To take keywords out of.
nb::dict copy_of(const nb::kwargs& keywords);

}  // namespace whorl::python
