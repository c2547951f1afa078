// HDF5 identifiers that close themselves, and HDF5's errors as text instead of output.
#pragma once

#include <hdf5.h>

#include <memory>
#include <string>
#include <utility>

namespace whorl::io {

/// Owns an HDF5 identifier.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }

  hid_t get() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// A transfer that fails where a number does not fit the type in memory: integers out of its range, or with more digits.
/// HDF5 itself takes the nearest number.
class Hdf5ExactTransfer {
 public:
  Hdf5ExactTransfer();

  hid_t get() const { return properties_.get(); }
  /// Whether a number did not fit.
  bool failed() const { return *failed_; }

 private:
  std::unique_ptr<bool> failed_;
  Hdf5Handle properties_;
};

/// While it lives, HDF5 prints nothing and its first error is kept, even if a library on top of HDF5 drops it.
class Hdf5ErrorTrap {
 public:
  Hdf5ErrorTrap();
  ~Hdf5ErrorTrap();
  Hdf5ErrorTrap(const Hdf5ErrorTrap&) = delete;
  Hdf5ErrorTrap& operator=(const Hdf5ErrorTrap&) = delete;

  bool failed() const { return failed_; }
  /// "" or " (HDF5: unable to open file)".
  std::string reason() const;

 private:
  static herr_t record(hid_t stack, void* self);

  H5E_auto2_t previous_ = nullptr;
  void* previous_data_ = nullptr;
  bool failed_ = false;
  std::string message_;
};

}  // namespace whorl::io
