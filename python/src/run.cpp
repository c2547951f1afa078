#include "run.hpp"

#include <nanobind/stl/string.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <map>
#include <utility>

namespace whorl::python {

namespace {

using Call = InterruptScope::Call;

// The calls of the main thread that run: one within another where a callback calls whorl again.
std::atomic<Call*> innermost{nullptr};
// Handlers that run, in any thread: no call ends while one may look at it.
std::atomic<int> handlers{0};
// Written only while ours is not installed.
struct sigaction previous {};

static_assert(std::atomic<Call*>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler must not wait for a lock");

void on_interrupt(int signal, siginfo_t* information, void* machine) {
  ++handlers;
  for (Call* call = innermost.load(); call != nullptr; call = call->outer) {
    call->interrupted = true;
    call->token.request();
  }
  --handlers;
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, information, machine);
  } else {
    previous.sa_handler(signal);
  }
}

bool is_main_thread() { return getpid() == static_cast<pid_t>(syscall(SYS_gettid)); }

}  // namespace

InterruptScope::InterruptScope(const CancelToken& token) : call_{.token = token} {
  if (!is_main_thread()) return;
  call_.was_requested = token.requested();
  call_.outer = innermost.load();
  if (call_.outer == nullptr) {
    if (sigaction(SIGINT, nullptr, &previous) != 0) return;
    // Python without a handler of its own: the signal ends the program, or is ignored, as ever.
    const bool plain = (previous.sa_flags & SA_SIGINFO) == 0;
    if (plain && (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN)) return;
    struct sigaction ours = previous;
    ours.sa_sigaction = &on_interrupt;
    ours.sa_flags |= SA_SIGINFO;
    innermost = &call_;
    if (sigaction(SIGINT, &ours, nullptr) != 0) {
      innermost = nullptr;
      return;
    }
  } else {
    innermost = &call_;
  }
  active_ = true;
}

InterruptScope::~InterruptScope() {
  if (!active_) return;
  if (call_.outer == nullptr) sigaction(SIGINT, &previous, nullptr);
  innermost = call_.outer;
  while (handlers.load() != 0) {
  }
  // The context can be used again.
  if (call_.interrupted && !call_.was_requested) call_.token.reset();
}

void InterruptScope::raise_if_interrupted() {
  if (active_ && call_.interrupted && PyErr_CheckSignals() != 0) throw nb::python_error();
}

std::unique_lock<std::recursive_mutex> turn_on(Device device) {
  static auto& gpus = *new std::recursive_mutex();
  if (device.kind == DeviceKind::cpu) return {};
  return std::unique_lock(gpus);
}

Context context_of(nb::handle given, Device device) {
  if (nb::isinstance<Context>(given)) return nb::cast<Context>(given);
  if (nb::isinstance<nb::str>(given)) {
    device = parse_device(nb::cast<std::string>(given));
  } else if (!given.is_none()) {
    throw nb::type_error(
        "context is neither a whorl.Context nor the name of a device ('cpu', 'cuda', 'cuda:1', 'auto')");
  }
  // Never destroyed: arrays of Python may outlive the module. The GIL protects it.
  static auto& usual = *new std::map<std::pair<DeviceKind, int>, Context>();
  const auto found = usual.find({device.kind, device.index});
  if (found != usual.end()) return found->second;
  Context::Options options{.device = device};
  // CUDA's own stream, which CuPy and PyTorch use unless the program chooses another: their work and whorl's need no waiting.
  if (device.kind == DeviceKind::cuda) options.stream = nullptr;
  return usual.emplace(std::pair{device.kind, device.index}, Context(std::move(options))).first->second;
}

}  // namespace whorl::python
