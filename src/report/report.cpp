#include "whorl/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/html.hpp"
#include "report/page_parts.hpp"
#include "report/record_sections.hpp"
#include "report/scan_sections.hpp"
#include "report/views.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/plot/display_part.hpp"
#include "whorl/plot/overview.hpp"

namespace whorl {

namespace {

namespace fs = std::filesystem;
using report::Json;

// Shares of the page's 5 MB: 16 bits a pixel, and 4 letters for 3 bytes.
constexpr Index image_pixels = 800000;
constexpr Index further_pixels = 100000;
constexpr std::size_t most_further = 6;

// Volumes [frame, z, y, x] of any array; complex ones by their magnitude.
Array<float> volumes_of(const Context& ctx, const NamedArray& array) {
  Array<float> values =
      display_part(ctx, array.values, is_complex(array.values) ? DisplayPart::magnitude : DisplayPart::real);
  if (values.rank() < 2 || values.size() == 0) {
    throw ShapeError(fmt::format("an array of shape {} is no image", to_string(values.shape())));
  }
  const Index depth = values.rank() > 2 ? values.extent(-3) : 1;
  const Index rows = values.extent(-2);
  const Index columns = values.extent(-1);
  const Index frames = values.size() / (depth * rows * columns);
  values.reshape({frames, depth, rows, columns});
  return values;
}

// The view of a file, or a sentence on why there is none.
std::string view_of_file(const Context& ctx, const ReportFile& file, Index most_pixels, const std::string& unit,
                         report::Views& views) {
  try {
    const NamedArray array = read_array(ctx, file.path.string());
    return views.add(ctx, volumes_of(ctx, array),
                     {.title = file.title,
                      .unit = unit,
                      .is_map = file.is_map,
                      .along = file.along,
                      .edges = voxel_edges(array),
                      .most_pixels = most_pixels});
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    return report::paragraph(fmt::format("{}: not shown ({}).", file.title, error.what()));
  }
}

std::string image_section(const Context& ctx, const fs::path& image, const Json& record, report::Views& views) {
  const std::string quantity = io::text_of(record, "quantity");
  std::string markup = view_of_file(
      ctx,
      {.title = quantity.empty() ? image.filename().string() : quantity, .path = image, .is_map = !quantity.empty()},
      image_pixels, "", views);
  markup += report::paragraph(
      "Window and level: drag the image sideways and up or down, use the sliders, or the arrow keys on the image. Home "
      "resets. Page up and down change the frame, the space bar plays.");
  return report::section("image", "Image", markup);
}

std::string further_section(const Context& ctx, const ReportSources& sources, report::Views& views) {
  std::string markup;
  for (std::size_t i = 0; i < std::min(sources.files.size(), most_further); ++i) {
    markup += view_of_file(ctx, sources.files[i], further_pixels, "", views);
  }
  if (!markup.empty()) markup = "<div class=\"pair\">" + markup + "</div>\n";
  if (sources.files.size() > most_further) {
    markup += report::paragraph(fmt::format("{} more files are not shown.", sources.files.size() - most_further));
  }
  if (!sources.not_kept.empty()) markup += report::list(sources.not_kept);
  return markup.empty() ? markup : report::section("further", "Error bars, coil maps and other results", markup);
}

// Sampling and findings, or why there are none.
std::string scan_sections(const Context& ctx, const ReportSources& sources, report::Views& views) {
  if (!sources.read_scan) return {};
  try {
    const Scan scan = sources.read_scan(ctx);
    return report::sampling_section(ctx, scan, views) + report::findings_section(ctx, scan);
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    return report::section("sampling", "Sampling",
                           report::paragraph(fmt::format("The scan is not shown: {}.", error.what())));
  }
}

// Links to the sections, by their headings.
std::string navigation(const std::string& sections) {
  std::string links;
  constexpr std::string_view mark = "<h2 id=\"";
  for (std::size_t at = sections.find(mark); at != std::string::npos; at = sections.find(mark, at + 1)) {
    const std::size_t id = at + mark.size();
    const std::size_t quote = sections.find('"', id);
    const std::size_t end = sections.find("</h2>", quote);
    links += fmt::format("<li><a href=\"#{}\">{}</a></li>", sections.substr(id, quote - id),
                         sections.substr(quote + 2, end - quote - 2));
  }
  return "<nav aria-label=\"Sections\"><ul>" + links + "</ul></nav>\n";
}

}  // namespace

std::string report_page(const Context& ctx, const fs::path& path, const ReportSources& sources) {
  const Json record = io::read_record(path);
  fs::path image = path;
  image.replace_extension();
  report::Views views;
  std::string sections = image_section(ctx, image, record, views);
  sections += report::notes_section(record);
  sections += further_section(ctx, sources, views);
  sections += scan_sections(ctx, sources, views);
  sections += report::convergence_section(record);
  sections += report::lambda_section(record);
  sections += report::cost_section(record);
  sections += report::facts_section(record);

  const std::string title = report::escaped(io::text_of(record, "record_of"));
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{} - whorl report</title>\n"
      "<link rel=\"icon\" href=\"data:,\">\n<style>",
      title);
  page += report::page_style();
  page += fmt::format("</style>\n</head>\n<body>\n<header><h1>{}</h1>\n<p class=\"quiet\">whorl {}, {}</p>\n", title,
                      report::escaped(io::text_of(record, "version")), report::escaped(io::text_of(record, "date")));
  page += navigation(sections) + "</header>\n<main>\n" + sections + "</main>\n";
  page += views.data();
  page += "<script>";
  page += report::page_script();
  return page + "</script>\n</body>\n</html>\n";
}

}  // namespace whorl
