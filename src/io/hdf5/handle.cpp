#include "io/hdf5/handle.hpp"

namespace whorl::io {

namespace {

// Walked upward the first entry is where the error arose.
herr_t take_first(unsigned position, const H5E_error2_t* error, void* text) {
  if (position == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

H5T_conv_ret_t refuse_inexact(H5T_conv_except_t kind, hid_t /*from*/, hid_t /*to*/, void* /*source*/, void* /*target*/,
                              void* failed) {
  if (kind != H5T_CONV_EXCEPT_RANGE_HI && kind != H5T_CONV_EXCEPT_RANGE_LOW && kind != H5T_CONV_EXCEPT_PRECISION) {
    return H5T_CONV_UNHANDLED;
  }
  *static_cast<bool*>(failed) = true;
  return H5T_CONV_ABORT;
}

}  // namespace

Hdf5ExactTransfer::Hdf5ExactTransfer()
    : failed_(std::make_unique<bool>(false)), properties_(H5Pcreate(H5P_DATASET_XFER), &H5Pclose) {
  H5Pset_type_conv_cb(properties_.get(), &refuse_inexact, failed_.get());
}

Hdf5ErrorTrap::Hdf5ErrorTrap() {
  H5Eget_auto2(H5E_DEFAULT, &previous_, &previous_data_);
  H5Eset_auto2(H5E_DEFAULT, &Hdf5ErrorTrap::record, this);
}

Hdf5ErrorTrap::~Hdf5ErrorTrap() { H5Eset_auto2(H5E_DEFAULT, previous_, previous_data_); }

herr_t Hdf5ErrorTrap::record(hid_t stack, void* self) {
  auto* trap = static_cast<Hdf5ErrorTrap*>(self);
  if (!trap->failed_) H5Ewalk2(stack, H5E_WALK_UPWARD, &take_first, &trap->message_);
  trap->failed_ = true;
  return 0;
}

std::string Hdf5ErrorTrap::reason() const { return message_.empty() ? "" : " (HDF5: " + message_ + ")"; }

}  // namespace whorl::io
