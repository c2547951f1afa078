// A library to preload that makes one call of the C++ runtime or the C library fail.
//
//   LD_PRELOAD=libfailing_calls.so WHORL_FAIL=memory:120 whorl recon scan.h5 -o image.npy
//
// WHORL_FAIL=KIND:N   the N-th call of the kind fails, counted from 1 over all threads; 0: none does
//   memory            operator new and posix_memalign (std::bad_alloc, ENOMEM); later calls succeed
//   exhausted         the N-th call and all after it fail for requests of 4096 bytes or more
//   write             write, pwrite, fsync, fdatasync, ftruncate, rename, link and close of a file that was written to (ENOSPC; close: EIO)
//   short             write and pwrite write half of what they get; no error
//   interrupt         write, pwrite and read are interrupted once (EINTR)
//   kill              as write, but the process is killed before the call
//   vanish            as write, but the folder `out` becomes `gone` before the call, which succeeds
//
// WHORL_FAIL_COUNT=FILE receives the number of calls of the kind at the end of the process.
//
// Calls on the standard streams are not counted. Libraries that use malloc themselves are not made to fail.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

enum class Kind { none, memory, exhausted, write, part, interrupt, killed, vanish };

Kind kind = Kind::none;
std::atomic<bool> counts{false};  // not before main and while a library is loaded: nothing catches an exception there
long failing = 0;
std::atomic<long> calls{0};

// Numbers of files that were written to, for close().
constexpr int most_files = 4096;
std::atomic<bool> written[most_files];

