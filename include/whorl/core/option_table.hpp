// OptionTable: the options of a struct, each bound to a member by one line.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "whorl/core/options.hpp"

namespace WHORL_PUBLIC whorl {

template <class Options>
class OptionTable;

/// The table of a struct of options; each is defined beside its struct (option_tables.hpp of its folder).
template <class Options>
WHORL_PUBLIC const OptionTable<Options>& option_table();

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
OptionValue value_of(const T& member) {
  if constexpr (is_optional<T>) {
    return member ? value_of(*member) : OptionValue();
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
    return member;
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(member);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::int64_t>(member);
  } else if constexpr (requires { member.string(); }) {
    return member.string();  // a path
  } else {
    using Element = typename T::value_type;
    if constexpr (std::is_floating_point_v<Element>) {
      return std::vector<double>(member.begin(), member.end());
    } else if constexpr (std::is_integral_v<Element>) {
      return std::vector<std::int64_t>(member.begin(), member.end());
    } else {
      return std::vector<std::string>(member.begin(), member.end());
    }
  }
}

template <class T>
void assign(T& member, const OptionValue& value) {
  if constexpr (is_optional<T>) {
    if (std::holds_alternative<std::monostate>(value)) {
      member.reset();
    } else {
      assign(member.emplace(), value);
    }
  } else if constexpr (std::is_same_v<T, bool>) {
    member = std::get<bool>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    member = static_cast<T>(std::get<double>(value));
  } else if constexpr (std::is_integral_v<T>) {
    member = static_cast<T>(std::get<std::int64_t>(value));
  } else if constexpr (std::is_convertible_v<std::string, T>) {
    member = std::get<std::string>(value);
  } else {
    using Element = typename T::value_type;
    const auto fill = [&](const auto& list) {
      if constexpr (requires { member.resize(1); }) member.resize(list.size());
      for (std::size_t i = 0; i < list.size(); ++i) member[i] = static_cast<Element>(list[i]);
    };
    if constexpr (std::is_floating_point_v<Element>) {
      fill(std::get<std::vector<double>>(value));
    } else if constexpr (std::is_integral_v<Element>) {
      fill(std::get<std::vector<std::int64_t>>(value));
    } else {
      fill(std::get<std::vector<std::string>>(value));
    }
  }
}

template <class T>
struct Plain {
  using type = T;
};
template <class T>
struct Plain<std::optional<T>> {
  using type = T;
};

}  // namespace detail

