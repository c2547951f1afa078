// Functions and methods of Python, told once, by the signature that Python's users read:
//
//   def<"make_frames(scan: Scan, *, options, context) -> GatedScan">(
//       m, [](const Scan& scan, nb::handle context, const FrameOptions& options) { ... }, "...", options_of<FrameOptions>());
//
// Names, defaults and what is given by keyword alone follow from it. Three words stand for more: `options` for the keywords
// of the tables, which the function gets as its last parameters, a struct for each table; `context` for that keyword with
// type and default; `+name: type` for a keyword that the function itself finds in the nb::kwargs which it then takes. Types
// may have short names (types_by_name).
//
// The compiler refuses a signature that is not of this form, and nanobind one of another number of arguments than the
// function has. Nothing checks that they are in the function's order and of its types.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "classes.hpp"
#include "options.hpp"

namespace whorl::python {

/// A text as an argument of a template.
template <std::size_t size>
struct Text {
  constexpr Text(const char (&text)[size]) { std::copy_n(text, size, letters.begin()); }  // NOLINT: a text is one
  constexpr std::string_view view() const { return {letters.data(), size - 1}; }

  std::array<char, size> letters{};
};

/// What lies between two commas of a signature: "joint: bool = False", "*", "options".
struct SignaturePart {
  std::string_view text;
  std::string_view name;
  std::string_view type;   ///< empty: not said
  std::string_view usual;  ///< the default; empty: none

  /// Whether nanobind has to know it.
  constexpr bool is_argument() const { return name != "self" && !name.empty() && text != "options" && text[0] != '+'; }
  /// Arrays and other objects are looked at by the function, whose messages say more than nanobind's.
  constexpr bool takes_none() const {
    return usual == "None" || (usual.empty() && (type == "object" || type == "Any"));
  }
};

/// "NAME(PART, PART, ...) -> RESULT"
struct Signature {
  std::string_view name;
  std::array<SignaturePart, 20> parts{};
  std::size_t count = 0;
  std::string_view result;

