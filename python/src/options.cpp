#include "options.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <sstream>

#include "whorl/core/error.hpp"

namespace whorl::python {

namespace {

bool is_shown(const OptionDescriptor& option, const Shown& shown) {
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return !has(shown.but, option.name) && (shown.groups.empty() || has(shown.groups, option.group));
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
  if (option.file != FileUse::none) return option.may_be_kept ? "bool | str | os.PathLike" : "str | os.PathLike";
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

// The default as Python writes it; that of a file is none.
std::string usual_of(const OptionsOf& of, std::size_t option) {
  const std::string usual = literal(of.table->get_value(of.usual, option));
  return of.table->bindings()[option].what.file != FileUse::none && usual == "''" ? "None" : usual;
}

std::string help_of(const OptionDescriptor& option, const std::string& usual) {
  std::vector<std::string> parts{with_keywords(option.summary)};
  std::string range = option.range.text();
  if (!option.unit.empty()) range += (range.empty() ? "" : " ") + option.unit;
  if (!range.empty()) parts.push_back(range);
  if (!option.condition.empty()) parts.push_back(option.condition);
  if (!option.choices.empty() && option.type != OptionType::flag) parts.push_back(joined(option.choices, ", "));
  if (!option.applies.empty()) parts.push_back("with " + with_keywords(option.applies));
  std::string text = joined(parts, "; ");
  if (usual != "None") text += " (default " + usual + ")";
  return text;
}

// Lists, tuples, arrays and other iterables whose elements have an order; not dicts, whose values would be lost.
bool is_sequence(nb::handle value) {
  return nb::hasattr(value, "__iter__") && !nb::isinstance<nb::str>(value) && !nb::isinstance<nb::bytes>(value) &&
         !nb::isinstance<nb::dict>(value) && !nb::isinstance<nb::set>(value);
}

bool is_truth(nb::handle value) {
  return nb::isinstance<nb::bool_>(value) ||
         nb::cast<std::string>(value.type().attr("__name__")).starts_with("bool");  // of NumPy
}

template <class T>
T number_of(nb::handle value) {
  if (is_truth(value)) throw nb::cast_error();
  if constexpr (std::is_floating_point_v<T>) return nb::cast<double>(nb::float_(nb::borrow(value)));
  return nb::cast<T>(nb::borrow(value).attr("__index__")());
}

template <class T>
std::vector<T> list_of(nb::handle value, T (*of_one)(nb::handle)) {
  if (!is_sequence(value)) return {of_one(value)};
  std::vector<T> list;
  for (const nb::handle one : value) list.push_back(of_one(one));
  return list;
}

std::string word_of(nb::handle value) {
  if (!stands_for_text(value)) throw nb::cast_error();
  return nb::cast<std::string>(nb::str(value));
}

std::string expected_of(const OptionDescriptor& option) {
  if (option.type == OptionType::flag) return "True or False";
  if (option.file != FileUse::none) return "the name of a file";
  return option.type == OptionType::texts && option.choices.empty() ? "a text or a list of texts" : option.expected();
}

// The value of a keyword for an option; texts are read as on the command line.
OptionValue value_of(nb::handle value, const OptionDescriptor& option) {
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  switch (option.type) {
    case OptionType::flag:
      if (!is_truth(value)) throw nb::cast_error();
      return nb::cast<bool>(nb::bool_(nb::borrow(value)));
    case OptionType::integer:
      return number_of<std::int64_t>(value);
    case OptionType::number:
      return number_of<double>(value);
    case OptionType::integers:
      return list_of<std::int64_t>(value, &number_of<std::int64_t>);
    case OptionType::numbers:
      return list_of<double>(value, &number_of<double>);
    case OptionType::texts:
      return list_of<std::string>(value, &word_of);
    default:
      if (!option.choices.empty()) throw nb::cast_error();
      return nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(value));
  }
}

}  // namespace

bool stands_for_text(nb::handle value) {
  return nb::isinstance<nb::str>(value) ||
         nb::cast<std::string>(nb::str(value.type().attr("__module__"))).starts_with("whorl");
}

std::string text_of_value(nb::handle value) {
  if (nb::hasattr(value, "shape") && nb::hasattr(value, "dtype")) {
    return "an array of shape " + nb::cast<std::string>(nb::str(nb::tuple(value.attr("shape"))));
  }
  std::string text = nb::cast<std::string>(nb::repr(value));
  constexpr std::size_t most = 80;
  if (text.size() > most) text = text.substr(0, most) + "...";
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string keyword_of(const std::string& name) {
  std::string keyword = name;
  std::replace(keyword.begin(), keyword.end(), '-', '_');
  return keyword == "lambda" ? "lambda_" : keyword;
}

std::string with_keywords(std::string text) {
  const auto is_letter = [&](std::size_t at) { return at < text.size() && text[at] >= 'a' && text[at] <= 'z'; };
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at)) {
    const bool starts = at == 0 || !(is_letter(at - 1) || text[at - 1] == '-');
    if (!starts || !is_letter(at + 2)) {
      at += 2;
      continue;
    }
    std::size_t end = at + 2;
    while (is_letter(end) || (end < text.size() && text[end] >= '0' && text[end] <= '9') ||
           (end < text.size() && text[end] == '-' && is_letter(end + 1))) {
      ++end;
    }
    const std::string keyword = keyword_of(text.substr(at + 2, end - at - 2));
    text.replace(at, end - at, keyword);
    at += keyword.size();
  }
  return text;
}

