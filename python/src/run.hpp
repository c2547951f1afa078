// Work of the library on behalf of a call from Python: without the GIL, and stopped by Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "whorl/core/context.hpp"
#include "whorl/core/error.hpp"

namespace whorl::python {

namespace nb = nanobind;

/// The context of a call: `given`, a Context or the name of a device, or where it is None the usual context of `device`,
/// which is made at its first use.
Context context_of(nb::handle given, Device device = {});

/// While it lives, SIGINT in the main thread asks the work of a token to stop, and then reaches the handler that was
/// there: Python's own would only run after the work. In other threads, which get no KeyboardInterrupt, it does nothing.
class InterruptScope {
 public:
  explicit InterruptScope(const CancelToken& token);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  /// After the work, with the GIL: throws the exception of Python's handler (KeyboardInterrupt) if there was a signal.
  void raise_if_interrupted();

  /// A call that waits for its end.
  struct Call {
    CancelToken token;
    std::atomic<bool> interrupted = false;
    Call* outer = nullptr;
    bool was_requested = false;
  };

 private:
  Call call_;
  bool active_ = false;
};

/// Contexts of a GPU belong to one thread at a time: threads of Python take turns. None for a CPU. Taken without the GIL,
/// which the holder may wait for.
std::unique_lock<std::recursive_mutex> turn_on(Device device);

/// The result of work(ctx), which runs without the GIL. On a GPU the work is done when this returns, unless the caller's
/// own work is in the context's stream and so waits for it: `waits` false.
template <class Work>
auto run(const Context& ctx, Work&& work, bool waits = true) -> std::invoke_result_t<Work&, const Context&> {
  using Result = std::invoke_result_t<Work&, const Context&>;
  InterruptScope interrupt(ctx.cancel_token());
  const auto done = [&] {
    if (waits && ctx.device().kind != DeviceKind::cpu) ctx.synchronize();
  };
  try {
    if constexpr (std::is_void_v<Result>) {
      {
        const nb::gil_scoped_release no_gil;
        const auto turn = turn_on(ctx.device());
        work(ctx);
        done();
      }
      interrupt.raise_if_interrupted();
    } else {
      std::optional<Result> result;
      {
        const nb::gil_scoped_release no_gil;
        const auto turn = turn_on(ctx.device());
        result.emplace(work(ctx));
        done();
      }
      interrupt.raise_if_interrupted();
      return std::move(*result);
    }
  } catch (const Cancelled&) {
    interrupt.raise_if_interrupted();
    throw;
  }
}

}  // namespace whorl::python