  constexpr const SignaturePart* begin() const { return parts.data(); }
  constexpr const SignaturePart* end() const { return parts.data() + count; }
  constexpr const SignaturePart* find(std::string_view text) const {
    return std::find_if(begin(), end(), [&](const SignaturePart& part) { return part.text == text; });
  }
  /// How many arguments there are in front of a part.
  constexpr std::size_t arguments_before(const SignaturePart* last) const {
    return static_cast<std::size_t>(
        std::count_if(begin(), last, [](const SignaturePart& part) { return part.is_argument(); }));
  }
  constexpr const SignaturePart& argument(std::size_t number) const {
    return *std::find_if(begin(), end(),
                         [&](const SignaturePart& part) { return part.is_argument() && number-- == 0; });
  }
};

// Both are run by the compiler alone, so a throw is an error of it that shows the line.
consteval SignaturePart parsed_part(std::string_view text) {
  if (text == "context") return {text, text, {}, "None"};
  const std::string_view plain = text.substr(text[0] == '*' || text[0] == '+' ? 1 : 0);
  const std::size_t equals = std::min(plain.find(" = "), plain.size());
  const std::string_view front = plain.substr(0, equals);
  const std::size_t colon = std::min(front.find(": "), front.size());
  SignaturePart part{text, front.substr(0, colon), {}, plain.substr(std::min(equals + 3, plain.size()))};
  if (part.name.find_first_of(" :=,()[]'") != std::string_view::npos)
    throw std::logic_error("expected NAME: TYPE = DEFAULT");
  if (colon < front.size()) part.type = front.substr(colon + 2);
  if (part.type.find_first_of(":=") != std::string_view::npos) throw std::logic_error("expected a space around =");
  return part;
}

consteval Signature parsed(std::string_view text) {
  Signature signature;
  std::size_t start = text.find('(') + 1;
  signature.name = text.substr(0, start - 1);
  int depth = 0;
  bool quoted = false;
  std::size_t at = start;
  for (; depth >= 0; ++at) {
    if (at >= text.size()) throw std::logic_error("a bracket or a quote is not closed");
    if (text[at] == '\'') quoted = !quoted;
    if (quoted) continue;
    if (text[at] == '[' || text[at] == '(') ++depth;
    if (text[at] == ']' || text[at] == ')') --depth;
    if (depth > 0 || (depth == 0 && text[at] != ',')) continue;
    if (depth == 0 && text.substr(at, 2) != ", ") throw std::logic_error("expected a space after the comma");
    if (at > start) {
      signature.parts[signature.count++] = parsed_part(text.substr(start, at - start));
    } else if (depth == 0 || signature.count > 0) {
      throw std::logic_error("expected an argument at the comma");
    }
    start = at + 2;
  }
  signature.result = "None";
  if (at == text.size()) return signature;
  if (text.substr(at, 4) != " -> " || at + 4 == text.size()) throw std::logic_error("expected -> RESULT at the end");
  signature.result = text.substr(at + 4);
  return signature;
}

/// Pairs: a short name that signatures may have, and the type of Python that it stands for.
const std::vector<std::pair<std::string, std::string>>& types_by_name();

/// "list[Shape]": "list[collections.abc.Sequence[int]]".
std::string with_long_types(std::string_view text);

/// What nanobind and stubs show. It lives as long as the program.
const char* shown(const Signature& signature, const std::string& name, const std::vector<OptionsOf>& tables);

/// The value of a default.
nb::object value_of_text(std::string_view text);

namespace detail {

template <Text text>
inline constexpr Signature signature_of = parsed(text.view());

template <Text text, std::size_t number>
auto argument() {
  constexpr const SignaturePart& part = signature_of<text>.argument(number);
  static const std::string name(part.name);
  const nb::arg named(name.c_str());
  if constexpr (part.usual == "None") {
    return named.none() = nb::none();
  } else if constexpr (!part.usual.empty()) {
    return named = value_of_text(part.usual);
  } else if constexpr (part.takes_none()) {
    return named.none();
  } else {
    return named;
  }
}

template <Text text, std::size_t first, std::size_t... numbers>
auto arguments(std::index_sequence<numbers...>) {
  return std::tuple(argument<text, first + numbers>()...);
}

// What nanobind has to know of all arguments.
template <Text text>
auto all_arguments() {
  constexpr const Signature& signature = signature_of<text>;
  constexpr std::size_t by_place = signature.arguments_before(signature.find("*"));
  constexpr std::size_t by_name = signature.arguments_before(signature.end()) - by_place;
  const auto placed = arguments<text, 0>(std::make_index_sequence<by_place>());
  constexpr bool has_options = signature.find("options") != signature.end();
  if constexpr (by_name == 0 && has_options) {
    return std::tuple_cat(placed, std::tuple(nb::arg("options")));
  } else if constexpr (by_name == 0) {
    return placed;
  } else {
    const auto named = std::tuple_cat(placed, std::tuple(nb::kw_only()),
                                      arguments<text, by_place>(std::make_index_sequence<by_name>()));
    if constexpr (has_options) return std::tuple_cat(named, std::tuple(nb::arg("options")));
    if constexpr (!has_options) return named;
  }
}

template <class Function>
struct ParametersOf : ParametersOf<decltype(&Function::operator())> {};
template <class Result, class Class, class... Parameters>
struct ParametersOf<Result (Class::*)(Parameters...) const> : ParametersOf<Result (*)(Parameters...)> {};
template <class Result, class... Parameters>
struct ParametersOf<Result (*)(Parameters...)> {
  using Types = std::tuple<Parameters...>;
  static constexpr std::size_t count = sizeof...(Parameters);
  static constexpr bool has_keywords = (std::is_same_v<Parameters, const nb::kwargs&> || ...);
};

// The function with keywords in place of its last parameters, which are read from them.
template <class... Options, class Function, std::size_t... numbers>
auto with_keywords_read(const Function& function, const std::string& name, const std::vector<OptionsOf>& tables,
                        std::index_sequence<numbers...>) {
  using Types = typename ParametersOf<Function>::Types;
  return [function, name, tables](std::tuple_element_t<numbers, Types>... given, const nb::kwargs& keywords) {
    auto usual = tables.begin();
    std::tuple<Options...> chosen{*static_cast<const Options*>((usual++)->usual)...};
    nb::dict rest = copy_of(keywords);
    auto table = tables.begin();
    std::apply([&](Options&... of) { (take_options(rest, &of, *table++), ...); }, chosen);
    if (rest.size() > 0) throw nb::next_overload();
    return std::apply(
        [&](Options&... of) {
          if constexpr (ParametersOf<Function>::has_keywords) {
            return function(std::forward<std::tuple_element_t<numbers, Types>>(given)..., std::move(of)..., keywords);
          } else {
            return function(std::forward<std::tuple_element_t<numbers, Types>>(given)..., std::move(of)...);
          }
        },
        chosen);
  };
}

// nanobind keeps no copies of texts.
inline std::nullptr_t kept(std::nullptr_t) { return nullptr; }
inline const char* kept(const std::string& doc) { return with_options(doc, {}); }

// Defines it in a module or class; `name` is what messages call it.
template <Text text, class Home, class Function, class Doc, class... Options>
void define(Home& home, const std::string& shown_name, const std::string& name, const Function& function,
            const Doc& doc, const TableOf<Options>&... of) {
  const std::vector<OptionsOf> tables{of...};
  const char* signature = shown(signature_of<text>, shown_name, tables);
  std::apply(
      [&](const auto&... arguments) {
        if constexpr (sizeof...(Options) == 0) {
          home.def(shown_name.c_str(), function, arguments..., nb::sig(signature), kept(doc),
                   is_not_implemented_for_others);
        } else if constexpr ((std::is_void_v<Options> || ...)) {
          home.def(shown_name.c_str(), function, arguments..., nb::sig(signature), with_options(doc, tables),
                   is_not_implemented_for_others);
        } else {
          using Parameters = ParametersOf<Function>;
          constexpr std::size_t count = Parameters::count - sizeof...(Options) - (Parameters::has_keywords ? 1 : 0);
          home.def(shown_name.c_str(),
                   with_keywords_read<Options...>(function, name, tables, std::make_index_sequence<count>()),
                   arguments..., nb::sig(signature), with_options(doc, tables), is_not_implemented_for_others);
        }
      },
      all_arguments<text>());
}

}  // namespace detail

/// A function of a module. Its parameters are those of the signature in their order, behind them a struct for each table, and
/// then, if it wants them, the nb::kwargs as they were given. `name` where the signature has none.
template <Text text, class Function, class... Options>
void def(Module& m, const std::string& name, const Function& function, const std::string& doc,
         const TableOf<Options>&... tables) {
  detail::define<text>(m, name, name, function, doc, tables...);
}
template <Text text, class Function, class... Options>
void def(Module& m, const Function& function, const std::string& doc, const TableOf<Options>&... tables) {
  def<text>(m, std::string(detail::signature_of<text>.name), function, doc, tables...);
}

/// What def() of a class takes: a method that is defined by a function of the class.
template <class Define>
struct MethodOf : nb::def_visitor<MethodOf<Define>> {
  explicit MethodOf(Define with) : define(std::move(with)) {}

