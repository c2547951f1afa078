// Classes and modules whose functions return NotImplemented for arguments of other types than theirs, in the place of
// nanobind's message: the package then says which argument is wrong (python/whorl/_calls.py).
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

namespace whorl::python {

namespace nb = nanobind;

/// What def() of nanobind takes, so that a call with other arguments returns NotImplemented. nanobind calls such functions
/// operators.
inline constexpr nb::is_operator is_not_implemented_for_others{};

template <class T, class... Others>
class Class : public nb::class_<T, Others...> {
 public:
  using Base = nb::class_<T, Others...>;
  using Base::Base;

  template <class... What>
  Class& def(What&&... what) {
    Base::def(std::forward<What>(what)..., is_not_implemented_for_others);
    return *this;
  }
  template <class... What>
  Class& def_ro(What&&... what) {
    Base::def_ro(std::forward<What>(what)...);
    return *this;
  }
  template <class... What>
  Class& def_rw(What&&... what) {
    Base::def_rw(std::forward<What>(what)..., nb::for_setter(is_not_implemented_for_others));
    return *this;
  }
  template <class... What>
  Class& def_prop_ro(What&&... what) {
    Base::def_prop_ro(std::forward<What>(what)...);
    return *this;
  }
  template <class... What>
  Class& def_prop_rw(What&&... what) {
    Base::def_prop_rw(std::forward<What>(what)..., nb::for_setter(is_not_implemented_for_others));
    return *this;
  }
};

class Module : public nb::module_ {
 public:
  explicit Module(nb::module_ module) : nb::module_(std::move(module)) {}

  template <class... What>
  Module& def(What&&... what) {
    nb::module_::def(std::forward<What>(what)..., is_not_implemented_for_others);
    return *this;
  }
};

}  // namespace whorl::python
