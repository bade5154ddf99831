// The explanation for programs.
#include <nlohmann/json.hpp>

#include "backend/driver/explain/explanation.hpp"

namespace dvm::driver {

namespace {

using Json = nlohmann::ordered_json;

// A number where it is one, else a formula.
Json amount(const Size& size, const Names& names) {
  if (const auto number = names.settled(size).constant()) return *number;
  return names.text(size);
}

Json amounts(const Amounts& all, const Names& names) {
  return {{"arrays", all.arrays},
          {"bytesStored", amount(all.stored, names)},
          {"passes", amount(all.passes, names)},
          {"bytesRead", amount(all.read, names)},
          {"arraysInCache", all.rows},
          {"bytesInCache", amount(all.row_bytes, names)},
          {"operations", amount(all.operations, names)}};
}

Json place(const Place& at, const SourceMap& sources) {
  if (!at.valid()) return nullptr;
  return {{"file", sources.file(at.file).path}, {"line", at.line}};
}

Json story(const Story& told, const SourceMap& sources) {
  Json callers = Json::array();
  for (const Place& caller : told.callers) callers.push_back(place(caller, sources));
  return {{"name", told.name},
          {"type", told.type},
          {"operation", told.operation},
          {"within", told.within},
          {"callers", std::move(callers)},
          {"inKernel", told.is_row},
          {"fate", word_of(told.fate)},
          {"verdict", told.verdict},
          {"reason", told.reason},
          {"other", place(told.other, sources)},
          {"notes", told.notes}};
}

}  // namespace

std::string explain_as_json(const Explanation& explanation, const SourceMap& sources) {
  const Names& names = explanation.names;
  Json lines = Json::array();
  for (const LineStory& line : explanation.lines) {
    Json stories = Json::array();
    for (const Story& told : line.stories) stories.push_back(story(told, sources));
    lines.push_back({{"place", place(line.place, sources)},
                     {"text", line.text},
                     {"before", amounts(line.before, names)},
                     {"after", amounts(line.after, names)},
                     {"arrays", std::move(stories)}});
  }
  Json general = Json::array();
  for (const passes::Remark& remark : explanation.general)
    general.push_back(
        {{"pass", remark.pass}, {"verdict", remark.verdict}, {"reason", remark.reason}});
  Json sizes = Json::object();
  for (const auto& [name, value] : names.given()) sizes[name] = value;
  const Json all = {{"program", explanation.program},
                    {"entry", explanation.entry},
                    {"sizes", std::move(sizes)},
                    {"before", amounts(explanation.before, names)},
                    {"after", amounts(explanation.after, names)},
                    {"lines", std::move(lines)},
                    {"general", std::move(general)}};
  // Bytes of a source that are no UTF-8 must not stop it.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dvm::driver
