#include "progress.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace whorl::python {

namespace nb = nanobind;

namespace {

using Clock = std::chrono::steady_clock;

// Stages may have millions of steps: Python hears of one in this time, and of the last.
constexpr auto least_interval = std::chrono::milliseconds(20);

// Python's side is called with the GIL, which the library's work does not hold.
class PythonProgress : public ProgressSink {
 public:
  explicit PythonProgress(nb::object target)
      : target_(std::move(target)), is_sink_(nb::hasattr(target_, "begin") && nb::hasattr(target_, "end")) {}
  ~PythonProgress() override {
    const nb::gil_scoped_acquire gil;
    target_.reset();
  }

  void begin(std::string_view stage, Index total) override {
    stages_.push_back({std::string(stage), total, 0, {}});
    tell([&] {
      if (is_sink_) {
        target_.attr("begin")(stage, total);
      } else {
        target_(stage, 0, total, "");
      }
    });
  }
  void update(Index done, std::string_view detail) override {
    if (stages_.empty()) return;
    Stage& stage = stages_.back();
    stage.done = done;
    const Clock::time_point now = Clock::now();
    if (done != stage.total && now - stage.told < least_interval) return;
    stage.told = now;
    tell([&] {
      if (is_sink_) {
        target_.attr("update")(done, detail);
      } else {
        target_(stage.name, done, stage.total, detail);
      }
    });
  }
  // Called by a destructor: an exception of Python can not go on from here.
  void end() override {
    if (!stages_.empty()) stages_.pop_back();
    if (!is_sink_) return;
    const nb::gil_scoped_acquire gil;
    try {
      target_.attr("end")();
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("whorl: progress");
    }
  }

 private:
  struct Stage {
    std::string name;
    Index total;
    Index done;
    Clock::time_point told;
  };

  template <class Function>
  static void tell(const Function& function) {
    const nb::gil_scoped_acquire gil;
    function();
  }

  nb::object target_;
  bool is_sink_;
  std::vector<Stage> stages_;
};

}  // namespace

std::shared_ptr<ProgressSink> progress_to(nb::handle target) {
  if (target.is_none() || target.is(nb::bool_(false))) return nullptr;
  nb::object sink = nb::borrow(target);
  if (target.is(nb::bool_(true))) sink = nb::module_::import_("whorl._progress").attr("TqdmProgress")();
  const bool is_sink = nb::hasattr(sink, "begin") && nb::hasattr(sink, "update") && nb::hasattr(sink, "end");
  if (!is_sink && !nb::isinstance<nb::callable>(sink)) {
    throw nb::type_error(
        "progress is none of: None, True, a function f(stage, done, total, detail), an object with begin, update and "
        "end");
  }
  return std::make_shared<PythonProgress>(std::move(sink));
}

}  // namespace whorl::python
