// whorl coils: the group of what is about receive coils.
#include "cli/coils/coils.hpp"

namespace whorl::cli {

Command coils_command() {
  return {"coils",
          "Receive coils: estimate and show sensitivity maps, compress many coils to few",
          "Each explains itself: whorl coils estimate --help",
          {},
          {coils_estimate_command(), on_cpu_alone(coils_show_command()), on_cpu_alone(coils_compress_command())}};
}

}  // namespace whorl::cli
