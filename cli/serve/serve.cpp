// whorl serve: images for scanners, by MRD over TCP.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/print.hpp"
#include "cli/output/signals.hpp"
#include "whorl/serve/server.hpp"

namespace whorl::cli {

namespace {

enum class LogForm { text, json };

struct ServeRequest {
  ServerOptions server;
  LogForm log = LogForm::text;
};

const OptionTable<ServeRequest>& log_table() {
  static const OptionTable<ServeRequest> table = OptionTable<ServeRequest>("serve").group("Server").choice(
      "log", &ServeRequest::log, {{"text", LogForm::text}, {"json", LogForm::json}},
      "Lines of the log, on standard error: text, or a JSON object each");
  return table;
}

const char* level_of(const ServerEvent& event) {
  switch (event.level) {
    case ServerEvent::Level::error:
      return "error";
    case ServerEvent::Level::warning:
      return "warning";
    default:
      return "info";
  }
}

std::string json_line(const ServerEvent& event) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  nlohmann::ordered_json line{{"time", std::chrono::duration<double>(now).count()}, {"level", level_of(event)}};
  if (event.connection > 0) line["connection"] = event.connection;
  if (!event.peer.empty()) line["peer"] = event.peer;
  line["event"] = event.what;
  if (!event.text.empty()) line["text"] = event.text;
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string text_line(const ServerEvent& event) {
  std::string line = fmt::format("{} {}", level_of(event), event.what);
  if (event.connection > 0) line += fmt::format(" [{} {}]", event.connection, event.peer);
  return event.text.empty() ? line + "\n" : fmt::format("{}: {}\n", line, event.text);
}

void run(const ServeRequest& request, const Session& session) {
  const bool quiet = session.quiet;
  Server server(session.device(), request.server, [&](const ServerEvent& event) {
    if (quiet && event.level == ServerEvent::Level::info) return;
    const std::string line = request.log == LogForm::json ? json_line(event) : text_line(event);
    std::fputs(line.c_str(), stderr);
  });
  print(fmt::format("listening at {}, port {}\n", request.server.address, server.port()));
  if (server.metrics_port() >= 0) print(fmt::format("metrics at port {}\n", server.metrics_port()));
  std::fflush(stdout);
  // The first signal asks to stop, and measurements under way may end (--drain-time).
  const HoldSignals drains;
  server.run([&] { return session.ctx.cancel_requested(); });
  session.ctx.cancel_token().reset();
}

constexpr const char* examples = R"(Answers scanners and their bridges by MRD v1 over TCP (docs/howto/serve.md).
Examples:
  whorl serve                           at this machine alone, port 9002
  whorl serve --configs recons --address 0.0.0.0
                                        for others too, with recons/NAME.json as reconstructions that clients name
  whorl serve --device cuda --metrics-port 9003 --log json)";

}  // namespace

Command serve_command() {
  return {"serve", "Reconstruct what scanners send, while it arrives (MRD)", examples, [](App& app) -> Run {
            const auto request = std::make_shared<ServeRequest>();
            add_options(app, request->server);
            add_options(app, *request, log_table());
            return [request](const Session& session) { run(*request, session); };
          }};
}

}  // namespace whorl::cli
