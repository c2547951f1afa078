// Modules: code for a kind of device in a library of its own, loaded when somebody asks for such a device. So a program
// starts on machines without the libraries of that device, and a program that never asks does not read the code.
#pragma once

#include <string>

#include "core/internal.hpp"

namespace whorl::kernels {

/// What fills the slots of a house for a kind of device.
struct Module {
  const char* file;   ///< the library, as the linker names it
  const char* entry;  ///< its function that fills the slots
  void (*linked)();   ///< that function where the program has been linked with it, or none
  const void* house;  ///< an address in the library of the house
};

/// Has the slots filled. Where the program is not linked with the function, loads the module from the first of these
/// places that has it: the folders of the environment variable WHORL_MODULE_PATH (separated by colons), the folder of the
/// house's library, the places where the system looks for libraries. Returns nothing, or in one line why the module can
/// not be loaded.
WHORL_INTERNAL std::string fill_from(const Module& module);

}  // namespace whorl::kernels
