// The kernels of the CPU backend, in one list.
namespace whorl::backend::cpu {

void register_kernels() {}

}  // namespace whorl::backend::cpu
