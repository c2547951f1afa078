// Headers of other writers: what nothing needs may be missing, empty, in another order or unknown.
#include "io/ismrmrd/header.hpp"

#include <functional>

#include "unit/io/scan_files.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using test::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string experiment =
    "<experimentalConditions><H1resonanceFrequency_Hz>63650000</H1resonanceFrequency_Hz></experimentalConditions>";
const std::string coils =
    "<acquisitionSystemInformation><systemVendor>V</systemVendor><coilLabel><coilNumber>0</coilNumber>"
    "<coilName>C</coilName></coilLabel></acquisitionSystemInformation>";
const std::string measurement =
    "<measurementInformation><patientPosition>HFS</patientPosition><protocolName>P</protocolName>"
    "</measurementInformation>";
const std::string subject = "<subjectInformation><patientName>N</patientName></subjectInformation>";
const std::string waveforms =
    "<waveformInformation><waveformName>ECG</waveformName><waveformType>ecg</waveformType></waveformInformation>";
const std::string sequence = "<sequenceParameters><TR>5</TR><TE>1</TE></sequenceParameters>";
const std::string limits =
    "<encodingLimits><kspace_encoding_step_1><minimum>0</minimum><maximum>11</maximum><center>5</center>"
    "</kspace_encoding_step_1></encodingLimits>";
const std::string description =
    "<trajectoryDescription><identifier>I</identifier><userParameterLong><name>a</name><value>1</value>"
    "</userParameterLong></trajectoryDescription>";
const std::string kind = "<trajectory>radial</trajectory>";

std::string space(const std::string& name, const std::string& x = "16") {
  return "<" + name + "><matrixSize><x>" + x + "</x><y>12</y><z>1</z></matrixSize><fieldOfView_mm><x>32</x><y>24</y>" +
         "<z>2</z></fieldOfView_mm></" + name + ">";
}

const std::string spaces = space("encodedSpace") + space("reconSpace");

std::string header_of(const std::string& parts) {
  return R"(<?xml version="1.0" encoding="utf-8"?><ismrmrdHeader xmlns="http://www.ismrm.org/ISMRMRD">)" + parts +
         "</ismrmrdHeader>";
}

std::string encoding_of(const std::string& parts) { return "<encoding>" + parts + "</encoding>"; }

const std::string encoding = encoding_of(spaces + limits + kind + description);

const std::string complete = header_of(subject + measurement + coils + experiment + encoding + sequence + waveforms);

std::string with(const std::string& old, const std::string& now) {
  std::string text = complete;
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + now.size())) {
    text.replace(at, old.size(), now);
  }
  EXPECT_NE(text, complete) << old;
  return text;
}

/// Under another prefix.
std::string prefixed() {
  std::string text = complete;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    if (text[at + 1] != '?') text.insert(at + (text[at + 1] == '/' ? 2 : 1), "ns0:");
  }
  return text.replace(text.find("xmlns="), 6, "xmlns:ns0=");
}