std::vector<std::string> with_keywords(const Notes& notes) {
  std::vector<std::string> texts;
  for (const Note& note : notes) texts.push_back(with_keywords(note));
  return texts;
}

std::vector<std::string> keywords_of(const std::vector<OptionsOf>& tables) {
  std::vector<std::string> required;
  std::vector<std::string> optional;
  for (const OptionsOf& of : tables) {
    for (std::size_t i = 0; i < of.table->bindings().size(); ++i) {
      const OptionDescriptor& what = of.table->bindings()[i].what;
      if (!is_shown(what, of.shown)) continue;
      const std::string usual = usual_of(of, i);
      const auto type = of.types.find(what.name);
      const std::string start = keyword_of(what.name) + ": " + (type != of.types.end() ? type->second : type_of(what));
      if (!what.fallback) {
        required.push_back(start);
      } else {
        optional.push_back(start + (usual == "None" ? " | None" : "") + " = " + usual);
      }
    }
  }
  required.insert(required.end(), optional.begin(), optional.end());
  return required;
}

nb::dict copy_of(const nb::kwargs& keywords) {
  return nb::borrow<nb::dict>(nb::module_::import_("builtins").attr("dict")(keywords));
}

const char* with_options(const std::string& text, const std::vector<OptionsOf>& options) {
  std::string list;
  for (const OptionsOf& of : options) {
    for (std::size_t i = 0; i < of.table->bindings().size(); ++i) {
      const OptionDescriptor& what = of.table->bindings()[i].what;
      if (!is_shown(what, of.shown)) continue;
      const std::string usual = usual_of(of, i);
      list += "\n    " + keyword_of(what.name) + ": " + help_of(what, usual);
    }
  }
  return kept(list.empty() ? text : text + "\n\nOptions:" + list);
}

std::vector<std::size_t> set_options(nb::dict& keywords, void* options, const OptionsOf& of) {
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
    given.push_back(i);
    if (what.may_be_kept && is_truth(value)) {  // of a result in memory
      table.bindings()[i].set(options, nb::cast<bool>(nb::bool_(value)));
      continue;
    }
    OptionValue converted;
    try {
      converted = value_of(value, what);
    } catch (const std::exception&) {
      PyErr_Clear();
      throw ValueError(table.title() + ": " + keyword + " is " + text_of_value(value) + ", expected " +
                       expected_of(what));
    }
    try {
      table.set_value(options, i, converted);
    } catch (const ValueError& error) {
      const std::string named = table.title() + ": " + what.name + " ";
      const std::string text = error.what();
      if (!text.starts_with(named)) throw;
      throw ValueError(table.title() + ": " + keyword + " " + text.substr(named.size()));
    }
  }
  return given;
}

void check_effects(const void* options, const OptionsOf& of, const std::vector<std::size_t>& given) {
  for (const std::size_t i : given) {
    if (of.table->applies_to(options, i)) continue;
    const OptionDescriptor& what = of.table->bindings()[i].what;
    throw ValueError(of.table->title() + ": " + keyword_of(what.name) + " has an effect only with " +
                     with_keywords(what.applies) + "; leave it out");
  }
}

void take_options(nb::dict& keywords, void* options, const OptionsOf& of) {
  check_effects(options, of, set_options(keywords, options, of));
}

}  // namespace whorl::python
