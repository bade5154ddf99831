// Pretty printing: documents that choose their line breaks, and comments that survive.
//
// Source: P. Wadler, "A prettier printer" (2003), with the renderer made iterative.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/base/id.hpp"

namespace dvm::ast {

using DocId = Id<struct DocTag>;

class DocTable {
 public:
  DocId text(std::string text);
  DocId line();       // a blank, or a line break if its group does not fit
  DocId soft_line();  // nothing, or a line break
  DocId hard_line();
  DocId blank_line();  // an empty line, at most one in a row
  DocId concat(std::vector<DocId> parts);
  DocId nest(int columns, DocId inner);  // indents breaks
  DocId align(DocId inner);              // indents breaks to the current column
  DocId group(DocId inner);              // on one line if it fits
  // A comment on lines of its own, or behind what was printed last.
  DocId own_comment(std::string text);
  DocId trailing_comment(std::string text);
  DocId empty() { return text(""); }

  std::string render(DocId root, std::size_t width) const;

 private:
  friend class Renderer;
  enum class Kind : std::uint8_t {
    Text,
    Line,
    SoftLine,
    HardLine,
    BlankLine,
    Concat,
    Nest,
    Align,
    Group,
    OwnComment,
    TrailingComment
  };
  struct Node {
    Kind kind = Kind::Text;
    int columns = 0;
    std::string text;
    std::vector<DocId> parts;
  };
  DocId push(Node node);
  std::vector<Node> nodes_;
};

}  // namespace dvm::ast