/// Binds options to members; Derived is what is built. Members may be a base's. Defaults are those of Options{}.
template <class Derived, class Options>
class OptionBuilder : public OptionSet {
 public:
  /// A floating-point number. `fallback` describes the value of an optional member that is not given.
  template <class Member, class Base>
  Derived&& real(const std::string& name, Member Base::*member, OptionRange range, std::string unit,
                 std::string summary, std::string fallback = {}) && {
    static_assert(std::is_floating_point_v<typename detail::Plain<Member>::type>);
    return bind(name, member, OptionType::number, std::move(summary), {range, std::move(unit), std::move(fallback)});
  }
  /// A number, or a word that stands for a special value ("automatic" for 0).
  template <class Base>
  Derived&& real_or(const std::string& name, double Base::*member, OptionRange range, std::string unit,
                    std::string summary, const std::string& word, double meaning) && {
    OptionDescriptor what{.name = name,
                          .summary = std::move(summary),
                          .unit = std::move(unit),
                          .range = range,
                          .choices = {word},
                          .type = OptionType::number};
    return std::move(*this).custom(
        std::move(what),
        [=](const Options& options) -> OptionValue {
          if (options.*member == meaning) return word;
          return options.*member;
        },
        [=](Options& options, const OptionValue& value) {
          const double* number = std::get_if<double>(&value);
          options.*member = number != nullptr ? *number : meaning;
        });
  }
  /// A whole number.
  template <class Member, class Base>
  Derived&& integer(const std::string& name, Member Base::*member, OptionRange range, std::string unit,
                    std::string summary, std::string fallback = {}) && {
    static_assert(std::is_integral_v<typename detail::Plain<Member>::type>);
    return bind(name, member, OptionType::integer, std::move(summary), {range, std::move(unit), std::move(fallback)});
  }
  /// `off` is the help text of --no-NAME, which the command line has for a flag that is on by default.
  template <class Base>
  Derived&& flag(const std::string& name, bool Base::*member, std::string summary, std::string off = {}) && {
    std::move(*this).bind(name, member, OptionType::flag, std::move(summary), {});
    for_the_last([&](OptionBinding& binding) {
      binding.what.choices = {"yes", "no"};
      binding.what.by_place = false;
      binding.what.off = std::move(off);
    });
    return self();
  }
  /// One of some words, each with its value.
  template <class Value, class Base>
  Derived&& choice(const std::string& name, Value Base::*member,
                   std::vector<std::pair<std::string, std::type_identity_t<Value>>> words, std::string summary,
                   bool by_place = true) && {
    OptionDescriptor what{.name = name, .summary = std::move(summary), .by_place = by_place};
    for (const auto& [word, value] : words) what.choices.push_back(word);
    return std::move(*this).custom(
        std::move(what),
        [member, words](const Options& options) -> OptionValue {
          for (const auto& [word, value] : words) {
            if (value == options.*member) return word;
          }
          return std::string("unknown");
        },
        [member, words](Options& options, const OptionValue& value) {
          for (const auto& [word, meant] : words) {
            if (word == std::get<std::string>(value)) options.*member = meant;
          }
        });
  }
  /// Text, or a path: any text, or one of the words if there are any.
  template <class Member, class Base>
  Derived&& text(const std::string& name, Member Base::*member, std::string summary,
                 std::vector<std::string> words = {}) && {
    std::move(*this).bind(name, member, OptionType::text, std::move(summary), {});
    for_the_last([&](OptionBinding& binding) { binding.what.choices = std::move(words); });
    return self();
  }
  /// Text that must be given, unless the option `instead` is given.
  template <class Base>
  Derived&& required_text(const std::string& name, std::string Base::*member, std::string summary,
                          std::string instead = {}) && {
    std::move(*this).bind(name, member, OptionType::text, std::move(summary), {});
    for_the_last([&](OptionBinding& binding) {
      binding.what.fallback.reset();
      binding.what.instead = std::move(instead);
    });
    return self();
  }
  /// Text that may be left out and is given by name only; `fallback` describes the default.
  template <class Base>
  Derived&& optional_text(const std::string& name, std::string Base::*member, std::string summary,
                          std::string fallback) && {
    std::move(*this).bind(name, member, OptionType::text, std::move(summary), {});
    for_the_last([&](OptionBinding& binding) {
      binding.what.fallback = std::move(fallback);
      binding.what.by_place = false;
    });
    return self();
  }
  /// Several values: a vector, or an array whose first elements are set. `most` is the largest number; 0: any number.
  template <class Member, class Base>
  Derived&& list(const std::string& name, Member Base::*member, std::size_t least, std::size_t most, OptionRange range,
                 std::string unit, std::string summary, std::vector<std::string> words = {}) && {
    using Element = typename Member::value_type;
    constexpr OptionType type = std::is_floating_point_v<Element> ? OptionType::numbers
                                : std::is_integral_v<Element>     ? OptionType::integers
                                                                  : OptionType::texts;
    std::move(*this).bind(name, member, type, std::move(summary), {range, std::move(unit), {}});
    for_the_last([&](OptionBinding& binding) {
      binding.what.least_values = least;
      binding.what.most_values = most;
      binding.what.choices = std::move(words);
    });
    return self();
  }
  /// An option that is not a single member. Its default is get(Options{}), unless the descriptor has one.
  Derived&& custom(OptionDescriptor what, std::function<OptionValue(const Options&)> get,
                   std::function<void(Options&, const OptionValue&)> set) && {
    begin();
    OptionBinding binding{
        .what = std::move(what),
        .get = [get](const void* options) { return get(*static_cast<const Options*>(options)); },
        .set = [set](void* options, const OptionValue& value) { set(*static_cast<Options*>(options), value); }};
    const Options usual{};
    if (!binding.what.fallback) binding.what.fallback = to_text(binding.get(&usual));
    add(std::move(binding));
    return self();
  }
  /// The options of a member that has a table of its own, under new names where those would clash or say too little.
  template <class Part, class Base>
  Derived&& part(Part Base::*member, const std::vector<OptionRename>& renames = {},
                 const OptionSet& table = option_table<Part>()) && {
    begin();
    const Options usual{};
    for (const OptionBinding& inner : table.bindings()) {
      OptionBinding binding = renamed_option(inner, renames);
      binding.get = [get = inner.get, member](const void* options) {
        return get(&(static_cast<const Options*>(options)->*member));
      };
      binding.set = [set = inner.set, member](void* options, const OptionValue& value) {
        set(&(static_cast<Options*>(options)->*member), value);
      };
      if (inner.applies) {
        binding.applies = [applies = inner.applies, member](const void* options) {
          return applies(&(static_cast<const Options*>(options)->*member));
        };
      }
      const OptionValue value = binding.get(&usual);
      if (binding.what.fallback && !std::holds_alternative<std::monostate>(value)) {
        binding.what.fallback = to_text(value);
      }
      if (!group_.empty()) binding.what.group = group_;
      add(std::move(binding));
    }
    return self();
  }

