// Modules: libraries with the code for one kind of device, or for MPI or NCCL, loaded when a program first asks for it. So a
// program starts on machines without the libraries of that device, and a program that never asks does not load the code.
#pragma once

#include <string>

#include "core/internal.hpp"

namespace whorl::kernels {

/// The function that fills a library's slots for a kind of device, and where to find it.
struct Module {
  const char* file;   ///< the module, as the linker names it
  const char* entry;  ///< its function that fills the slots
  void (*linked)();   ///< this function if the program is linked with it, otherwise null
  const void* house;  ///< an address in the library that owns the slots
};

/// A module's function, or one line that says why it cannot be loaded.
struct Loaded {
  void (*entry)();
  std::string why_not;
};

/// Loads the module from the first of these places that has it: the folders of the environment variable WHORL_MODULE_PATH
/// (separated by colons), the folder of the library that owns the slots, the places where the system looks for libraries.
WHORL_INTERNAL Loaded load_module(const Module& module);

/// Fills the slots. If the program is not linked with the function, loads the module. Returns an empty string, or one line
/// that says why the module cannot be loaded.
WHORL_INTERNAL std::string fill_from(const Module& module);

}  // namespace whorl::kernels
