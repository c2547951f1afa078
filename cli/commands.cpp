// The list of commands, in the order of the help.
#include "cli/command.hpp"

namespace whorl::cli {

std::vector<Command> commands() {
  return {
      recon_command(), info_command(),    convert_command(), compare_command(),    view_command(),  filter_command(),
      traj_command(),  density_command(), phantom_command(), coils_command(),      nufft_command(), dft_command(),
      bench_command(), check_command(),   study_command(),   completion_command(), man_command(),
  };
}

}  // namespace whorl::cli
