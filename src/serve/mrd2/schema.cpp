#include "serve/mrd2/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/bytes/parse_json.hpp"
#include "io/bytes/printable.hpp"
#include "whorl/core/error.hpp"

namespace whorl::serve::mrd2 {

namespace {

using Json = nlohmann::ordered_json;

// Beyond those of any protocol: MRD has about a hundred types, ten deep.
constexpr std::size_t most_types = 4096;
constexpr int most_levels = 48;

[[noreturn]] void refuse(const std::string& what) {
  throw IoError(fmt::format("the schema of the stream: {}; expected that of MRD v2", what));
}

std::optional<Type> primitive(const std::string& name) {
  static const std::map<std::string, Type> all{{"bool", {Kind::boolean, 8}},
                                               {"int8", {Kind::integer, 8}},
                                               {"uint8", {Kind::natural, 8}},
                                               {"int16", {Kind::integer, 16}},
                                               {"uint16", {Kind::natural, 16}},
                                               {"int32", {Kind::integer, 32}},
                                               {"uint32", {Kind::natural, 32}},
                                               {"int64", {Kind::integer, 64}},
                                               {"uint64", {Kind::natural, 64}},
                                               {"size", {Kind::natural, 64}},
                                               {"float32", {Kind::real, 32}},
                                               {"float64", {Kind::real, 64}},
                                               {"date", {Kind::integer, 64}},
                                               {"time", {Kind::integer, 64}},
                                               {"datetime", {Kind::integer, 64}},
                                               {"string", {Kind::text}},
                                               {"complexfloat32", {Kind::complex, 32}},
                                               {"complexfloat64", {Kind::complex, 64}}};
  const auto found = all.find(name);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

// Without the name of the model before the point.
std::string plain_name(const std::string& name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

std::size_t Type::plain_size() const {
  if (kind == Kind::real) return static_cast<std::size_t>(bits / 8);
  if (kind == Kind::complex) return static_cast<std::size_t>(bits / 4);
  const bool is_byte = kind == Kind::boolean || ((kind == Kind::integer || kind == Kind::natural) && bits == 8);
  return is_byte ? 1 : 0;
}

// Resolves names, and the parameters of types that have some.
class SchemaReader {
 public:
  explicit SchemaReader(Schema& schema) : schema_(schema) {}

  void read(const Json& root) {
    for (const Json& type : root.value("types", Json::array())) by_name_.emplace(type.at("name"), type);
    const Json& protocol = root.at("protocol");
    schema_.protocol_ = protocol.at("name");
    for (const Json& step : protocol.at("sequence")) {
      schema_.steps_.push_back({step.at("name"), resolve(step.at("type"), {}, 0)});
    }
  }

 private:
  using Arguments = std::map<std::string, const Type*>;

  const Type* add(Type type) {
    if (schema_.types_->size() >= most_types) refuse(fmt::format("it has more than {} types", most_types));
    return &schema_.types_->emplace_back(std::move(type));
  }

  const Type* resolve(const Json& what, const Arguments& arguments, int level) {
    if (level > most_levels) refuse("a type contains itself, or lies too deep in others");
    if (what.is_string()) return named(what.get<std::string>(), {}, arguments, level);
    if (what.is_array()) return choice(what, arguments, level);
    if (!what.is_object()) refuse("a type is neither a name, a list nor an object");
    const auto one = [&](const Json& of, const char* name) { return resolve(of.at(name), arguments, level + 1); };
    if (what.contains("name")) {
      std::vector<const Type*> given;
      for (const Json& argument : what.value("typeArguments", Json::array())) {
        given.push_back(resolve(argument, arguments, level + 1));
      }
      return named(what["name"], given, arguments, level);
    }
    if (what.contains("stream")) return add({.kind = Kind::stream, .item = one(what["stream"], "items")});
    if (what.contains("map")) {
      return add({.kind = Kind::map, .item = one(what["map"], "values"), .key = one(what["map"], "keys")});
    }
    if (what.contains("vector")) {
      Type made{.kind = Kind::vector, .item = one(what["vector"], "items")};
      made.has_length = what["vector"].contains("length");
      if (made.has_length) made.extents = {what["vector"]["length"].get<std::uint64_t>()};
      return add(std::move(made));
    }
    if (what.contains("array")) return array(what["array"], one(what["array"], "items"));
    refuse("a type is neither a vector, an array, a map nor a stream");
  }

  const Type* array(const Json& what, const Type* item) {
    Type made{.kind = Kind::array, .item = item};
    if (!what.contains("dimensions")) return add(std::move(made));
    const Json& axes = what["dimensions"];
    made.axes = axes.is_number() ? axes.get<int>() : static_cast<int>(axes.size());
    if (made.axes < 0 || made.axes > most_levels) refuse(fmt::format("an array has {} axes", made.axes));
    const auto has_length = [](const Json& axis) { return axis.is_object() && axis.contains("length"); };
    made.has_length = axes.is_array() && std::all_of(axes.begin(), axes.end(), has_length);
    if (!made.has_length) return add(std::move(made));
    for (const Json& axis : axes) made.extents.push_back(axis["length"].get<std::uint64_t>());
    return add(std::move(made));
  }

  // Alternatives have tags; nothing, and one alone beside it, have none.
  const Type* choice(const Json& what, const Arguments& arguments, int level) {
    Type made{.kind = Kind::choice};
    for (const Json& one : what) {
      if (one.is_null()) {
        if (!made.members.empty()) refuse("null is not the first of several types");
        made.members.emplace_back();
        continue;
      }
      const bool has_tag = one.is_object() && one.contains("tag");
      Member member{has_tag ? one["tag"].get<std::string>() : std::string(),
                    resolve(has_tag ? one.at("type") : one, arguments, level + 1)};
      // 2.1.1 writes "Acquisition", 2.2.1 "acquisition".
      if (!member.name.empty())
        member.name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(member.name[0])));
      made.members.push_back(std::move(member));
    }
    if (made.members.empty() || made.members.size() > 127) refuse("a choice has no types, or more than 127");
    return add(std::move(made));
  }

  const Type* named(const std::string& full, const std::vector<const Type*>& given, const Arguments& arguments,
                    int level) {
    const std::string name = plain_name(full);
    if (const auto found = arguments.find(name); found != arguments.end()) return found->second;
    if (const auto known = known_.find({name, given}); known != known_.end()) return known->second;
    const std::optional<Type> simple = primitive(name);
    const Type* made = simple ? add(*simple) : defined(name, given, level);
    known_.emplace(std::pair(name, given), made);
    return made;
  }

  const Type* defined(const std::string& name, const std::vector<const Type*>& given, int level) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) refuse(fmt::format("it has no type '{}', which others name", io::printable(name)));
    const Json& what = found->second;
    Arguments arguments;
    const Json parameters = what.value("typeParameters", Json::array());
    if (parameters.size() != given.size())
      refuse(fmt::format("'{}' is used with other parameters", io::printable(name)));
    for (std::size_t i = 0; i < given.size(); ++i) arguments[parameters[i]] = given[i];
    if (what.contains("type")) return resolve(what["type"], arguments, level + 1);
    if (what.contains("values")) {
      Type made{.kind = Kind::enumeration, .name = name};
      made.item = resolve(what.value("base", Json("int32")), arguments, level + 1);
      if (made.item->kind != Kind::integer && made.item->kind != Kind::natural)
        refuse("words that stand for no integers");
      for (const Json& word : what["values"]) made.words.emplace_back(word.at("symbol"), word.at("value"));
      return add(std::move(made));
    }
    Type made{.kind = Kind::record, .name = name};
    for (const Json& field : what.at("fields")) {
      made.members.push_back({field.at("name"), resolve(field.at("type"), arguments, level + 1)});
    }
    return add(std::move(made));
  }

  Schema& schema_;
  std::map<std::string, Json> by_name_;
  std::map<std::pair<std::string, std::vector<const Type*>>, const Type*> known_;
};

Schema::Schema(std::string text) : text_(std::move(text)) {
  try {
    SchemaReader(*this).read(io::parse_json<Json>(text_, "the schema of the stream"));
  } catch (const Json::exception&) {
    refuse("it is no JSON of yardl");
  }
}

}  // namespace whorl::serve::mrd2
