// Names that are near to a misspelt one.
#include "ir/base/spelling.hpp"

#include <algorithm>
#include <cctype>

namespace dvm {

int edit_distance(const std::string& a, const std::string& b) {
  std::size_t n = a.size(), m = b.size();
  std::vector<std::vector<int>> table(n + 1, std::vector<int>(m + 1));
  for (std::size_t i = 0; i <= n; ++i) table[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= m; ++j) table[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t j = 1; j <= m; ++j) {
      int change = a[i - 1] == b[j - 1] ? 0 : 1;
      int best = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = std::min(best, table[i - 2][j - 2] + 1);
      table[i][j] = best;
    }
  }
  return table[n][m];
}

std::vector<std::string> nearest_names(const std::string& name,
                                       std::vector<std::string> candidates) {
  if (name.size() > 100) return {};  // nobody's name, and the table would be large
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  int limit = std::max(1, static_cast<int>(name.size()) / 3);
  bool wordlike =
      !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) || name[0] == '_');
  std::vector<std::pair<int, std::string>> near;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate == name) continue;
    bool candidate_wordlike =
        std::isalpha(static_cast<unsigned char>(candidate[0])) || candidate[0] == '_';
    if (candidate_wordlike != wordlike) continue;
    int gap = static_cast<int>(candidate.size()) - static_cast<int>(name.size());
    if (gap > limit || -gap > limit) continue;
    int distance = edit_distance(name, candidate);
    if (distance <= limit && distance < static_cast<int>(name.size()))
      near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  if (near.size() > 3) near.resize(3);
  std::vector<std::string> names;
  for (auto& [distance, candidate] : near) names.push_back(std::move(candidate));
  return names;
}

std::string one_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += "`" + names[i] + "`";
  }
  return text;
}

void suggest_nearest(Diagnostic& diagnostic, const std::string& name,
                     std::vector<std::string> candidates, Span place) {
  const std::vector<std::string> near = nearest_names(name, std::move(candidates));
  if (near.empty()) return;
  const std::string text = "did you mean " + one_of(near) + "?";
  if (near.size() > 1 || !place.valid())
    diagnostic.help.push_back(text);
  else
    diagnostic.suggestions.push_back({"did you mean `" + near[0] + "`?", {{place, near[0]}}, true});
}

}  // namespace dvm
