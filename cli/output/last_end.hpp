// Ends of the process that no caller sees: its temporary files go, and one line says why.
#pragma once

namespace whorl::cli {

/// From now on temporary files are removed where the process ends by an exception that nobody catches (exit code 1), by exit(),
/// which libraries call (OpenMP's runtime without memory for a thread), or by a fault (SIGSEGV, SIGBUS, SIGFPE, SIGILL,
/// SIGABRT), by which it ends still. A handler of faults that is there, such as a sanitizer's, stays.
void leave_no_temporary_files();

}  // namespace whorl::cli
