// The log of a server or a filter, on standard error.
#pragma once

#include "whorl/core/option_table.hpp"
#include "whorl/serve/server_event.hpp"

namespace whorl::cli {

enum class LogForm { text, json };

struct EventLog {
  LogForm form = LogForm::text;

  /// Writes a line. `quiet`: of information none.
  void write(const ServerEvent& event, bool quiet) const;
};

const OptionTable<EventLog>& event_log_table();

}  // namespace whorl::cli
