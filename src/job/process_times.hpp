// The seconds of a process that no stage of a reconstruction takes.
#pragma once

#include "whorl/io/record.hpp"

namespace whorl::job {

/// Seconds since the program was loaded.
double process_seconds();

struct ProcessTimes {
  double start = 0;  ///< of the program and its device, beside reading; 0: the process does more than one scan
  double read = 0;
  double write = 0;
};

/// Adds `times` to the stages of a record. The rest of the process's time becomes the stage "other".
void add_process_times(const ProcessTimes& times, RunRecord& record);

}  // namespace whorl::job