  // The functions below refer to the options that the last call added.

  /// Sets the option's key in the record of a run.
  Derived&& recorded_as(std::string key) && {
    for_the_last([&](OptionBinding& binding) { binding.what.record = key; });
    return self();
  }
  /// The condition under which they have an effect, as text and as a function; otherwise they are not recorded or checked.
  Derived&& when(const std::string& what, bool (*applies)(const Options&)) && {
    for_the_last([&](OptionBinding& binding) {
      binding.what.applies = what;
      binding.applies = [applies, inner = binding.applies](const void* options) {
        return applies(*static_cast<const Options*>(options)) && (!inner || inner(options));
      };
    });
    return self();
  }
  /// A further condition on a number in its range: "odd".
  Derived&& that_is(const std::string& what, bool (*holds)(double)) && {
    for_the_last([&](OptionBinding& binding) {
      binding.what.condition = what;
      binding.condition = holds;
    });
    return self();
  }
  /// The text is the path of a file to read.
  Derived&& reads_file() && {
    for_the_last([](OptionBinding& binding) { binding.what.file = FileUse::input; });
    return self();
  }
  /// The text is the path of what is written.
  Derived&& writes(FileUse what) && {
    for_the_last([what](OptionBinding& binding) { binding.what.file = what; });
    return self();
  }
  /// Keeps the option off the command line.
  Derived&& for_programs() && {
    for_the_last([](OptionBinding& binding) { binding.what.on_command_line = false; });
    return self();
  }
  /// The heading of the options that follow.
  Derived&& group(std::string heading) && {
    group_ = std::move(heading);
    return self();
  }

 private:
  friend Derived;
  explicit OptionBuilder(std::string title) : OptionSet(std::move(title)) {}

  struct More {
    OptionRange range{};
    std::string unit{};
    std::string fallback{};
  };

  template <class Member, class Base>
  Derived&& bind(const std::string& name, Member Base::*member, OptionType type, std::string summary, More more) {
    static_assert(std::is_base_of_v<Base, Options>);
    using Plain = typename detail::Plain<Member>::type;
    begin();
    OptionBinding binding{
        .what = {.name = name,
                 .summary = std::move(summary),
                 .unit = std::move(more.unit),
                 .range = more.range,
                 .fallback = std::move(more.fallback),
                 .type = type},
        .get =
            [member](const void* options) { return detail::value_of(static_cast<const Options*>(options)->*member); },
        .set = [member](void* options,
                        const OptionValue& value) { detail::assign(static_cast<Options*>(options)->*member, value); }};
    if constexpr (std::is_integral_v<Plain>) {
      binding.largest = static_cast<double>(std::numeric_limits<Plain>::max());
      binding.is_unsigned = std::is_unsigned_v<Plain>;
    }
    const Options usual{};
    const OptionValue value = binding.get(&usual);
    if (!std::holds_alternative<std::monostate>(value)) binding.what.fallback = to_text(value);
    add(std::move(binding));
    return self();
  }

  Derived&& self() { return static_cast<Derived&&>(*this); }
};

/// The options of a struct. An example, with a part and an option whose effect depends on another:
///
///   OptionTable<ReconOptions>("reconstruction")
///       .integer("certify", &ReconOptions::certified_samples, OptionRange::at_least(0), "", "Samples to measure")
///       .when("cg-sense", [](const ReconOptions& options) { return options.method == ReconMethod::cg_sense; })
///       .part(&ReconOptions::nufft, {{"tolerance", "nufft-tolerance"}})
template <class Options>
class OptionTable : public OptionBuilder<OptionTable<Options>, Options> {
 public:
  /// `title` names the set in messages: "nufft".
  explicit OptionTable(std::string title) : OptionBuilder<OptionTable<Options>, Options>(std::move(title)) {}

  OptionValue get(const Options& options, std::string_view name) const {
    return this->get_value(&options, this->index_of(name));
  }
  std::string text_of(const Options& options, std::string_view name) const {
    return this->get_text(&options, this->index_of(name));
  }
  /// Throws ValueError for a value that the option does not take.
  void set(Options& options, std::string_view name, const OptionValue& value) const {
    this->set_value(&options, this->index_of(name), value);
  }
  /// Throws ValueError, naming set, option, value and what was expected.
  void check(const Options& options, std::string_view operation = {}) const { this->check_values(&options, operation); }
};

/// Throws ValueError where a value is out of its range.
template <class Options>
void check_options(const Options& options) {
  option_table<Options>().check(options);
}

}  // namespace whorl
