// Options described once: name, default, range, unit and help, bound to the members of a struct. The command line and
// its help, the record of a run, the documentation and bindings of other languages are made from these tables, and
// ranges are checked by them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// The value of an option without its C++ type. An enumeration is its word; monostate: an optional that holds nothing.
using OptionValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                                 std::vector<double>, std::vector<std::string>>;

/// The value as people write it: "yes", "0.5", "1,2,3"; empty for monostate.
std::string to_text(const OptionValue& value);

/// The use of an option's text: no file, the path of a file to read, or the path of what is written: `output` under any name,
/// the others with the endings of their formats.
enum class FileUse { none, input, output, image, array, picture, movie, normals, checkpoint };

inline bool is_output(FileUse use) { return use > FileUse::input; }

enum class OptionType { flag, integer, number, text, integers, numbers, texts };

/// The numbers that an option takes, never NaN or infinite.
struct OptionRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool above = false;  ///< `low` itself is left out
  bool below = false;  ///< `high` itself is left out

  OptionRange() = default;
  /// Includes both ends. An end that equals the limit of its integer or floating-point type means no bound.
  template <class Low, class High>
  constexpr OptionRange(Low least, High most) {
    if (least != std::numeric_limits<Low>::lowest()) low = static_cast<double>(least);
    if (most != std::numeric_limits<High>::max()) high = static_cast<double>(most);
  }
  static OptionRange at_least(double least) { return bounded(least, false); }
  static OptionRange more_than(double bound) { return bounded(bound, true); }
  OptionRange up_to(double most) const { return ended(most, false); }
  OptionRange less_than(double bound) const { return ended(bound, true); }

  bool contains(double value) const;
  /// "0.1 to 100", "1 or more", "above 0, up to 1"; empty where any number will do.
  std::string text() const;

 private:
  static OptionRange bounded(double bound, bool open);
  OptionRange ended(double bound, bool open) const;
};

/// One option, for people and programs.
struct OptionDescriptor {
  std::string name;                       ///< as on the command line: "espirit-kernel"
  std::string summary;                    ///< one line
  std::string unit{};                     ///< "pixels"; empty: a plain number or a word
  OptionRange range{};                    ///< of a number, and of each of several
  std::optional<std::string> fallback{};  ///< the default, as text; none: the option must be given
  std::vector<std::string> choices{};     ///< the words that it takes; a number may have words besides its range
  bool by_place = true;                   ///< filters: may be given without its name, in the order of the table
  std::string instead{};                  ///< for an option that must be given: another that may be given instead
  OptionType type = OptionType::text;
  FileUse file = FileUse::none;  ///< of a text
  bool may_be_kept = false;      ///< an output; programs may say yes or no instead: the result in memory has it
  std::string record{};          ///< its key in the record of a run: "espirit_kernel"
  std::string group{};           ///< heading in the help
  std::string applies{};         ///< when it has an effect: "cg-sense"; empty: always
  std::string condition{};       ///< a further condition on values in the range: "odd"
  std::string off{};             ///< of a flag: the help text for turning it off
  bool on_command_line = true;   ///< false: for programs only
  std::size_t least_values = 1;  ///< of a list
  std::size_t most_values = 1;   ///< of a list; 0: any number

  bool is_list() const { return type >= OptionType::integers; }
  /// The accepted values: "a number, 0.1 to 100 pixels", "reflect, replicate or wrap".
  std::string expected() const;
};

/// An option and the member of a struct that it stands for. The struct is passed as void*, so that the same code
/// handles the tables of all structs.
struct OptionBinding {
  OptionDescriptor what;
  std::function<OptionValue(const void* options)> get;
  std::function<void(void* options, const OptionValue& value)> set;
  std::function<bool(const void* options)> applies{};        ///< empty: always
  std::function<bool(double value)> condition{};             ///< empty: the range alone counts
  double largest = std::numeric_limits<double>::infinity();  ///< largest value that the member can hold
  bool is_unsigned = false;
};

/// The options of a struct whose type is not known here. `options` is always a struct of the table's type.
class OptionSet {
 public:
  explicit OptionSet(std::string title) : title_(std::move(title)) {}

  /// The name of the set in messages: "nufft".
  const std::string& title() const { return title_; }
  const std::vector<OptionBinding>& bindings() const { return bindings_; }
  std::vector<OptionDescriptor> descriptors() const;
  /// Index of the option with this name. Throws ValueError, listing the names.
  std::size_t index_of(std::string_view name) const;

  OptionValue get_value(const void* options, std::size_t option) const { return bindings_[option].get(options); }
  /// The value as text; for an optional that holds nothing, its fallback.
  std::string get_text(const void* options, std::size_t option) const;
  /// A text for an option of another type is converted to that type. Throws ValueError as check_values.
  void set_value(void* options, std::size_t option, const OptionValue& value) const;
  bool applies_to(const void* options, std::size_t option) const;
  /// Throws ValueError for a wrong value of an option that has an effect: "nufft: tolerance is 2, expected a number,
  /// above 0, below 1". A list without values counts as not given. `operation` replaces the set's title in the message.
  void check_values(const void* options, std::string_view operation = {}) const;
  /// The value of a text; if it is wrong, none, and why: "is 2, expected a number, above 0, below 1".
  std::optional<OptionValue> read(std::size_t option, const std::string& text, std::string& what_is_wrong) const;

 protected:
  /// Fault of a value, for people; empty if the value is right.
  std::string complaint(const OptionBinding& binding, const OptionValue& value) const;
  OptionBinding& add(OptionBinding binding);
  /// Applies to all options that the last call added.
  void for_the_last(const std::function<void(OptionBinding&)>& change);
  void begin() { last_ = bindings_.size(); }

  std::string group_;

 private:
  std::string title_;
  std::vector<OptionBinding> bindings_;
  std::size_t last_ = 0;
};

/// The name of a part's option in the table of the whole.
struct OptionRename {
  std::string from;
  std::string to;
  std::string record{};  ///< empty: made from the name
};

/// The binding under its new name, if it has one. Its key in records follows the name, unless it has a key of its own.
OptionBinding renamed_option(OptionBinding binding, const std::vector<OptionRename>& renames);

}  // namespace whorl
