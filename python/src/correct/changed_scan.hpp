// Functions that change a scan return a copy to Python.
#pragma once

#include "run.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::python {

/// A copy of a scan after change(ctx, copy). Scans are on the host.
template <class Change>
Scan changed_scan(const Scan& scan, nb::handle context, const Change& change) {
  return run(context_of(context).host(), [&](const Context& ctx) {
    Scan copy = clone(ctx, scan);
    change(ctx, copy);
    return copy;
  });
}

}  // namespace whorl::python
