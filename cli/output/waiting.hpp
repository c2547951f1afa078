// Waiting threads sleep, so that they leave the processor to others.
#pragma once

namespace whorl::cli {

/// Makes OpenMP's threads of this process sleep after some microseconds of waiting instead of some milliseconds: on a
/// busy machine a thread that spins keeps the processor from the thread that it waits for.
///
/// GNU's runtime reads how long from the environment, when it is loaded. Beside shared libraries the program sets the variable
/// before it loads them (launch.cpp), and this function only takes it out of the environment again. With static libraries
/// it starts the program again, in this process, with the variable set; the second call takes it out. Call it
/// before there are threads, open files or output. If the user has set OMP_WAIT_POLICY or GOMP_SPINCOUNT, or the
/// program's file is not found, nothing happens.
void let_waiting_threads_sleep(char** argv);

}  // namespace whorl::cli
