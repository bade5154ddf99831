// Rendering of documents; lines are chosen greedily, without recursion.
#include "frontend/ast/doc.hpp"

#include <algorithm>

#include "ir/base/code_point.hpp"

namespace dvm::ast {

DocId DocTable::push(Node node) {
  nodes_.push_back(std::move(node));
  return DocId{static_cast<std::uint32_t>(nodes_.size() - 1)};
}
DocId DocTable::text(std::string text) { return push({Kind::Text, 0, std::move(text), {}}); }
DocId DocTable::line() { return push({Kind::Line, 0, "", {}}); }
DocId DocTable::soft_line() { return push({Kind::SoftLine, 0, "", {}}); }
DocId DocTable::hard_line() { return push({Kind::HardLine, 0, "", {}}); }
DocId DocTable::blank_line() { return push({Kind::BlankLine, 0, "", {}}); }
DocId DocTable::concat(std::vector<DocId> parts) {
  return push({Kind::Concat, 0, "", std::move(parts)});
}
DocId DocTable::nest(int columns, DocId inner) { return push({Kind::Nest, columns, "", {inner}}); }
DocId DocTable::align(DocId inner) { return push({Kind::Align, 0, "", {inner}}); }
DocId DocTable::group(DocId inner) { return push({Kind::Group, 0, "", {inner}}); }
DocId DocTable::own_comment(std::string text) {
  return push({Kind::OwnComment, 0, std::move(text), {}});
}
DocId DocTable::trailing_comment(std::string text) {
  return push({Kind::TrailingComment, 0, std::move(text), {}});
}

namespace {

std::size_t width_of(const std::string& text) {
  std::size_t width = 0;
  for (char c : text) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return width;
}

}  // namespace

class Renderer {
 public:
  Renderer(const std::vector<DocTable::Node>& nodes, std::size_t width)
      : nodes_(nodes), width_(width) {}
  std::string run(DocId root);

 private:
  using Kind = DocTable::Kind;
  struct Frame {
    DocId doc;
    std::size_t next = 0;  // part of a concat
    std::size_t indent = 0;
    bool flat = false;
  };

  bool fits(const Frame& start) const;
  void put(const std::string& text, std::size_t indent);
  void new_line(std::size_t indent);
  void own_comment(const std::string& text, std::size_t indent);
  void trailing_comment(const std::string& text);
  void blank_line(std::size_t indent);

