// Health and metrics by HTTP.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "serve/events.hpp"
#include "serve/tcp.hpp"

namespace whorl::serve {

/// Answers GET /health ("ok") and GET /metrics (prometheus_text) in a thread of its own, one request at a time.
class MetricsServer {
 public:
  /// Throws IoError as TcpListener.
  MetricsServer(const std::string& address, int port, const Counters& counters);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  int port() const { return listener_.port(); }

 private:
  void answer(TcpStream& stream) const;

  TcpListener listener_;
  const Counters& counters_;
  std::atomic<bool> stops_{false};
  std::thread thread_;
};

}  // namespace whorl::serve
