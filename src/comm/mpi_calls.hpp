// What whorl calls of MPI: a table of functions, which the module libwhorl_mpi fills (src/comm/mpi). So neither whorl's
// libraries nor a program link MPI, and the module needs nothing of whorl.
#pragma once

#include <cstddef>

namespace whorl::comm {

/// MPI's own errors end all processes, which is its default. A group is a handle of the module's.
struct MpiCalls {
  int version;
  /// Starts MPI; the group of all processes, or null if MPI did not start.
  void* (*start)();
  void (*finish)();
  int (*rank)(void* group);
  int (*size)(void* group);
  void (*broadcast)(void* group, void* bytes, std::size_t count, int root);
  /// `all`: on the root one number for each rank.
  void (*gather_sizes)(void* group, std::size_t own, std::size_t* all, int root);
  void (*send)(void* group, const void* bytes, std::size_t count, int to);
  void (*receive)(void* group, void* bytes, std::size_t count, int from);
  /// Into the root's values.
  void (*sum)(void* group, float* values, std::size_t count, int root);
  void* (*split)(void* group, int color, int key);
  void (*release)(void* group);
  void (*abort)(int exit_code);
};

/// The table's version: a module of another build of whorl is refused.
inline constexpr int mpi_calls_version = 1;
/// The module's function that gives the table.
inline constexpr const char* mpi_entry = "whorl_mpi_calls";

}  // namespace whorl::comm
