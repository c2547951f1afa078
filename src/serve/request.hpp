// What a client asks for: a reconstruction by name, and options by the names that they have on the command line.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/internal.hpp"
#include "whorl/core/options.hpp"
#include "whorl/job/request.hpp"

namespace whorl::serve {

/// What is sent of an image.
enum class ImageOutput { magnitude, complex };

struct SendOptions {
  ImageOutput output = ImageOutput::magnitude;
  /// Readouts of a slice that coil maps and noise are estimated from, where frames are sent while data arrive; 0: those of a frame,
  /// and at least as many spokes as sample the calibration region.
  Index calibration_readouts = 0;
  /// Frames that are solved together where terms couple them: a frame is sent with those before it, as soon as it is full.
  /// 0: all frames of the measurement, at its end.
  Index frames_together = 0;
};

/// A request as it is worked on: a job of the library without its scan.
struct Request {
  ReconRequest job;
  SendOptions send;
};

/// Options by name, as a client wrote them.
struct RequestText {
  std::string base;  ///< the name of a reconstruction that the server has; empty: none is named
  std::vector<std::pair<std::string, OptionValue>> options;
};

/// Reads JSON or XML:
///
///   {"config": "realtime", "iterations": 10}             with the options also in an object "parameters"
///   <whorl config="realtime"><iterations>10</iterations></whorl>
///
/// Throws  IoError (neither, or values that are no numbers, texts, yes or no, or lists of these), naming `source`
RequestText parse_request(const std::string& text, const std::string& source);

/// Puts a request together. The options of the command line are taken but for those that name files and folders: nothing that
/// a client names is opened.
class RequestMaker {
 public:
  static bool is_option(const std::string& name);
  /// Throws ValueError (no option has the name, one that a client may not set, a value that it does not take).
  void set(const std::string& name, const OptionValue& value);
  /// The request, settled. Throws ValueError for an option that has no effect beside the others, and as settle.
  Request finish() const;

 private:
  Request request_;
  std::vector<std::string> given_;
};

/// Reconstructions by name. "default" is `whorl recon` without options, unless it is given.
class Configurations {
 public:
  Configurations() = default;
  /// Every NAME.json and NAME.xml of a folder. Throws IoError, ValueError for one that can not be used.
  explicit Configurations(const std::string& folder);

  /// Sets the options of a reconstruction, named also with the ending of its file. Throws ValueError, listing the names.
  void apply(const std::string& name, RequestMaker& maker) const;

 private:
  const RequestText& find(const std::string& name) const;

  std::map<std::string, RequestText> by_name_{{"default", {}}};
};

}  // namespace whorl::serve
