// Classes of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <type_traits>
#include <utility>

namespace whorl::python {

namespace nb = nanobind;

/// For nb::class_: an object is made as of any class of Python, by __init__, which the package replaces by one whose messages
/// are readable. Without it nanobind calls its own.
nb::type_slots made_by_init();

/// An object of a class of its own, which has what Base has.
template <class Base, class Tag>
struct Made : Base {};

namespace detail {

template <class Extra>
constexpr bool is_text = std::is_convertible_v<const Extra&, const char*>;

template <class Extra>
const char* text_or(const char* text, const Extra& extra) {
  if constexpr (is_text<Extra>) {
    return extra;
  } else {
    return text;
  }
}

}  // namespace detail

/// A class `name` below that of Base, whose objects are made by make(arguments). `extra` as in nb::module_::def, with the
/// signature of __init__ and the text of the class.
template <class Tag, class Base, class... Parameters, class... Extra>
void def_made(nb::module_& m, const char* name, Base (*make)(Parameters...), const Extra&... extra) {
  using Type = Made<Base, Tag>;
  const char* text = "";
  ((text = detail::text_or(text, extra)), ...);
  nb::class_<Type, Base>(m, name, text, made_by_init())
      .def(
          "__init__",
          [make](Type* self, Parameters... parameters) {
            new (self) Type{make(std::forward<Parameters>(parameters)...)};
          },
          extra...);
}

}  // namespace whorl::python
