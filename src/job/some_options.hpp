// Some options of a table, for a table of the whole.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "whorl/core/option_table.hpp"

namespace whorl::job {

/// The table, for options to be added: its functions are those of one that is being made.
template <class Options>
OptionTable<Options>&& on(OptionTable<Options>& table) {
  return static_cast<OptionTable<Options>&&>(table);
}

class SomeOptions : public OptionSet {
 public:
  /// The named options, or all but these.
  static SomeOptions only(const OptionSet& table, const std::vector<std::string>& names) {
    return {table, names, true};
  }
  static SomeOptions but(const OptionSet& table, const std::vector<std::string>& names) {
    return {table, names, false};
  }

  /// Without the conditions of the table, where the whole has its own.
  SomeOptions without_conditions() const {
    SomeOptions bare(OptionSet(title()), {}, true);
    for (OptionBinding binding : bindings()) {
      binding.what.applies.clear();
      binding.applies = nullptr;
      bare.add(std::move(binding));
    }
    return bare;
  }

 private:
  SomeOptions(const OptionSet& table, const std::vector<std::string>& names, bool named) : OptionSet(table.title()) {
    for (const OptionBinding& binding : table.bindings()) {
      const bool is_named = std::find(names.begin(), names.end(), binding.what.name) != names.end();
      if (is_named == named) add(binding);
    }
  }
};

}  // namespace whorl::job