  const std::vector<DocTable::Node>& nodes_;
  std::size_t width_;
  std::string out_;
  std::size_t column_ = 0;
  bool blank_ = true;        // nothing but indentation on this line
  bool must_break_ = false;  // a line comment was printed
  std::vector<Frame> stack_;
};

// Whether the group and what follows it up to the next possible break fit on the line.
bool Renderer::fits(const Frame& start) const {
  std::vector<Frame> inner{start};
  std::size_t rest = stack_.size();  // frames of the renderer below this are looked at next
  std::size_t used = column_;
  while (true) {
    if (inner.empty()) {
      if (rest == 0) return true;
      inner.push_back(stack_[--rest]);
    }
    Frame& frame = inner.back();
    const DocTable::Node& node = nodes_[frame.doc.index];
    const bool flat = frame.flat;
    switch (node.kind) {
      case Kind::Text:
        used += width_of(node.text);
        inner.pop_back();
        break;
      case Kind::Line:
        if (!flat) return true;
        ++used;
        inner.pop_back();
        break;
      case Kind::SoftLine:
        if (!flat) return true;
        inner.pop_back();
        break;
      case Kind::HardLine:
      case Kind::BlankLine:
      case Kind::OwnComment:
      case Kind::TrailingComment:
        return !flat;
      case Kind::Concat:
        if (frame.next == node.parts.size()) {
          inner.pop_back();
        } else {
          const DocId part = node.parts[frame.next++];
          inner.push_back({part, 0, 0, flat});
        }
        break;
      case Kind::Group:
      case Kind::Nest:
      case Kind::Align: {
        const DocId part = node.parts[0];
        inner.back() = {part, 0, 0, flat};
        break;
      }
    }
    if (used > width_) return false;
  }
}

void Renderer::new_line(std::size_t indent) {
  if (blank_) {  // the line is still empty: only its indentation changes
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
  } else {
    out_ += '\n';
  }
  out_.append(indent, ' ');
  column_ = indent;
  blank_ = true;
  must_break_ = false;
}

void Renderer::put(const std::string& text, std::size_t indent) {
  if (text.empty()) return;
  if (must_break_) new_line(indent);
  out_ += text;
  column_ += width_of(text);
  blank_ = blank_ && text.find_first_not_of(' ') == std::string::npos;
}

void Renderer::own_comment(const std::string& text, std::size_t indent) {
  new_line(indent);
  put(text, indent);
  new_line(indent);
}

void Renderer::trailing_comment(const std::string& text) {
  if (blank_ && !out_.empty()) {  // behind the line before
    const std::size_t indent = column_;
    std::size_t end = out_.size();
    while (end > 0 && (out_[end - 1] == ' ' || out_[end - 1] == '\n')) --end;
    out_.resize(end);
    out_ += "  " + text + "\n";
    out_.append(indent, ' ');
    return;
  }
  while (!out_.empty() && out_.back() == ' ') out_.pop_back();
  out_ += (out_.empty() || out_.back() == '\n' ? "" : "  ") + text;
  blank_ = false;
  must_break_ = true;
}

void Renderer::blank_line(std::size_t indent) {
  new_line(indent);
  while (!out_.empty() && out_.back() == ' ') out_.pop_back();
  if (!out_.empty() && !out_.ends_with("\n\n")) out_ += '\n';
  out_.append(indent, ' ');
}

std::string Renderer::run(DocId root) {
  stack_.push_back({root, 0, 0, false});
  while (!stack_.empty()) {
    Frame& frame = stack_.back();
    const DocTable::Node& node = nodes_[frame.doc.index];
    const std::size_t indent = frame.indent;
    const bool flat = frame.flat;
    switch (node.kind) {
      case Kind::Text:
        put(node.text, indent);
        stack_.pop_back();
        break;
      case Kind::Line:
      case Kind::SoftLine:
        if (!flat) {
          new_line(indent);
        } else if (node.kind == Kind::Line) {
          put(" ", indent);
        }
        stack_.pop_back();
        break;
      case Kind::HardLine:
        new_line(indent);
        stack_.pop_back();
        break;
      case Kind::BlankLine:
        blank_line(indent);
        stack_.pop_back();
        break;
      case Kind::OwnComment:
        own_comment(node.text, indent);
        stack_.pop_back();
        break;
      case Kind::TrailingComment:
        trailing_comment(node.text);
        stack_.pop_back();
        break;
      case Kind::Concat:
        if (frame.next == node.parts.size()) {
          stack_.pop_back();
        } else {
          const DocId part = node.parts[frame.next++];
          stack_.push_back({part, 0, indent, flat});
        }
        break;
      case Kind::Nest:
        frame = {node.parts[0], 0, indent + static_cast<std::size_t>(node.columns), flat};
        break;
      case Kind::Align:
        frame = {node.parts[0], 0, must_break_ ? indent : std::max(indent, column_), flat};
        break;
      case Kind::Group: {
        const Frame inner{node.parts[0], 0, indent, true};
        stack_.pop_back();
        const bool one_line = flat || fits(inner);
        stack_.push_back({inner.doc, 0, indent, one_line});
        break;
      }
    }
  }
  // No blanks at line ends, one newline at the end.
  std::string clean;
  std::size_t begin = 0;
  while (begin < out_.size()) {
    std::size_t end = out_.find('\n', begin);
    if (end == std::string::npos) end = out_.size();
    std::size_t last = end;
    while (last > begin && out_[last - 1] == ' ') --last;
    clean.append(out_, begin, last - begin);
    clean += '\n';
    begin = end + 1;
  }
  while (clean.ends_with("\n\n")) clean.pop_back();
  return clean == "\n" ? "" : clean;
}

std::string DocTable::render(DocId root, std::size_t width) const {
  return Renderer(nodes_, width).run(root);
}

}  // namespace dvm::ast
