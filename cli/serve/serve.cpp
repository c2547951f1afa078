// whorl serve: images for scanners, by MRD over TCP.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/command.hpp"
#include "cli/options/table_options.hpp"
#include "cli/output/print.hpp"
#include "cli/output/signals.hpp"
#include "cli/serve/event_log.hpp"
#include "whorl/serve/server.hpp"

namespace whorl::cli {

namespace {

struct ServeRequest {
  ServerOptions server;
  EventLog log;
};

void run(const ServeRequest& request, const Session& session) {
  const bool quiet = session.quiet;
  Server server(session.device(), request.server, [&](const ServerEvent& event) { request.log.write(event, quiet); });
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
            for (const char* name : {"--configs", "--noise"}) app.get_option(name)->type_name(folder_type);
            add_options(app, request->log, event_log_table());
            return [request](const Session& session) { run(*request, session); };
          }};
}

}  // namespace whorl::cli
