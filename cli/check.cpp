// whorl check: whether what whorl computes on this machine is right.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/case_runner.hpp"
#include "bench/parity.hpp"
#include "cli/command.hpp"
#include "cli/output/print.hpp"
#include "whorl/core/error.hpp"

namespace whorl::cli {

namespace {

struct Options {
  std::string only;
};

struct Line {
  std::string name;
  double error = 0;
  double allowed = 0;
  double ms = 0;
  bool passed() const { return error <= allowed; }  // NaN is not
};

std::string to_text(const Line& line) {
  return fmt::format("{:<6} {:<52} error {:8.1e} of {:8.1e} {:>10.4g} ms\n", line.passed() ? "ok" : "WRONG", line.name,
                     line.error, line.allowed, line.ms);
}

// Why there is no GPU to check, as a line; nothing where there is one.
std::string why_no_gpu() {
  try {
    require_device({DeviceKind::cuda, 0});
  } catch (const DeviceError& error) {
    return fmt::format("no GPU: {}\n", error.what());
  }
  return {};
}

void run(const Options& options, const Session& session) {
  const Context& ctx = session.device();
  std::string text = fmt::format("{}: {}\n", to_string(ctx.device()), describe(ctx.device()));
  if (ctx.device().kind == DeviceKind::cpu) text += why_no_gpu();
  std::vector<std::string> wrong;
  const auto add = [&](const Line& line) {
    text += to_text(line);
    if (!line.passed()) wrong.push_back(line.name);
  };
  const std::vector<bench::Case> cases = bench::parity_cases(options.only);
  const std::vector<bench::KernelCheck> kernels = bench::kernel_checks(options.only);
  if (cases.empty() && kernels.empty()) {
    throw ValueError(
        fmt::format("check: nothing has a name like '{}'; without --only everything is checked", options.only));
  }
  {
    ProgressStage progress(ctx, "checking", static_cast<Index>(cases.size() + kernels.size()));
    for (const bench::KernelCheck& check : kernels) {
      const bench::Parity parity = check.run(ctx);
      add({check.name, parity.error, parity.allowed, parity.median_ms});
      progress.advance(1, check.name);
    }
    bench::CaseRunner runner(ctx);
    for (const bench::Case& what : cases) {
      const bench::Measurement measured = runner.measure(what, bench::Effort::quick);
      add({what.name(), measured.error, bench::allowed_error(what), measured.median_ms});
      progress.advance(1, what.name());
    }
  }
  const std::size_t count = cases.size() + kernels.size();
  if (!session.quiet) {
    text += fmt::format("{} of {} right\n", count - wrong.size(), count);
    print(text);
  }
  if (!wrong.empty()) {
    throw Error(
        fmt::format("{} of {} checks are wrong on {}, the first is {}; this device or its driver can not be "
                    "trusted with this build: use --device cpu and report it",
                    wrong.size(), count, to_string(ctx.device()), wrong.front()));
  }
}

constexpr const char* examples =
    R"(The self-test (whorl self-test is another name for it). Small cases of every transform against the exact sums in
double, every kernel against the same sums on the CPU, in single and double precision, and images of a simulated head
against those by the exact sums: the error, what it may be, and the time of one application.
Examples:
  whorl check                           on the device that whorl would use
  whorl check --only reconstruction     two images, in a second
  whorl check --device cpu
  whorl check --device cuda:1 --only nufft)";

}  // namespace

Command check_command() {
  Command command{"check", "Check that whorl computes right on this machine's CPU or GPU", examples,
                  [](App& app) -> Run {
                    const auto options = std::make_shared<Options>();
                    app.add_word("--only", options->only, "Only cases in whose name this regular expression is found");
                    return [options](const Session& session) { run(*options, session); };
                  }};
  command.alias = "self-test";
  return command;
}

}  // namespace whorl::cli
