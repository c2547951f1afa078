// Errors, devices, contexts, cancellation and progress.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <exception>
#include <new>
#include <optional>

#include "bindings.hpp"
#include "copies.hpp"
#include "core/out_of_memory.hpp"
#include "described.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "run.hpp"
#include "whorl/core/context.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/version.hpp"
#include "whorl/op/tolerance_error.hpp"

namespace whorl::python {

namespace {

// The exceptions of Python, each of which lives as long as the module.
struct Errors {
  PyObject* error;
  PyObject* shape;
  PyObject* value;
  PyObject* tolerance;
  PyObject* io;
  PyObject* device;
  PyObject* unsupported;
  PyObject* cancelled;
  PyObject* memory;
  PyObject* type;
};
Errors errors;

PyObject* new_error(Module& m, const char* name, const char* doc, PyObject* base, PyObject* second = nullptr) {
  const nb::tuple bases =
      second == nullptr ? nb::make_tuple(nb::handle(base)) : nb::make_tuple(nb::handle(base), nb::handle(second));
  PyObject* error = PyErr_NewExceptionWithDoc((std::string("whorl._core.") + name).c_str(), doc, bases.ptr(), nullptr);
  if (error == nullptr) throw nb::python_error();
  m.attr(name) = nb::handle(error);
  return error;
}

// Where the library names options of the command line, Python's users know arguments.
void set_error(PyObject* type, const std::exception& error) {
  PyErr_SetString(type, with_keywords(error.what()).c_str());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const ShapeError& error) {
    set_error(errors.shape, error);
  } catch (const ToleranceError& error) {
    set_error(errors.tolerance, error);
  } catch (const ValueError& error) {
    set_error(errors.value, error);
  } catch (const IoError& error) {
    set_error(errors.io, error);
  } catch (const DeviceError& error) {
    set_error(errors.device, error);
  } catch (const Unsupported& error) {
    set_error(errors.unsupported, error);
  } catch (const Cancelled& error) {
    set_error(errors.cancelled, error);
  } catch (const whorl::detail::OutOfMemory& error) {
    set_error(errors.memory, error);
  } catch (const Error& error) {
    set_error(errors.error, error);
  } catch (const nb::cast_error&) {
    PyErr_SetString(errors.type, "an argument has another type");
  } catch (const std::bad_alloc&) {
    PyErr_SetString(errors.memory, "out of memory; use a smaller scan or image, or a machine with more memory");
  }
}

void bind_errors(Module& m) {
  errors.error = new_error(m, "Error", "Base of all errors of whorl.", PyExc_Exception);
  errors.shape = new_error(m, "ShapeError", "The extents of an argument do not fit the operation.", errors.error,
                           PyExc_ValueError);
  errors.value = new_error(m, "ValueError", "An argument has a value that the operation does not accept.", errors.error,
                           PyExc_ValueError);
  errors.tolerance =
      new_error(m, "ToleranceError",
                "A transform cannot be as exact as it was asked to be; with a larger tolerance it can.", errors.value);
  errors.io = new_error(m, "IoError", "A file cannot be read or written, or its content violates its format.",
                        errors.error, PyExc_OSError);
  errors.device =
      new_error(m, "DeviceError", "A device is missing, failed, or holds memory that was used from another device.",
                errors.error, PyExc_RuntimeError);
  errors.unsupported =
      new_error(m, "Unsupported", "The operation is valid but this build, device or format does not offer it.",
                errors.error, PyExc_NotImplementedError);
  errors.cancelled = new_error(m, "Cancelled", "The work was asked to stop (CancelToken).", errors.error);
  errors.memory = new_error(m, "MemoryError", "The memory of a device or a context does not suffice.", errors.error,
                            PyExc_MemoryError);
  errors.type =
      new_error(m, "_OtherType", "An argument has another type: the package says which one.", PyExc_TypeError);
  const nb::object warning = nb::steal(PyErr_NewExceptionWithDoc(
      "whorl._core.PrecisionWarning", "Numbers of an array were rounded to the precision that is computed in.",
      PyExc_UserWarning, nullptr));
  if (!warning.is_valid()) throw nb::python_error();
  m.attr("PrecisionWarning") = warning;
  nb::register_exception_translator(&translate);
}

std::optional<void*> stream_from(std::optional<std::uintptr_t> stream) {
  if (!stream) return std::nullopt;
  return reinterpret_cast<void*>(*stream);
}

void bind_context(Module& m) {
  Class<CancelToken>(m, "CancelToken",
                     "A request to stop, which contexts and their copies share.\n\n"
                     "Work with a context that has the token stops soon after the request, with whorl.Cancelled.\n"
                     "The token stays requested until it is reset. Any thread may use it.",
                     made_by_init())
      .def(nb::init<>())
      .def("request", &CancelToken::request, "Asks the work to stop.")
      .def(CopiesAreItself())
      .def(NotPickled("a token is of one process: make one in each"))
      .def_prop_ro("requested", &CancelToken::requested, "Whether the work is asked to stop.")
      .def("reset", &CancelToken::reset, "Calls that begin from now on run again.");

  Class<Context>(
      m, "Context",
      "Where and how to run: device, threads, memory, progress and cancellation.\n\n"
      "Every function and operator takes one as `context`, or the name of a device. Without it the usual context of\n"
      "the device of the arrays is used, which has all threads and reports no progress. Ctrl-C stops the work of the\n"
      "main thread with KeyboardInterrupt.\n\n"
      "device      'cpu', 'cuda', 'cuda:1', or 'auto': the best that there is\n"
      "threads     0: as many as the machine offers to this process\n"
      "max_memory  limit in bytes for arrays on the device; 0: all its memory\n"
      "progress    None, True (bars of tqdm), a function f(stage, done, total, detail), where a total of 0 means an\n"
      "            unknown number of steps, or an object with begin(stage, total), update(done, detail) and end()\n"
      "cancel      a CancelToken\n"
      "stream      on a GPU: a CUDA stream (cupy.cuda.get_current_stream().ptr, "
      "torch.cuda.current_stream().cuda_stream),\n"
      "            which outlives the context and what is made with it. Operators then run in the order of the "
      "caller's work\n"
      "            in that stream, and do not wait. Without it the context has a stream of its own; the usual contexts "
      "use\n"
      "            CUDA's default stream (0)\n\n"
      "Raises ValueError, DeviceError",
      made_by_init())
      .def(method<"__init__(self, device: str = 'cpu', *, threads: int = 0, max_memory: int = 0, progress: object "
                  "= None, cancel: CancelToken | None = None, stream: int | None = None) -> None">(
          [](Context* self, const std::string& device, int threads, std::size_t max_memory, const nb::object& progress,
             const CancelToken* cancel, std::optional<std::uintptr_t> stream) {
            new (self) Context(Context::Options{.device = parse_device(device),
                                                .threads = threads,
                                                .progress = progress_to(progress),
                                                .max_memory = max_memory,
                                                .cancel = cancel != nullptr ? *cancel : CancelToken(),
                                                .stream = stream_from(stream)});
          }))
      .def_prop_ro(
          "device", [](const Context& self) { return to_string(self.device()); }, "Where it runs: 'cpu' or 'cuda:0'.")
      .def_prop_ro("threads", &Context::threads, "Threads of the CPU that it uses.")
      .def_prop_ro(
          "stream", [](const Context& self) { return reinterpret_cast<std::uintptr_t>(self.stream()); },
          "The CUDA stream of a GPU's context. Raises Unsupported on the CPU.")
      .def_prop_ro("cancel_token", &Context::cancel_token, "By which its work is stopped.")
      .def(
          "with_progress",
          [](const Context& self, const nb::object& progress) { return self.with(progress_to(progress)); },
          nb::arg("progress").none(),
          "A copy that reports progress to another sink (as the class says); the rest is shared.\n\nRaises  TypeError "
          "(nothing that can report)")
      .def(
          "with_cancel", [](const Context& self, const CancelToken& cancel) { return self.with(cancel); },
          nb::arg("cancel"),
          "A copy with another cancel token; the rest is shared.\n\nRaises  TypeError (no CancelToken)")
      .def("request_cancel", &Context::request_cancel,
           "Asks the work of this context and its copies to stop, and later calls until the token is reset.")
      .def(
          "synchronize", [](const Context& self) { run(self, [](const Context& ctx) { ctx.synchronize(); }); },
          "Waits until all work of earlier calls is done.\n\nRaises  DeviceError (work that failed), Cancelled")
      .def(method<"memory(self) -> dict[str, int]">(
          [](const Context& self) {
            const MemoryStatistics memory = self.pool().statistics();
            nb::dict result;
            result["in_use"] = memory.in_use;
            result["peak"] = memory.peak;
            result["cached"] = memory.cached;
            return result;
          },
          "Bytes of the context's pool: in_use by arrays, their peak, and cached for the next arrays."))
      .def(
          "trim", [](const Context& self) { self.pool().trim(); }, "Returns cached memory to the system.")
      .def(CopiesAreItself())
      .def(NotPickled("pickle the name of its device and its options, and make it again"))
      .def("__repr__", [](const Context& self) {
        return "whorl.Context('" + to_string(self.device()) + "', threads=" + std::to_string(self.threads()) + ")";
      });

  m.def(
      "default_context", [](const std::string& device) { return context_of(nb::none(), parse_device(device)); },
      nb::arg("device") = "cpu",
      "The context that calls use on a device if they are given none.\n\n"
      "Raises  ValueError (no name of a device), DeviceError (a device that is not there)");
  m.def(
      "describe_device", [](const std::string& device) { return describe(parse_device(device)); },
      nb::arg("device") = "auto",
      "Name and free memory of a device: 'NVIDIA H200, 139.2 GiB free'.\n\n"
      "Raises  ValueError (no name of a device), DeviceError (a device that is not there)");
  def<"build_facts() -> list[tuple[str, str]]">(m, &build_facts,
                                                "How this build was made: compiler, backends, optional parts.");
  m.def("version", &version, "The version of whorl, such as '0.1.0'.");
}

}  // namespace

void bind_core(Module& m) {
  bind_errors(m);
  bind_context(m);
}

}  // namespace whorl::python
