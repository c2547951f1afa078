// All headers of whorl::job: from a request to its images, and the server.
#pragma once

#include "whorl/job/corrections.hpp"
#include "whorl/job/file_or.hpp"
#include "whorl/job/lambda_request.hpp"
#include "whorl/job/recon_job.hpp"
#include "whorl/job/record.hpp"
#include "whorl/job/request.hpp"
#include "whorl/serve/replay.hpp"
#include "whorl/serve/server.hpp"
#include "whorl/serve/server_event.hpp"