template <class Function>
Function original(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool fails(Kind which) {
  if (kind != which || !counts) return false;
  const long number = calls.fetch_add(1) + 1;
  return number == failing || (kind == Kind::exhausted && failing > 0 && number > failing);
}

bool fails_to_allocate(std::size_t bytes) { return fails(Kind::memory) || (bytes >= 4096 && fails(Kind::exhausted)); }

__attribute__((constructor)) void read_settings() {
  const char* text = std::getenv("WHORL_FAIL");
  if (text == nullptr) return;
  const char* colon = std::strchr(text, ':');
  if (colon == nullptr) return;
  const auto length = static_cast<std::size_t>(colon - text);
  const auto is = [&](const char* name) {
    return std::strlen(name) == length && std::strncmp(text, name, length) == 0;
  };
  failing = std::strtol(colon + 1, nullptr, 10);
  kind = is("memory")      ? Kind::memory
         : is("exhausted") ? Kind::exhausted
         : is("write")     ? Kind::write
         : is("short")     ? Kind::part
         : is("interrupt") ? Kind::interrupt
         : is("kill")      ? Kind::killed
         : is("vanish")    ? Kind::vanish
                           : Kind::none;
  calls = 0;
}

__attribute__((destructor)) void write_count() {
  const char* name = std::getenv("WHORL_FAIL_COUNT");
  if (name == nullptr) return;
  const long count = calls;
  kind = Kind::none;
  const int file = ::open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return;
  char text[32];
  char digits[32];
  int length = 0;
  for (long rest = count; rest > 0 || length == 0; rest /= 10) text[length++] = static_cast<char>('0' + rest % 10);
  for (int i = 0; i < length; ++i) digits[i] = text[length - 1 - i];
  [[maybe_unused]] const auto done = ::write(file, digits, static_cast<std::size_t>(length));
  ::close(file);
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (fails_to_allocate(bytes)) return nullptr;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes == 0 ? 1 : bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* memory = allocate(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// What happens around a call that changes files. True where the call itself fails.
bool strikes() {
  if (fails(Kind::killed)) ::kill(::getpid(), SIGKILL);
  if (fails(Kind::vanish)) ::syscall(SYS_renameat, AT_FDCWD, "out", AT_FDCWD, "gone");
  return fails(Kind::write);
}

bool is_standard(int file) { return file >= 0 && file <= 2; }

// The number of bytes that a write may write, or -1 with errno.
ssize_t allowed(int file, std::size_t bytes) {
  if (is_standard(file)) return static_cast<ssize_t>(bytes);
  if (file < most_files) written[file] = true;
  if (strikes()) {
    errno = ENOSPC;
    return -1;
  }
  if (fails(Kind::interrupt)) {
    errno = EINTR;
    return -1;
  }
  return static_cast<ssize_t>(fails(Kind::part) && bytes > 1 ? bytes / 2 : bytes);
}

bool refused() {
  if (!strikes()) return false;
  errno = ENOSPC;
  return true;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, 1); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 1); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// NOLINTBEGIN(readability-identifier-naming, readability-inconsistent-declaration-parameter-name): names of the C library
extern "C" {

using Main = int (*)(int, char**, char**);
Main program_main = nullptr;

int counted_main(int count, char** words, char** environment) {
  counts = true;
  return program_main(count, words, environment);
}

// What the start code of a program calls.
int __libc_start_main(Main main, int count, char** words, void (*init)(), void (*fini)(), void (*rtld_fini)(),
                      void* stack) {
  static const auto call =
      original<int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*)>("__libc_start_main");
  program_main = main;
  return call(counted_main, count, words, init, fini, rtld_fini, stack);
}

// The program is a library that its launcher loads (cli/launch.cpp).
void* dlopen(const char* name, int flags) noexcept {
  static const auto call = original<void* (*)(const char*, int)>("dlopen");
  const bool before = counts.exchange(false);
  void* const library = call(name, flags);
  counts = before;
  return library;
}

int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) noexcept {
  if (fails_to_allocate(bytes)) return ENOMEM;
  static const auto call = original<int (*)(void**, std::size_t, std::size_t)>("posix_memalign");
  return call(result, alignment, bytes);
}

ssize_t write(int file, const void* data, std::size_t bytes) {
  static const auto call = original<ssize_t (*)(int, const void*, std::size_t)>("write");
  const ssize_t part = allowed(file, bytes);
  return part < 0 ? -1 : call(file, data, static_cast<std::size_t>(part));
}

ssize_t pwrite(int file, const void* data, std::size_t bytes, off_t offset) {
  static const auto call = original<ssize_t (*)(int, const void*, std::size_t, off_t)>("pwrite");
  const ssize_t part = allowed(file, bytes);
  return part < 0 ? -1 : call(file, data, static_cast<std::size_t>(part), offset);
}

ssize_t pwrite64(int file, const void* data, std::size_t bytes, off64_t offset) {
  return pwrite(file, data, bytes, offset);
}

ssize_t read(int file, void* data, std::size_t bytes) {
  static const auto call = original<ssize_t (*)(int, void*, std::size_t)>("read");
  if (!is_standard(file) && fails(Kind::interrupt)) {
    errno = EINTR;
    return -1;
  }
  return call(file, data, bytes);
}

int fsync(int file) {
  static const auto call = original<int (*)(int)>("fsync");
  return refused() ? -1 : call(file);
}

int fdatasync(int file) {
  static const auto call = original<int (*)(int)>("fdatasync");
  return refused() ? -1 : call(file);
}

int ftruncate(int file, off_t bytes) noexcept {
  static const auto call = original<int (*)(int, off_t)>("ftruncate");
  return refused() ? -1 : call(file, bytes);
}

int ftruncate64(int file, off64_t bytes) noexcept { return ftruncate(file, bytes); }

int rename(const char* from, const char* to) noexcept {
  static const auto call = original<int (*)(const char*, const char*)>("rename");
  return refused() ? -1 : call(from, to);
}

int link(const char* from, const char* to) noexcept {
  static const auto call = original<int (*)(const char*, const char*)>("link");
  return refused() ? -1 : call(from, to);
}

int close(int file) {
  static const auto call = original<int (*)(int)>("close");
  const bool was_written = file >= 0 && file < most_files && written[file].exchange(false);
  const int result = call(file);
  if (was_written && strikes()) {
    errno = EIO;
    return -1;
  }
  return result;
}
}
// NOLINTEND(readability-identifier-naming, readability-inconsistent-declaration-parameter-name)
