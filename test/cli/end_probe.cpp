// A program that ends in the middle of writing a file, where nobody catches what ended it.
//   end_probe FILE memory     an exception leaves a thread: there is no memory
//   end_probe FILE exit       a library calls exit
//   end_probe FILE abort      or abort
//   end_probe FILE fault      or reads where nothing is
//   end_probe FILE stack      the stack runs out
#include <csignal>
#include <cstdlib>
#include <new>
#include <string_view>
#include <thread>

#include "cli/output/last_end.hpp"
#include "whorl/io/atomic_file.hpp"

namespace {

// Never inlined away: each call needs its array.
int fill_stack(int depth) {  // NOLINT(misc-no-recursion): that is the point
  volatile char array[4096] = {};
  array[depth % 4096] = 1;
  return depth < 1 << 30 ? fill_stack(depth + 1) + array[0] : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string_view how = argv[2];
  whorl::cli::leave_no_temporary_files();
  whorl::AtomicFileGroup group;
  whorl::AtomicFile complete(argv[1]);
  complete.commit();
  whorl::AtomicFile file(argv[1]);
  file.write("half", 4);
  if (how == "memory") std::thread([] { throw std::bad_alloc(); }).join();
  if (how == "exit") std::exit(1);
  if (how == "abort") std::abort();
  if (how == "fault") std::raise(SIGSEGV);
  return fill_stack(0);
}
