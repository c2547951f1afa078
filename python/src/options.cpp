#include "options.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <sstream>

#include "whorl/core/error.hpp"

namespace whorl::python {

namespace {

bool is_shown(const OptionDescriptor& option, const Shown& shown) {
  return std::find(shown.but.begin(), shown.but.end(), option.name) == shown.but.end();
}

const char* kept(std::string text) { return (new std::string(std::move(text)))->c_str(); }

std::string repr(const std::string& text) { return "'" + text + "'"; }

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

std::string quoted_choices(const std::vector<std::string>& choices) {
  std::vector<std::string> quoted;
  for (const std::string& choice : choices) quoted.push_back(repr(choice));
  return joined(quoted, ", ");
}

std::string element_type(OptionType type) {
  switch (type) {
    case OptionType::flag:
      return "bool";
    case OptionType::integer:
    case OptionType::integers:
      return "int";
    case OptionType::number:
    case OptionType::numbers:
      return "float";
    default:
      return "str";
  }
}

// The type of an option's value in Python.
std::string type_of(const OptionDescriptor& option) {
  std::string type = element_type(option.type);
  if (option.is_list()) return type + " | collections.abc.Sequence[" + type + "]";
  if (option.type == OptionType::flag) return type;
  if (option.file != FileUse::none) return "str | os.PathLike";
  if (option.choices.empty()) return type;
  const std::string words = "typing.Literal[" + quoted_choices(option.choices) + "]";
  return option.type == OptionType::text ? words : type + " | " + words;
}

std::string number_text(double value) {
  std::ostringstream text;
  text.precision(12);
  text << value;
  return text.str();
}

template <class List, class Text>
std::string tuple_text(const List& list, const Text& text_of) {
  std::vector<std::string> parts;
  for (const auto& value : list) parts.push_back(text_of(value));
  return "(" + joined(parts, ", ") + (parts.size() == 1 ? ",)" : ")");
}

// A value as Python writes it.
std::string literal(const OptionValue& value) {
  struct Writer {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool flag) const { return flag ? "True" : "False"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return number_text(number); }
    std::string operator()(const std::string& text) const { return repr(text); }
    std::string operator()(const std::vector<std::int64_t>& list) const {
      return tuple_text(list, [](std::int64_t number) { return std::to_string(number); });
    }
    std::string operator()(const std::vector<double>& list) const { return tuple_text(list, &number_text); }
    std::string operator()(const std::vector<std::string>& list) const { return tuple_text(list, &repr); }
  };
  return std::visit(Writer{}, value);
}

// Texts of the tables that name options of the command line.
std::string without_dashes(std::string text) {
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--")) text.erase(at, 2);
  return text;
}

std::string help_of(const OptionDescriptor& option, const std::string& usual) {
  std::vector<std::string> parts{without_dashes(option.summary)};
  std::string range = option.range.text();
  if (!option.unit.empty()) range += (range.empty() ? "" : " ") + option.unit;
  if (!range.empty()) parts.push_back(range);
  if (!option.condition.empty()) parts.push_back(option.condition);
  if (!option.choices.empty() && option.type != OptionType::flag) parts.push_back(joined(option.choices, ", "));
  if (!option.applies.empty()) parts.push_back("with " + without_dashes(option.applies));
  std::string text = joined(parts, "; ");
  if (usual != "None") text += " (default " + usual + ")";
  return text;
}

std::vector<std::string> words_of(nb::handle value) {
  std::vector<std::string> words;
  for (const nb::handle word : value) words.push_back(nb::cast<std::string>(nb::str(word)));
  return words;
}

bool is_sequence(nb::handle value) { return !nb::isinstance<nb::str>(value) && nb::hasattr(value, "__iter__"); }

template <class T>
std::vector<T> numbers_of(nb::handle value) {
  std::vector<T> numbers;
  if (!is_sequence(value)) return {nb::cast<T>(value)};
  for (const nb::handle number : value) numbers.push_back(nb::cast<T>(number));
  return numbers;
}

// The value of a keyword for an option; texts are read as on the command line.
OptionValue value_of(nb::handle value, const OptionDescriptor& option) {
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  switch (option.type) {
    case OptionType::flag:
      return nb::cast<bool>(nb::bool_(nb::borrow(value)));
    case OptionType::integer:
      return nb::cast<std::int64_t>(nb::borrow(value).attr("__index__")());
    case OptionType::number:
      return nb::cast<double>(nb::float_(nb::borrow(value)));
    case OptionType::integers:
      return numbers_of<std::int64_t>(value);
    case OptionType::numbers:
      return numbers_of<double>(value);
    case OptionType::texts:
      return words_of(value);
    default:
      return nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(value));
  }
}

}  // namespace

