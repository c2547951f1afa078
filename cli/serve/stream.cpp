// whorl stream: images of a stream of MRD v2.
#include "whorl/serve/stream.hpp"

#include <unistd.h>

#include <memory>

#include "cli/command.hpp"
#include "cli/options/table_options.hpp"
#include "cli/serve/event_log.hpp"

namespace whorl::cli {

namespace {

struct StreamRequest {
  StreamOptions stream;
  EventLog log;
};

void run(const StreamRequest& request, const Session& session) {
  const auto log = [&](const ServerEvent& event) { request.log.write(event, session.quiet); };
  static_cast<void>(reconstruct_stream(session.device(), STDIN_FILENO, STDOUT_FILENO, request.stream, log));
}

constexpr const char* examples =
    R"(Reads acquisitions from standard input and writes images to standard output, by MRD v2 (docs/howto/serve.md).
Examples:
  whorl stream < in.mrd > out.mrd
  make_acquisitions | whorl stream --config '{"spokes-per-frame": 34, "iterations": 10}' | show_images
  whorl stream --schema 2.2.1 < in.mrd > out.mrd)";

}  // namespace

Command stream_command() {
  return {"stream", "Reconstruct a stream of MRD v2 from standard input to standard output", examples,
          [](App& app) -> Run {
            const auto request = std::make_shared<StreamRequest>();
            add_options(app, request->stream);
            for (const char* name : {"--configs", "--noise"}) app.get_option(name)->type_name(folder_type);
            add_options(app, request->log, event_log_table());
            return [request](const Session& session) { run(*request, session); };
          }};
}

}  // namespace whorl::cli
