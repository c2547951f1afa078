// The list of commands, in the order of the help.
#include "cli/command.hpp"

namespace whorl::cli {

Command on_cpu_alone(Command command) {
  command.has_gpu_work = false;
  for (Command& below : command.subcommands) below = on_cpu_alone(below);
  return command;
}

Command for_ranks(Command command) {
  command.has_rank_work = true;
  return command;
}

std::vector<Command> commands() {
  return {
      for_ranks(recon_command()),
      info_command(),
      on_cpu_alone(doctor_command()),
      on_cpu_alone(convert_command()),
      on_cpu_alone(compare_command()),
      on_cpu_alone(view_command()),
      on_cpu_alone(report_command()),
      rerun_command(),
      on_cpu_alone(roi_command()),
      on_cpu_alone(stack_command()),
      filter_command(),
      on_cpu_alone(traj_command()),
      plan_command(),
      on_cpu_alone(density_command()),
      on_cpu_alone(phantom_command()),
      coils_command(),
      nufft_command(),
      dft_command(),
      map_command(),
      fieldmap_command(),
      serve_command(),
      on_cpu_alone(replay_command()),
      stream_command(),
      bench_command(),
      check_command(),
      study_command(),
      on_cpu_alone(completion_command()),
      on_cpu_alone(man_command()),
  };
}

}  // namespace whorl::cli
