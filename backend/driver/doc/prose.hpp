// The text of a documentation comment in blocks.
#pragma once

#include <string>
#include <vector>

#include "backend/driver/doc/example.hpp"

namespace dvm::driver {

// A piece of a paragraph: plain words, or `code`.
struct Word {
  bool code = false;
  std::string text;
};

struct Block {
  enum class Kind { Paragraph, Item, Examples } kind = Kind::Paragraph;
  std::vector<Word> words;  // of paragraphs and items (`* text`)
  std::vector<Example> examples;
};

std::vector<Word> words_of(const std::string& text);

// Paragraphs are separated by empty lines; examples that follow each other are one block.
std::vector<Block> blocks_of(const parse::DocComment& doc);

// The first sentence of a comment, for overviews.
std::vector<Word> summary_of(const parse::DocComment& doc);

}  // namespace dvm::driver
