#include "whorl/serve/server.hpp"

#include <fmt/format.h>

#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "serve/metrics.hpp"
#include "serve/mrd_writer.hpp"
#include "serve/session.hpp"
#include "serve/tcp.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

template <>
const OptionTable<SharedServing>& option_table<SharedServing>() {
  using Options = SharedServing;
  static const OptionTable<Options> table =
      OptionTable<Options>("serving")
          .group("Serving")
          .text("configs", &Options::configurations,
                "Folder with reconstructions, NAME.json or NAME.xml, that clients may name")
          .reads_file()
          .text(
              "noise", &Options::noise,
              "Folder that keeps noise scans for later measurements, also of a server that is started anew; else they "
              "are kept in memory")
          .reads_file()
          .real("connection-megabytes", &Options::most_megabytes, {1, 1e6}, "MB",
                "Data of a connection or a stream, at most");
  return table;
}

template <>
const OptionTable<ServerOptions>& option_table<ServerOptions>() {
  using Options = ServerOptions;
  static const OptionTable<Options> table =
      OptionTable<Options>("server")
          .group("Server")
          .text("address", &Options::address, "Address to listen at: the machine's own, or 0.0.0.0 for all")
          .integer("port", &Options::port, {0, 65535}, "", "Port to listen at; 0: one that is free")
          .part(&Options::shared)
          .integer("connections", &Options::most_connections, {1, 1000}, "", "Connections at once, at most")
          .real("idle-time", &Options::idle_seconds, {0.1, 1e6}, "s",
                "A client may send nothing for so long, or not read what it is sent")
          .real("message-time", &Options::message_seconds, {0.1, 1e6}, "s", "A message must have arrived in this time")
          .real("work-time", &Options::work_seconds, {0.1, 1e6}, "s", "A reconstruction may take so long")
          .real("drain-time", &Options::drain_seconds, {0, 1e6}, "s",
                "Measurements under way may take so long when the server is asked to stop (SIGTERM)")
          .integer("metrics-port", &Options::metrics_port, {-1, 65535}, "",
                   "Port for /health and /metrics by HTTP, at the same address; 0: one that is free, -1: none");
  return table;
}

namespace {

using serve::Clock;

std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

constexpr std::chrono::milliseconds look{50};      // from one look at everything to the next
constexpr std::chrono::milliseconds linger{2000};  // for what a client still sends after its connection failed
constexpr const char* stops_text = "the server stops; connect again when it is back";

}  // namespace

class Server::Impl {
 public:
  Impl(Context ctx, ServerOptions options, Log log)
      : ctx_(ctx.with(std::shared_ptr<ProgressSink>())),
        options_(checked(std::move(options))),
        log_(std::move(log)),
        ground_(options_.shared),
        listener_(options_.address, options_.port) {
    if (options_.metrics_port >= 0) metrics_.emplace(options_.address, options_.metrics_port, ground_.counters);
  }

  ~Impl() {
    for (Connection& one : connections_) {
      one.session.stop(stops_text);
      one.thread.join();
    }
  }

  int port() const { return listener_.port(); }
  int metrics_port() const { return metrics_ ? metrics_->port() : -1; }

  void run(const std::function<bool()>& stops) {
    while (!stops()) {
      if (std::unique_ptr<serve::TcpStream> stream = listener_.accept(look, times())) take(std::move(stream));
      look_after();
    }
    drain();
  }

 private:
  struct Connection {
    Connection(std::uint64_t its_number, std::unique_ptr<serve::TcpStream> its_stream, Impl& server)
        : number(its_number),
          stream(std::move(its_stream)),
          session(*stream, server.context(), server.ground_,
                  [this, &server](ServerEvent::Level level, const std::string& what, const std::string& text) {
                    server.say({level, number, stream->peer(), what, text});
                  }) {
      thread = std::thread([this] {
        session.run();
        stream->finish(linger);
        done = true;
      });
    }

    std::uint64_t number;
    std::unique_ptr<serve::TcpStream> stream;
    serve::Session session;
    std::atomic<bool> done{false};
    std::thread thread;
  };

  static ServerOptions checked(ServerOptions options) {
    check_options(options);
    return options;
  }

  serve::PeerTimes times() const {
    return {milliseconds_of(options_.idle_seconds), milliseconds_of(options_.message_seconds)};
  }
  // A connection's own: on a GPU a context belongs to one thread.
  Context context() const {
    const bool is_host = ctx_.device().kind == DeviceKind::cpu;
    return (is_host ? ctx_ : ctx_.host().on(ctx_.device(), ctx_.pool().limit())).with(CancelToken());
  }

  void say(const ServerEvent& event) {
    const std::scoped_lock lock(guard_);
    if (log_) log_(event);
  }

  void take(std::unique_ptr<serve::TcpStream> stream) {
    if (connections_.size() >= static_cast<std::size_t>(options_.most_connections)) return refuse(*stream);
    ++ground_.counters.connections;
    ++ground_.counters.active;
    const std::uint64_t number = ++last_number_;
    say({ServerEvent::Level::info, number, stream->peer(), "connected", {}});
    connections_.emplace_back(number, std::move(stream), *this);
  }

  // Nobody waits for it: a few bytes fit into the system's buffer.
  void refuse(serve::TcpStream& stream) {
    ++ground_.counters.refused;
    const std::string text =
        fmt::format("ERR {} connections are served, no more at once; try again later", connections_.size());
    say({ServerEvent::Level::warning, 0, stream.peer(), "refused", text});
    try {
      stream.write(serve::encode(serve::Text{text + '\0'}));
      stream.write(serve::encode(serve::Close()));
      stream.finish(std::chrono::milliseconds(10));
    } catch (const serve::StreamEnded&) {
      return;
    }
  }

  void look_after() {
    for (auto one = connections_.begin(); one != connections_.end();) {
      const std::optional<Clock::time_point> since = one->session.working_since();
      if (since && Clock::now() - *since > milliseconds_of(options_.work_seconds)) {
        one->session.stop(
            fmt::format("the work on a message took more than {:g} s; ask for less (iterations), or let the "
                        "server take longer (--work-time)",
                        options_.work_seconds));
      }
      if (!one->done) {
        ++one;
        continue;
      }
      one->thread.join();
      one = connections_.erase(one);
      --ground_.counters.active;
    }
  }

  void drain() {
    say({ServerEvent::Level::info, 0, {}, "stopping", fmt::format("{} connections are open", connections_.size())});
    for (Connection& one : connections_) {
      if (!one.session.is_measuring()) one.session.stop(stops_text);
    }
    const Clock::time_point end = Clock::now() + milliseconds_of(options_.drain_seconds);
    while (!connections_.empty()) {
      if (Clock::now() >= end) {
        for (Connection& one : connections_) one.session.stop(stops_text);
      }
      std::this_thread::sleep_for(look);
      look_after();
    }
    say({ServerEvent::Level::info, 0, {}, "stopped", {}});
  }

  Context ctx_;
  ServerOptions options_;
  Log log_;
  serve::Ground ground_;
  serve::TcpListener listener_;
  std::optional<serve::MetricsServer> metrics_;
  std::mutex guard_;
  std::uint64_t last_number_ = 0;
  std::list<Connection> connections_;
};

Server::Server(Context ctx, ServerOptions options, Log log)
    : impl_(std::make_unique<Impl>(std::move(ctx), std::move(options), std::move(log))) {}

Server::~Server() = default;

int Server::port() const { return impl_->port(); }
int Server::metrics_port() const { return impl_->metrics_port(); }
void Server::run(const std::function<bool()>& stops) { impl_->run(stops); }

}  // namespace whorl
