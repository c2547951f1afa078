// A call of Python as a request of the library, which the program makes of its words.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "options.hpp"
#include "whorl/job/recon_job.hpp"

namespace whorl::python {

/// Whether a value is the path of a file.
bool is_file(nb::handle value);

/// All options of a request, as keywords.
const OptionsOf& request_options();

/// The scans of a request: the first, and those that are solved with it.
struct RequestScans {
  nb::handle scan;
  std::vector<nb::handle> joint{};
};

/// The request of scans (a Scan or a path each) and keywords, settled. What a file of the program holds may be an array or an
/// object. Takes the keywords that it knows. Throws ValueError, TypeError, ShapeError, nb::next_overload (a keyword of none).
ReconRequest request_from(const Context& host, const RequestScans& scans, nb::dict& keywords);

/// The resources of a request: its context. `call` is the record's command.
JobResources resources_of(const Context& ctx, std::string call);

}  // namespace whorl::python
