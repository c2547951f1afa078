// The processes that mpirun, or srun, started together.
#pragma once

#include <memory>

#include "whorl/comm/communicator.hpp"

namespace WHORL_PUBLIC whorl {

/// Number of processes that a launcher of MPI started together with this one, as its variables in the environment say; 1 if
/// none did. Does not load MPI.
int launched_processes();

/// The group of these processes. If there are several, MPI is loaded and started; it ends with the last owner of the
/// group. Call it once, in the main thread.
/// Throws  Unsupported (several processes, and this build or this machine has no MPI; the message says what to install)
std::shared_ptr<Communicator> world();

/// Resources of this machine that the processes of a group share.
struct LocalRanks {
  int rank = 0;     ///< of this process among those on this machine
  int size = 1;     ///< how many processes of the group are on this machine
  int threads = 1;  ///< that this process may use, so that all processes together use each core once
  int cores = 1;    ///< of this machine
};

/// Collective. Processes that are bound to the same cores divide them. A process that is bound to cores of its own uses all
/// of its cores.
LocalRanks local_ranks(Communicator& ranks);

}  // namespace whorl
