#include "serve/metrics.hpp"

#include <fmt/format.h>

#include <string_view>

namespace whorl::serve {

namespace {

constexpr std::chrono::milliseconds patience{1000};
constexpr std::chrono::milliseconds look{100};

std::string response(std::string_view status, std::string_view body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
      status, body.size(), body);
}

// The first line, or as much of it as such a request needs.
std::string request_line(TcpStream& stream) {
  constexpr std::size_t most = 256;
  std::string line;
  std::array<std::byte, 1> one{};
  stream.await(Awaited::rest_of_message);
  while (line.size() < most && stream.read_some(one) == 1 && static_cast<char>(one[0]) != '\n') {
    line += static_cast<char>(one[0]);
  }
  return line;
}

}  // namespace

std::string prometheus_text(const Counters& counters) {
  std::string text;
  const auto add = [&](const char* name, const char* type, const char* help, auto value) {
    text += fmt::format("# HELP whorl_{0} {1}\n# TYPE whorl_{0} {2}\nwhorl_{0} {3}\n", name, help, type, value);
  };
  add("connections_total", "counter", "Connections that were accepted.", counters.connections.load());
  add("connections_refused_total", "counter", "Connections beyond the limit.", counters.refused.load());
  add("connections_failed_total", "counter", "Connections that ended with an error.", counters.failed.load());
  add("connections_active", "gauge", "Connections that are open.", counters.active.load());
  add("acquisitions_total", "counter", "Acquisitions that were received.", counters.acquisitions.load());
  add("acquisitions_left_out_total", "counter", "Acquisitions that belonged to no image.", counters.left_out.load());
  add("images_total", "counter", "Images that were sent.", counters.images.load());
  text +=
      "# HELP whorl_image_latency_seconds From the last readout of an image to its sending.\n"
      "# TYPE whorl_image_latency_seconds histogram\n";
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < latency_bounds.size(); ++i) {
    sum += counters.latencies[i];
    text += fmt::format("whorl_image_latency_seconds_bucket{{le=\"{}\"}} {}\n", latency_bounds[i], sum);
  }
  sum += counters.latencies.back();
  text += fmt::format("whorl_image_latency_seconds_bucket{{le=\"+Inf\"}} {}\n", sum);
  text += fmt::format("whorl_image_latency_seconds_sum {}\nwhorl_image_latency_seconds_count {}\n",
                      1e-6 * static_cast<double>(counters.latency_us), sum);
  return text;
}

MetricsServer::MetricsServer(const std::string& address, int port, const Counters& counters)
    : listener_(address, port), counters_(counters), thread_([this] {
        while (!stops_) {
          const std::unique_ptr<TcpStream> stream = listener_.accept(look, {patience, patience});
          if (stream == nullptr) continue;
          try {
            answer(*stream);
          } catch (const StreamEnded&) {
            continue;  // whoever asked is gone
          }
        }
      }) {}

MetricsServer::~MetricsServer() {
  stops_ = true;
  thread_.join();
}

void MetricsServer::answer(TcpStream& stream) const {
  const std::string line = request_line(stream);
  std::string text = response("404 Not Found", "expected /health or /metrics\n");
  if (line.starts_with("GET /health ")) text = response("200 OK", "ok\n");
  if (line.starts_with("GET /metrics ")) text = response("200 OK", prometheus_text(counters_));
  stream.write(std::as_bytes(std::span(text)));
  stream.finish(patience);
}

}  // namespace whorl::serve