TEST(IsmrmrdHeader, IsReadWithoutWhatNothingNeeds) {
  const std::vector<std::pair<const char*, std::string>> variants{
      {"complete", complete},
      {"no subject", with(subject, "")},
      {"no measurement", with(measurement, "")},
      {"no patient position", with("<patientPosition>HFS</patientPosition>", "")},
      {"empty patient position", with("HFS", "")},
      {"empty position, closed", with("<patientPosition>HFS</patientPosition>", "<patientPosition/>")},
      {"unknown patient position", with("HFS", "upright")},
      {"empty measurement", with(measurement, "<measurementInformation/>")},
      {"no waveforms", with(waveforms, "")},
      {"empty waveforms", with(waveforms, "<waveformInformation/>")},
      {"empty waveform name", with("ECG", "")},
      {"no waveform name", with("<waveformName>ECG</waveformName>", "")},
      {"unknown waveform type", with("<waveformType>ecg</waveformType>", "<waveformType>sound</waveformType>")},
      {"no system", with(coils, "")},
      {"empty system", with(coils, "<acquisitionSystemInformation/>")},
      {"empty coil name", with("<coilName>C</coilName>", "<coilName></coilName>")},
      {"no coil name", with("<coilName>C</coilName>", "")},
      {"no coil number", with("<coilNumber>0</coilNumber>", "")},
      {"no description", with(description, "")},
      {"empty description", with(description, "<trajectoryDescription/>")},
      {"description without identifier", with("<identifier>I</identifier>", "")},
      {"description with an empty value", with("<value>1</value>", "<value/>")},
      {"no conditions", with(experiment, "")},
      {"empty conditions", with(experiment, "<experimentalConditions/>")},
      {"empty frequency", with("63650000", "")},
      {"frequency with a fraction", with("63650000", "63650000.5")},
      {"no sequence", with(sequence, "")},
      {"empty times", with("<TR>5</TR><TE>1</TE>", "<TR/><TE/>")},
      {"no limits", with(limits, "")},
      {"empty limits", with(limits, "<encodingLimits/>")},
      {"limits without a center", with("<center>5</center>", "")},
      {"limits below zero that nothing reads",
       with("<encodingLimits>", "<encodingLimits><average><minimum>0</minimum><maximum>-1</maximum></average>")},
      {"no recon space", with(space("reconSpace"), "")},
      {"no encoded space", with(space("encodedSpace"), "")},
      {"empty recon space", with(space("reconSpace"), "<reconSpace/>")},
      {"recon space without x", with(space("reconSpace"), space("reconSpace", ""))},
      {"encoded space without x", with(space("encodedSpace"), space("encodedSpace", ""))},
      {"a limit that is no number", with("<center>5</center>", "<center>five</center>")},
      {"no z", with("<z>1</z>", "")},
      {"z = 0", with("<z>1</z>", "<z>0</z>")},
      {"counts as real numbers", with("<x>16</x>", "<x> 16.0\n</x>")},
      {"count in CDATA", with("<x>16</x>", "<x><!-- pixels --><![CDATA[16]]></x>")},
      {"other order", header_of(waveforms + sequence +
                                encoding_of(description + kind + limits + space("reconSpace") + space("encodedSpace")) +
                                experiment + coils + measurement + subject)},
      {"prefixes", prefixed()},
      {"unknown elements", with("<encoding>", "<vendor><a b='c'>1</a></vendor><encoding><extra/>")},
      {"comments", with("<encoding>", "<!-- <encoding><trajectory>spiral</trajectory></encoding> --><encoding>")},
      {"byte order mark", "\xEF\xBB\xBF" + complete},
      {"no declaration", complete.substr(complete.find("?>") + 2)},
      {"names in UTF-8", with("<patientName>N</patientName>", "<patientName>J\xC3\xB6rg \xE6\xBC\xA2</patientName>")},
      {"names in another encoding", with("<patientName>N</patientName>", "<patientName>J\xF6rg</patientName>")},
      {"unescaped ampersand", with("<protocolName>P</protocolName>", "<protocolName>T1 & T2</protocolName>")},
      {"document type", with("<ismrmrdHeader", "<!DOCTYPE ismrmrdHeader><ismrmrdHeader")},
      {"kind in capitals", with("radial", " Radial\n")},
  };
  for (const auto& [name, text] : variants) {
    io::EncodingHeader header;
    ASSERT_NO_THROW(header = io::parse_header(text, 0, "a.h5")) << name;
    EXPECT_NO_THROW(io::parse_facts(text, "a.h5")) << name;
    EXPECT_EQ(header.matrix, (std::array<Index, 3>{16, 12, 1})) << name;
    EXPECT_EQ(header.encoded.matrix, header.matrix) << name;
    EXPECT_EQ(header.field_of_view_mm, (std::array<double, 3>{32, 24, 2})) << name;
    EXPECT_EQ(header.trajectory_kind, "radial") << name;
    if (header.center_1) {
      EXPECT_EQ(header.center_1, 5) << name;
    }
  }
}

TEST(IsmrmrdHeader, AKindThatIsNoneIsOther) {
  for (const auto& [now, said] :
       {std::pair{"", ""}, std::pair{"<trajectory/>", ""}, std::pair{"<trajectory>custom</trajectory>", "is custom"},
        std::pair{"<trajectory> Rosette </trajectory>", "is Rosette"}}) {
    const io::EncodingHeader header = io::parse_header(with(kind, now), 0, "a.h5");
    EXPECT_EQ(header.trajectory_kind, "other") << now;
    ASSERT_EQ(header.notes.size(), *said == '\0' ? 0U : 1U) << now;
    EXPECT_THAT(header.notes.empty() ? std::string() : std::string(header.notes[0]), HasSubstr(said));
  }
}

TEST(IsmrmrdHeader, NamesTheElementThatIsNeeded) {
  const auto refusal = [](const std::string& text) {
    return message_of<IoError>([&] { io::parse_header(text, 0, "a.h5"); });
  };
  EXPECT_THAT(refusal(with(spaces, "")), AllOf(HasSubstr("a.h5"), HasSubstr("no encodedSpace.matrixSize.x")));
  EXPECT_THAT(refusal(with("<y>12</y>", "<y/>")), HasSubstr("no encodedSpace.matrixSize.y"));
  EXPECT_THAT(refusal(with(space("reconSpace"), space("reconSpace", "many"))),
              HasSubstr("reconSpace.matrixSize.x is many"));
  EXPECT_THAT(refusal(header_of(experiment)), HasSubstr("no encoding"));
  EXPECT_THAT(refusal("<html/>"), HasSubstr("its root is html, expected ismrmrdHeader"));
  EXPECT_THAT(refusal(complete.substr(0, complete.size() / 2)), HasSubstr("its xml is not an ISMRMRD header"));
  EXPECT_THAT(refusal(""), HasSubstr("its xml is not an ISMRMRD header"));
}

}  // namespace
}  // namespace whorl
