// whorl replay: a scan is sent to a server as a scanner does.
#include "whorl/serve/replay.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/print.hpp"
#include "whorl/core/error.hpp"

namespace whorl::cli {

namespace {

struct ReplayRequest {
  std::string scan;
  ReplayOptions options;
};

double quantile(const std::vector<double>& sorted, double part) {
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

void run(const ReplayRequest& request, const Session& session) {
  const ReplayReport report = replay(session.ctx, request.scan, request.options);
  std::string text;
  for (const std::string& line : report.texts) text += line + "\n";
  text += fmt::format("{} images\n", report.images);
  if (!report.warm_up_ms.empty()) {
    text += fmt::format("warm-up: {} images, largest latency {:.3g} ms\n", report.warm_up_ms.size(),
                        report.warm_up_ms.back());
  }
  if (!report.latencies_ms.empty()) {
    const std::vector<double>& latencies = report.latencies_ms;
    text += fmt::format("latency: median {:.3g} ms, 99 % {:.3g} ms, largest {:.3g} ms\n", quantile(latencies, 0.5),
                        quantile(latencies, 0.99), latencies.back());
    text += latency_histogram(latencies);
  }
  if (!session.quiet) print(text);
  if (report.errors.empty()) return;
  throw Error(fmt::format("{} of {} clients failed, the first: {}", report.errors.size(), request.options.clients,
                          report.errors.front()));
}

constexpr const char* examples =
    R"(Sends the readouts of a scan in real time and takes the images: their latencies are from the last
readout of an image to its arrival.
Examples:
  whorl replay scan.h5 --to 127.0.0.1:9002 --tr 3
  whorl replay scan.h5 --config '{"spokes-per-frame": 34, "iterations": 10}' --tr 3
  whorl replay scan.h5 --clients 8      as fast as the server takes them, eight at once)";

}  // namespace

Command replay_command() {
  return {"replay", "Send a scan to a server as a scanner does, and measure how soon the images come", examples,
          [](App& app) -> Run {
            const auto request = std::make_shared<ReplayRequest>();
            app.add_input("scan", request->scan, "Scan (ISMRMRD, .h5)")->required();
            add_options(app, request->options);
            return [request](const Session& session) { run(*request, session); };
          }};
}

}  // namespace whorl::cli
