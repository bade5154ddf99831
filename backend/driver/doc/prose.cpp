// Line by line into blocks, then each text into words and code.
#include "backend/driver/doc/prose.hpp"

namespace dvm::driver {

std::vector<Word> words_of(const std::string& text) {
  std::vector<Word> words;
  const auto add = [&](bool code, std::string part) {
    if (!part.empty()) words.push_back({code, std::move(part)});
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('`', at);
    const bool doubled = open != std::string::npos && text.compare(open, 2, "``") == 0;
    const std::string quote = doubled ? "``" : "`";
    const std::size_t close =
        open == std::string::npos ? open : text.find(quote, open + quote.size());
    if (close == std::string::npos) {
      add(false, text.substr(at));
      break;
    }
    add(false, text.substr(at, open - at));
    add(true, text.substr(open + quote.size(), close - open - quote.size()));
    at = close + quote.size();
  }
  return words;
}

std::vector<Block> blocks_of(const parse::DocComment& doc) {
  std::vector<Block> blocks;
  std::string text;
  bool item = false;
  const auto flush = [&] {
    if (!text.empty())
      blocks.push_back({item ? Block::Kind::Item : Block::Kind::Paragraph, words_of(text), {}});
    text.clear();
    item = false;
  };
  const std::vector<Example> examples = examples_of(doc);
  std::size_t next = 0;
  bool in_example = false;
  for (const parse::DocLine& line : doc.lines) {
    if (next < examples.size() && line.line == examples[next].code.front().line) {
      flush();
      if (blocks.empty() || blocks.back().kind != Block::Kind::Examples)
        blocks.push_back({Block::Kind::Examples, {}, {}});
      blocks.back().examples.push_back(examples[next++]);
      in_example = true;
    } else if (line.text.empty()) {
      flush();
      in_example = false;
    } else if (!in_example) {
      if (line.text.starts_with("* ")) {
        flush();
        item = true;
      }
      text += (text.empty() ? "" : " ") +
              (line.text.starts_with("* ") ? line.text.substr(2) : line.text);
    }
  }
  flush();
  return blocks;
}

std::vector<Word> summary_of(const parse::DocComment& doc) {
  for (const Block& block : blocks_of(doc)) {
    if (block.kind != Block::Kind::Paragraph) continue;
    std::vector<Word> words;
    for (const Word& word : block.words) {
      words.push_back(word);
      const std::size_t end = word.code ? std::string::npos : word.text.find(". ");
      if (end == std::string::npos) continue;
      words.back().text = word.text.substr(0, end + 1);
      break;
    }
    return words;
  }
  return {};
}

}  // namespace dvm::driver
