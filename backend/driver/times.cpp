// Times as text for people and as one line of JSON for programs.
#include "backend/driver/times.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace dvm::driver {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string render(const RunTimes& times, const std::string& form) {
  if (form == "json") {
    nlohmann::ordered_json stages = nlohmann::ordered_json::object();
    for (const auto& [stage, seconds] : times.stages) stages[stage] = seconds;
    const nlohmann::ordered_json all = {{"compile_seconds", times.compile},
                                        {"cached", times.cached},
                                        {"stages", stages},
                                        {"load_seconds", times.load},
                                        {"input_seconds", times.inputs},
                                        {"run_seconds", times.runs},
                                        {"tasks", times.tasks},
                                        {"workers", times.workers},
                                        {"peak_bytes", times.peak_bytes}};
    return all.dump() + "\n";
  }
  std::vector<std::string> stages, runs;
  for (const auto& [stage, seconds] : times.stages)
    stages.push_back(fmt::format("{} {:.3f}", stage, seconds));
  for (const double seconds : times.runs) runs.push_back(fmt::format("{:.4f}", seconds));
  std::string text;
  if (times.cached)
    text += "compile  – (cached)\n";
  else if (!stages.empty())
    text += fmt::format("compile  {:.3f} s ({})\n", times.compile, fmt::join(stages, ", "));
  text += fmt::format("load     {:.3f} s\ninputs   {:.3f} s\n", times.load, times.inputs);
  text += fmt::format("run      {:.4f} s", median(times.runs));
  if (runs.size() > 1) text += fmt::format(" (median of {})", fmt::join(runs, ", "));
  if (times.workers > 0) {
    text += fmt::format("; {} tasks, {} workers, {:.1f} MB", times.tasks, times.workers,
                        static_cast<double>(times.peak_bytes) / 1e6);
  }
  return text + "\n";
}

std::string render_json(std::span<const passes::PassReport> reports) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const passes::PassReport& report : reports)
    all.push_back({{"pass", report.pass},
                   {"position", report.position},
                   {"ran", report.ran},
                   {"seconds", static_cast<double>(report.microseconds) / 1e6},
                   {"nodes_before", report.nodes_before},
                   {"nodes_after", report.nodes_after}});
  return nlohmann::ordered_json{{"passes", all}}.dump() + "\n";
}

std::string render(std::span<const std::pair<std::string, double>> stages,
                   const std::string& form) {
  if (form == "json") {
    nlohmann::ordered_json all = nlohmann::ordered_json::object();
    for (const auto& [stage, seconds] : stages) all[stage] = seconds;
    return nlohmann::ordered_json{{"stages", all}}.dump() + "\n";
  }
  std::vector<std::string> parts;
  for (const auto& [stage, seconds] : stages)
    parts.push_back(fmt::format("{} {:.3f} s", stage, seconds));
  return fmt::format("{}\n", fmt::join(parts, ", "));
}

}  // namespace dvm::driver
