// Errors. Every failure of the library is an exception derived from whorl::Error; the library never prints, exits or
// aborts. A message names the operation, the axis or the file, what was expected, what was found, and what to do.
#pragma once

#include <stdexcept>
#include <string>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// Base of all errors that whorl throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The extents of an argument do not fit the operation.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// An argument has a value that the operation does not accept (a non-finite sample, |k| > 0.5, a negative weight).
class ValueError : public Error {
 public:
  using Error::Error;
};

/// A file cannot be read or written, or its content violates its format.
class IoError : public Error {
 public:
  using Error::Error;
};

/// A device is missing, failed, or holds memory that the caller tried to use from another device.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// The operation is valid but this build, device or format does not offer it.
class Unsupported : public Error {
 public:
  using Error::Error;
};

/// The caller asked for the work to stop (Context::request_cancel, Ctrl-C on the command line).
class Cancelled : public Error {
 public:
  using Error::Error;
};

}  // namespace whorl
