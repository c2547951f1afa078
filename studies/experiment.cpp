// The program has the studies without kernels for a GPU; the module that it loads for one has them again, with these.
#include "studies/experiment.hpp"

#include <algorithm>

namespace whorl {

namespace studies {

namespace {

std::unique_ptr<Experiment> make(DeviceKind /*kind*/, const std::string& name) {
  const std::vector<Study> all = all_studies();
  return std::find_if(all.begin(), all.end(), [&](const Study& study) { return study.name == name; })->make();
}

}  // namespace

std::unique_ptr<Experiment> for_device(DeviceKind kind, const std::string& name, const BoundOptions& options) {
  std::unique_ptr<Experiment> experiment = kernels::make_experiment(kind, name);
  const BoundOptions own = experiment->options();
  for (std::size_t i = 0; i < own.table->bindings().size(); ++i) {
    const OptionBinding& binding = own.table->bindings()[i];
    binding.set(own.values, options.table->get_value(options.values, i));
  }
  return experiment;
}

}  // namespace studies

namespace backend::cpu {

void register_experiments();
void register_experiments() { kernels::make_experiment.set(DeviceKind::cpu, studies::make); }

}  // namespace backend::cpu

namespace backend::cuda {

void register_experiments();
void register_experiments() { kernels::make_experiment.set(DeviceKind::cuda, studies::make); }

}  // namespace backend::cuda

}  // namespace whorl
