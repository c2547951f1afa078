#include "made.hpp"

#include <array>

#if !defined(Py_tp_vectorcall)
#define Py_tp_vectorcall 82
#endif

namespace whorl::python {

namespace {

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

nb::type_slots made_by_init() {
  static std::array<PyType_Slot, 2> slots{{{Py_tp_vectorcall, reinterpret_cast<void*>(&call_class)}, {0, nullptr}}};
  return nb::type_slots(slots.data());
}

}  // namespace whorl::python
