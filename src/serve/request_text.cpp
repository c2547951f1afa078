// Requests as JSON or XML, and folders of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "io/bytes/parse_json.hpp"
#include "io/bytes/printable.hpp"
#include "serve/request.hpp"
#include "whorl/core/error.hpp"

namespace whorl::serve {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* expected =
    R"(expected JSON such as {"config": "default", "iterations": 10}, or XML such as <whorl><iterations>10</iterations></whorl>)";

std::string text_of_value(const Json& value, const std::string& name, const std::string& source) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (value.is_number()) return value.dump();
  throw IoError(fmt::format("{}: '{}' is neither a number, a text, true, false nor a list of these", source,
                            io::printable(name)));
}

void take_json(const Json& object, const std::string& source, RequestText& made) {
  for (const auto& [name, value] : object.items()) {
    if (name == "config") {
      made.base = text_of_value(value, name, source);
    } else if (name == "parameters" && value.is_object()) {
      take_json(value, source, made);
    } else if (value.is_array()) {
      std::vector<std::string> parts;
      for (const Json& part : value) parts.push_back(text_of_value(part, name, source));
      made.options.emplace_back(name, fmt::format("{}", fmt::join(parts, ",")));
    } else {
      made.options.emplace_back(name, text_of_value(value, name, source));
    }
  }
}

RequestText parse_json_request(const std::string& text, const std::string& source) {
  RequestText made;
  try {
    const auto object = io::parse_json<Json>(text, source);
    if (!object.is_object()) throw IoError(fmt::format("{}: its JSON is no object; {}", source, expected));
    take_json(object, source, made);
  } catch (const Json::exception&) {
    throw IoError(fmt::format("{}: it is no JSON that can be read; {}", source, expected));
  }
  return made;
}

RequestText parse_xml_request(const std::string& text, const std::string& source) {
  pugi::xml_document document;
  if (!document.load_buffer(text.data(), text.size())) {
    throw IoError(fmt::format("{}: it is neither JSON nor XML that can be read; {}", source, expected));
  }
  const pugi::xml_node root = document.document_element();
  if (std::string_view(root.name()) != "whorl") {
    throw IoError(fmt::format("{}: its XML is a '{}', which is no configuration of whorl; {}", source,
                              io::printable(root.name()), expected));
  }
  RequestText made{root.attribute("config").value(), {}};
  for (const pugi::xml_node& node : root.children()) {
    if (node.type() == pugi::node_element) made.options.emplace_back(node.name(), std::string(node.text().get()));
  }
  return made;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw IoError(fmt::format("{}: can not read it", path.string()));
  return text;
}

bool is_configuration(const std::filesystem::path& path) {
  return path.extension() == ".json" || path.extension() == ".xml";
}

}  // namespace

RequestText parse_request(const std::string& text, const std::string& source) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text[first] == '<' ? parse_xml_request(text, source) : parse_json_request(text, source);
}

Configurations::Configurations(const std::string& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error) throw IoError(fmt::format("'{}': can not list the configurations in it: {}", folder, error.message()));
  for (const std::filesystem::directory_entry& entry : entries) {
    if (is_configuration(entry.path())) {
      by_name_[entry.path().stem().string()] = parse_request(content_of(entry.path()), entry.path().string());
    }
  }
  for (const auto& [name, text] : by_name_) {
    try {
      RequestMaker maker;
      apply(name, maker);
      static_cast<void>(maker.finish());
    } catch (const ValueError& wrong) {
      throw ValueError(fmt::format("'{}': configuration {}: {}", folder, name, wrong.what()));
    }
  }
}

void Configurations::apply(const std::string& name, RequestMaker& maker) const {
  const RequestText& text = find(name);
  if (!text.base.empty()) {
    const RequestText& base = find(text.base);
    if (!base.base.empty()) {
      throw ValueError(
          fmt::format("'{}' is based on '{}', which has a base itself; base it on another one", name, text.base));
    }
    for (const auto& [option, value] : base.options) maker.set(option, value);
  }
  for (const auto& [option, value] : text.options) maker.set(option, value);
}

const RequestText& Configurations::find(const std::string& name) const {
  const std::filesystem::path path(name);
  auto found = by_name_.find(name);
  if (found == by_name_.end() && is_configuration(path)) found = by_name_.find(path.stem().string());
  if (found != by_name_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, text] : by_name_) names.push_back(known);
  throw ValueError(fmt::format("this server has no reconstruction '{}'; it has {}, and takes options as JSON",
                               io::printable(name), fmt::join(names, ", ")));
}

}  // namespace whorl::serve
