// A server for scanners: measurements come by MRD v1 over TCP, and images go back.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "whorl/core/context.hpp"
#include "whorl/core/option_table.hpp"
#include "whorl/serve/server_event.hpp"
#include "whorl/serve/shared_serving.hpp"

namespace WHORL_PUBLIC whorl {

struct ServerOptions {
  SharedServing shared;
  std::string address = "127.0.0.1";
  int port = 9002;  ///< 0: a free one
  int most_connections = 8;
  double idle_seconds = 300;    ///< a client may send nothing for so long, or not read what it is sent
  double message_seconds = 30;  ///< a message must be whole in this time
  double work_seconds = 600;    ///< a reconstruction may take
  double drain_seconds = 20;    ///< connections may take, once the server is asked to stop
  int metrics_port = -1;        ///< of health and metrics by HTTP; 0: a free one, -1: none
};

template <>
WHORL_PUBLIC const OptionTable<ServerOptions>& option_table<ServerOptions>();

/// Answers clients until it is asked to stop. A client sends a configuration (the name of one of the server's, or options of
/// a reconstruction as JSON or XML), ISMRMRD's header, acquisitions and a close; it gets images, texts and a close. Texts
/// begin with "ERR", "WRN" or "DBG". A fault ends the connection that it is of, with a text that says what was wrong, and no
/// other. Nothing that a client names is opened or run.
///
/// With options that cut frames from consecutive readouts (spokes-per-frame) images are sent while data arrive; others are
/// sent when the client closes.
///
/// Threads  one for each connection, and one that receives its messages. `log` is called by one at a time
/// Memory   for each connection the data up to shared.most_megabytes, and what its reconstruction takes
class Server {
 public:
  using Log = std::function<void(const ServerEvent&)>;

  /// Listens. Work is done on the context's device, in contexts of each connection's own. Throws IoError (an address or a
  /// folder that can not be used), ValueError (options, a configuration in the folder).
  Server(Context ctx, ServerOptions options, Log log);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  int metrics_port() const;  ///< -1: there is none
  /// Answers until `stops` gives true, which is asked several times a second. Measurements under way may then end within
  /// drain_seconds; all others are told that the server stops.
  void run(const std::function<bool()>& stops);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace whorl