std::string keyword_of(const std::string& name) {
  std::string keyword = name;
  std::replace(keyword.begin(), keyword.end(), '-', '_');
  return keyword == "lambda" ? "lambda_" : keyword;
}

const char* signature(const std::string& name, const std::string& first, const std::vector<OptionsOf>& options,
                      const std::string& last, const std::string& result) {
  std::vector<std::string> required;
  std::vector<std::string> optional;
  for (const OptionsOf& of : options) {
    for (std::size_t i = 0; i < of.table->bindings().size(); ++i) {
      const OptionDescriptor& what = of.table->bindings()[i].what;
      if (!is_shown(what, of.shown)) continue;
      const std::string usual = literal(of.table->get_value(of.usual, i));
      const std::string start = keyword_of(what.name) + ": " + type_of(what);
      if (!what.fallback) {
        required.push_back(start);
      } else {
        optional.push_back(start + (usual == "None" ? " | None" : "") + " = " + usual);
      }
    }
  }
  std::vector<std::string> parts;
  if (!first.empty()) parts.push_back(first);
  if (!required.empty() || !optional.empty() || !last.empty()) parts.emplace_back("*");
  parts.insert(parts.end(), required.begin(), required.end());
  parts.insert(parts.end(), optional.begin(), optional.end());
  if (!last.empty()) parts.push_back(last);
  return kept("def " + name + "(" + joined(parts, ", ") + ") -> " + result);
}

const char* with_options(const std::string& text, const std::vector<OptionsOf>& options) {
  std::string list;
  for (const OptionsOf& of : options) {
    for (std::size_t i = 0; i < of.table->bindings().size(); ++i) {
      const OptionDescriptor& what = of.table->bindings()[i].what;
      if (!is_shown(what, of.shown)) continue;
      const std::string usual = literal(of.table->get_value(of.usual, i));
      list += "\n    " + keyword_of(what.name) + ": " + help_of(what, usual);
    }
  }
  return kept(list.empty() ? text : text + "\n\nOptions:" + list);
}

void take_options(nb::dict& keywords, void* options, const OptionsOf& of) {
  const OptionSet& table = *of.table;
  std::vector<std::size_t> given;
  for (std::size_t i = 0; i < table.bindings().size(); ++i) {
    const OptionDescriptor& what = table.bindings()[i].what;
    if (!is_shown(what, of.shown)) continue;
    const std::string keyword = keyword_of(what.name);
    if (!keywords.contains(keyword.c_str())) continue;
    const nb::object value = keywords[keyword.c_str()];
    nb::del(keywords[keyword.c_str()]);
    if (value.is_none()) continue;
    OptionValue converted;
    try {
      converted = value_of(value, what);
    } catch (const std::exception&) {
      PyErr_Clear();
      throw ValueError(table.title() + ": " + keyword + " is " + nb::cast<std::string>(nb::repr(value)) +
                       ", expected " + what.expected());
    }
    table.set_value(options, i, converted);
    given.push_back(i);
  }
  for (const std::size_t i : given) {
    if (table.applies_to(options, i)) continue;
    const OptionDescriptor& what = table.bindings()[i].what;
    throw ValueError(table.title() + ": " + keyword_of(what.name) + " has an effect only with " +
                     without_dashes(what.applies) + "; leave it out");
  }
}

void refuse_rest(const nb::dict& keywords, const char* function, const std::vector<OptionsOf>& options) {
  if (keywords.size() == 0) return;
  std::vector<std::string> known;
  for (const OptionsOf& of : options) {
    for (const OptionDescriptor& what : of.table->descriptors()) {
      if (is_shown(what, of.shown)) known.push_back(keyword_of(what.name));
    }
  }
  const std::string unknown = nb::cast<std::string>(nb::str(keywords.keys()[0]));
  const std::string text = std::string(function) + "() got an unexpected keyword argument '" + unknown +
                           "'; options are " + joined(known, ", ");
  throw nb::type_error(text.c_str());
}

}  // namespace whorl::python