  template <class Class, class... Extra>
  void execute(Class& type, const Extra&...) const {
    define(type);
  }

  Define define;
};

/// A method of a class, for nb::class_::def. The signature begins with self.
template <Text text, class Function, class Doc = std::nullptr_t, class... Options>
auto method(Function function, Doc doc = nullptr, const TableOf<Options>&... tables) {
  return MethodOf([=](auto& type) {
    const std::string name(detail::signature_of<text>.name);
    const auto of = nb::cast<std::string>(type.attr("__name__"));
    detail::define<text>(type, name, name == "__init__" ? of : of + "." + name, function, doc, tables...);
  });
}

/// A property that cannot be set, for nb::class_::def: "NAME(self) -> TYPE".
template <Text text, class Function>
auto property(Function get, const char* doc) {
  return MethodOf([=](auto& type) {
    const std::string name(detail::signature_of<text>.name);
    type.def_prop_ro(name.c_str(), get, nb::sig(shown(detail::signature_of<text>, name, {})), doc);
  });
}

/// For nb::class_: an object is made as of any class of Python, by __init__, which the package replaces by one whose messages
/// are readable. Without it nanobind calls its own.
nb::type_slots made_by_init();

/// An object of a class of its own, which has what Base has.
template <class Base, Text text>
struct Made : Base {};

/// A class below that of Base, whose objects are made by make(arguments), with the signature "CLASS(self, ...)".
template <Text text, class Base, class... Parameters, class... Options>
void def_made(Module& m, Base (*make)(Parameters...), const char* doc, const TableOf<Options>&... tables) {
  using Type = Made<Base, text>;
  const std::string name(detail::signature_of<text>.name);
  const char* whole = sizeof...(Options) > 0 ? with_options(doc, {tables...}) : doc;
  Class<Type, Base> type(m, name.c_str(), whole, made_by_init());
  const auto init = [make](Type* self, Parameters... parameters) {
    new (self) Type{make(std::forward<Parameters>(parameters)...)};
  };
  detail::define<text>(type, "__init__", name, init, doc, tables...);
}

}  // namespace whorl::python
