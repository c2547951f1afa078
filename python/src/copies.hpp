// What copy.copy, copy.deepcopy and pickle do with objects of whorl.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace whorl::python {

namespace nb = nanobind;

/// For a class whose objects do not change: their copies are themselves.
struct CopiesAreItself : nb::def_visitor<CopiesAreItself> {
  template <class Class, class... Extra>
  static void execute(Class& type, const Extra&...) {
    using T = typename Class::Type;
    type.def("__copy__", [](nb::handle_t<T> self) { return nb::borrow(self); });
    type.def(
        "__deepcopy__", [](nb::handle_t<T> self, nb::handle) { return nb::borrow(self); }, nb::arg("memo"));
  }
};

/// For a class whose objects are of one process: pickle is refused with the advice what to do instead.
struct NotPickled : nb::def_visitor<NotPickled> {
  explicit NotPickled(const char* what_to_do) : advice(what_to_do) {}

  template <class Class, class... Extra>
  void execute(Class& type, const Extra&...) const {
    type.def("__reduce__", [text = advice](nb::handle self) -> nb::object {
      const auto name = nb::cast<std::string>(self.type().attr("__name__"));
      throw nb::type_error(("a whorl." + name + " cannot be pickled; " + text).c_str());
    });
  }

  const char* advice;
};

}  // namespace whorl::python
