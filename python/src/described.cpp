#include "described.hpp"

#include <nanobind/stl/string.h>

#include <array>
#include <cctype>

#include "whorl/density/option_tables.hpp"
#include "whorl/plot/colormap.hpp"
#include "whorl/plot/display_part.hpp"
#include "whorl/trajectory/option_tables.hpp"

#if !defined(Py_tp_vectorcall)
#define Py_tp_vectorcall 82
#endif

namespace whorl::python {

namespace {

constexpr Signature example =
    parsed("f(self, x: list[tuple[int, int]], *, p: str = 'a, (b', +q: float, options, context) -> Any");
static_assert(example.name == "f" && example.result == "Any" && example.count == 7);
static_assert(example.parts[1].name == "x" && example.parts[1].type == "list[tuple[int, int]]" &&
              example.parts[1].usual.empty());
static_assert(example.argument(1).name == "p" && example.argument(1).type == "str" &&
              example.argument(1).usual == "'a, (b'");
static_assert(example.arguments_before(example.find("*")) == 1 && example.arguments_before(example.end()) == 3);
static_assert(parsed("g()").count == 0 && parsed("g()").result == "None");

template <class Words>
std::string literal_of(const Words& words) {
  std::string text;
  for (const auto& [word, value] : words) text += (text.empty() ? "'" : ", '") + word + "'";
  return "typing.Literal[" + text + "]";
}

// "gray, hot": "typing.Literal['gray', 'hot']".
std::string literal_of_list(std::string list) {
  for (std::size_t at = 0; (at = list.find(", ", at)) != std::string::npos; at += 4) list.replace(at, 2, "', '");
  return "typing.Literal['" + list + "']";
}

// type.__call__(cls, ...).
PyObject* call_class(PyObject* type, PyObject* const* arguments, std::size_t count, PyObject* names) noexcept {
  try {
    const auto given = static_cast<std::size_t>(PyVectorcall_NARGS(count));
    nb::list all;
    all.append(nb::handle(type));
    for (std::size_t i = 0; i < given; ++i) all.append(nb::handle(arguments[i]));
    nb::dict keywords;
    for (std::size_t i = 0; names != nullptr && i < nb::len(nb::handle(names)); ++i) {
      keywords[nb::handle(names)[i]] = nb::handle(arguments[given + i]);
    }
    static PyObject* const call = PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyType_Type), "__call__");
    const nb::tuple positional(all);
    return PyObject_Call(call, positional.ptr(), keywords.ptr());
  } catch (nb::python_error& error) {
    error.restore();
    return nullptr;
  }
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& types_by_name() {
  static const std::vector<std::pair<std::string, std::string>> types{
      {"Any", "typing.Any"},
      {"Array", "numpy.ndarray"},
      {"Callback", "collections.abc.Callable[[int, float], object]"},
      {"Channels", "typing.Literal['gray', 'gray-alpha', 'rgb', 'rgba']"},
      {"Colormap", literal_of_list(colormap_names())},
      {"DensityMethod", literal_of(density_method_words())},
      {"Function", "collections.abc.Callable[[numpy.ndarray], object]"},
      {"ImagePart", literal_of_list(display_part_names())},
      {"Path", "str | os.PathLike"},
      {"Sequence", "collections.abc.Sequence"},
      {"Shape", "collections.abc.Sequence[int]"},
      {"SpokeOrder", literal_of(spoke_order_words())},
      {"Vector", "tuple[float, float, float]"},
  };
  return types;
}

// A name behind a point is another's.
std::string with_long_types(std::string_view text) {
  const auto is_letter = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  };
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_letter(text[end])) ++end;
    const std::string word(text.substr(at, end - at));
    const auto& names = types_by_name();
    const auto found = std::find_if(names.begin(), names.end(), [&](const auto& one) { return one.first == word; });
    result += found == names.end() || (at > 0 && text[at - 1] == '.') ? word : found->second;
    if (end < text.size()) result += text[end];
    at = end + 1;
  }
  return result;
}

const char* shown(const Signature& signature, const std::string& name, const std::vector<OptionsOf>& tables) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const SignaturePart& part : signature) {
    if (part.text == "options") {
      for (const std::string& keyword : keywords_of(tables)) add(keyword);
    } else if (part.text == "context") {
      add("context: Context | str | None = None");
    } else {
      add(with_long_types(part.text.substr(part.text[0] == '+' ? 1 : 0)));
    }
  }
  // As nanobind expects, it lives as long as the program.
  return (new std::string("def " + name + "(" + text + ") -> " + with_long_types(signature.result)))->c_str();
}

nb::object value_of_text(std::string_view text) {
  return nb::module_::import_("builtins").attr("eval")(std::string(text), nb::dict());
}

nb::type_slots made_by_init() {
  static std::array<PyType_Slot, 2> slots{{{Py_tp_vectorcall, reinterpret_cast<void*>(&call_class)}, {0, nullptr}}};
  return nb::type_slots(slots.data());
}

}  // namespace whorl::python
