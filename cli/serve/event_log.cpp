#include "cli/serve/event_log.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace whorl::cli {

namespace {

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

}  // namespace

const OptionTable<EventLog>& event_log_table() {
  static const OptionTable<EventLog> table = OptionTable<EventLog>("log").group("Log").choice(
      "log", &EventLog::form, {{"text", LogForm::text}, {"json", LogForm::json}},
      "Lines of the log, on standard error: text, or a JSON object each");
  return table;
}

void EventLog::write(const ServerEvent& event, bool quiet) const {
  if (quiet && event.level == ServerEvent::Level::info) return;
  const std::string line = form == LogForm::json ? json_line(event) : text_line(event);
  std::fputs(line.c_str(), stderr);
}

}  // namespace whorl::cli
