#include "studies/peak_flops.hpp"
#include "whorl/core/error.hpp"

namespace whorl::studies {

double peak_work_on_gpu(const Context& /*ctx*/) { throw Unsupported("studies: this build has no kernels for a GPU"); }

}  // namespace whorl::studies
