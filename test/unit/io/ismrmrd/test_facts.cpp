// What an ISMRMRD header says of the measurement.
#include <gtest/gtest.h>

#include "io/ismrmrd/header.hpp"
#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/measurement_facts.hpp"

namespace whorl {
namespace {

std::string header_with(const std::string& parts) {
  const std::string space =
      "<matrixSize><x>8</x><y>8</y><z>1</z></matrixSize><fieldOfView_mm><x>8</x><y>8</y><z>1</z></fieldOfView_mm>";
  return "<?xml version=\"1.0\"?><ismrmrdHeader xmlns=\"http://www.ismrm.org/ISMRMRD\">" + parts +
         "<encoding><encodedSpace>" + space + "</encodedSpace><reconSpace>" + space +
         "</reconSpace><encodingLimits></encodingLimits><trajectory>radial</trajectory></encoding></ismrmrdHeader>";
}

const std::string conditions =
    "<experimentalConditions><H1resonanceFrequency_Hz>63650000</H1resonanceFrequency_Hz></experimentalConditions>";

TEST(MeasurementFacts, AreThoseOfTheHeader) {
  const MeasurementFacts facts = io::parse_facts(
      header_with(
          "<measurementInformation><patientPosition>FFS</patientPosition><protocolName>knee</protocolName>"
          "</measurementInformation><acquisitionSystemInformation><systemVendor>V</systemVendor>"
          "<systemModel>M</systemModel><systemFieldStrength_T>1.494</systemFieldStrength_T><institutionName>I"
          "</institutionName></acquisitionSystemInformation>" +
          conditions +
          "<sequenceParameters><TR>8.1</TR><TE>1.7</TE><TE>3.4</TE><TI>100</TI><flipAngle_deg>12</flipAngle_deg>"
          "<sequence_type>GRE</sequence_type></sequenceParameters>"),
      "a.h5");
  EXPECT_EQ(facts.manufacturer, "V");
  EXPECT_EQ(facts.model, "M");
  EXPECT_EQ(facts.institution, "I");
  EXPECT_EQ(facts.protocol, "knee");
  EXPECT_EQ(facts.patient_position, "FFS");
  EXPECT_EQ(facts.sequence, "GRE");
  EXPECT_EQ(facts.field_strength_t, 1.494);
  EXPECT_EQ(facts.resonance_hz, 63650000);
  EXPECT_EQ(facts.repetition_times_ms, std::vector<double>{8.1});
  EXPECT_EQ(facts.echo_times_ms, (std::vector<double>{1.7, 3.4}));
  EXPECT_EQ(facts.inversion_times_ms, std::vector<double>{100});
  EXPECT_EQ(facts.flip_angles_degrees, std::vector<double>{12});
}

TEST(MeasurementFacts, NumbersThatAreNoneAreLeftOut) {
  const MeasurementFacts facts = io::parse_facts(
      header_with(conditions + "<sequenceParameters><TR>0</TR><TE>1.7</TE><TE>-1</TE></sequenceParameters>"), "a.h5");
  EXPECT_TRUE(facts.repetition_times_ms.empty());
  EXPECT_TRUE(facts.echo_times_ms.empty());
  EXPECT_TRUE(facts.manufacturer.empty());
  EXPECT_THROW(io::parse_facts("<html/>", "a.h5"), IoError);
}

// Converters write seconds and microseconds too; no sequence has echo times of 0.0045 or 4500 ms.
TEST(MeasurementFacts, EchoTimesOfOtherUnitsAreMilliseconds) {
  for (const char* text : {"<TE>0.0015</TE><TE>0.0045</TE>", "<TE>1500</TE><TE>4500</TE>"}) {
    const std::string header =
        header_with(conditions + std::string("<sequenceParameters>") + text + "</sequenceParameters>");
    const std::vector<double> found = io::parse_facts(header, "a.h5").echo_times_ms;
    ASSERT_EQ(found.size(), 2U);
    EXPECT_DOUBLE_EQ(found[0], 1.5);
    EXPECT_DOUBLE_EQ(found[1], 4.5);
    EXPECT_EQ(io::parse_header(header, 0, "a.h5").notes.size(), 1U);
  }
}

TEST(MeasurementFacts, OtherFilesHaveNone) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "a.pgm", "P2 1 1 255 7\n");
  EXPECT_TRUE(read_measurement_facts(folder / "a.pgm").echo_times_ms.empty());
}

}  // namespace
}  // namespace whorl
