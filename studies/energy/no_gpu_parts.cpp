#include "studies/energy/part.hpp"
#include "whorl/core/error.hpp"

namespace whorl::studies::energy {

namespace {

[[noreturn]] void refuse() { throw Unsupported("energy: this build has no kernels for a GPU"); }

}  // namespace

int multiprocessors_of(const Context& /*ctx*/) { refuse(); }
Part part_of_gpu(const Context& /*ctx*/, int /*multiprocessors*/) { refuse(); }
SeenMultiprocessors multiprocessors_seen(const Context& /*ctx*/) { refuse(); }

}  // namespace whorl::studies::energy
