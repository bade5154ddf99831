// Vectors and matrices.
#include "tests/random/program_writer.hpp"

namespace dvm::test {

namespace {

// `0 .. size - 1`
std::string range(const std::string& size) {
  const bool number = size[0] >= '0' && size[0] <= '9';
  return "[0 .. " + (number ? std::to_string(std::stoi(size) - 1) : size + " - 1") + "]";
}

}  // namespace

// Indices below a size; a few are out of range.
std::string ProgramWriter::keys(const std::string& size, const std::string& below, int depth) {
  const std::string from = expr({Kind::Int, {size}}, depth + 1);
  if (chance(15)) return from;
  return "(map (\\k -> k `mod` max 1 " + below + ") " + from + ")";
}

std::string ProgramWriter::vector(const Type& type, int depth) {
  const std::string size = type.dims[0];
  const Type item{type.kind, {}};
  switch (draw(type.kind == Kind::Bool ? 9 : 22)) {
    case 0: {
      const Type source{kind(), {size}};
      const std::string by = lambda({{source.kind, {}}}, item, depth + 1);
      return "(map " + by + " " + expr(source, depth + 1) + ")";
    }
    case 1: {
      const Type source{kind(), {size}};
      const std::string over = expr(source, depth + 1);
      const std::string name = fresh("x");
      names_.emplace_back(name, Type{source.kind, {}});
      const std::string each = expr(item, depth + 1);
      names_.pop_back();
      return "[ " + each + " | " + name + " <- " + over + " ]";
    }
    case 2: {
      const Type left{kind(), {size}}, right{kind(), {size}};
      const std::string by = lambda({{left.kind, {}}, {right.kind, {}}}, item, depth + 1);
      const std::string first = expr(left, depth + 1);
      return "(zipWith " + by + " " + first + " " + expr(right, depth + 1) + ")";
    }
    case 3:
    case 4:
    case 5: {
      const std::string name = fresh("i");
      indices_.emplace_back(name, size);
      const std::string each = expr(item, depth + 1);
      indices_.pop_back();
      return "[ " + each + " | " + name + " <- " + range(size) + " ]";
    }
    case 6:
      return "(reverse " + expr(type, depth + 1) + ")";
    case 7: {
      const Type rows{kind(), {size, dim()}};
      const std::string by = lambda({{rows.kind, {rows.dims[1]}}}, item, depth + 1);
      return "(map " + by + " " + expr(rows, depth + 1) + ")";
    }
    case 8: {
      const Type columns{kind(), {dim(), size}};
      const std::string by = lambda({{columns.kind, {columns.dims[0]}}}, item, depth + 1);
      return "(map " + by + " (transpose " + expr(columns, depth + 1) + "))";
    }
    default:
      return number_vector(type, depth);
  }
}

std::string ProgramWriter::number_vector(const Type& type, int depth) {
  static constexpr const char* boundaries[] = {"Clamp", "Wrap", "(Constant 1)"};
  const std::string size = type.dims[0];
  const Type item{type.kind, {}};
  switch (draw(17)) {
    case 0: {
      const std::string scan = chance(60) ? "(scan " : "(scanExclusive ";
      const std::string by = associative(type.kind);
      return scan + by + " " + neutral(type.kind) + " " + expr(type, depth + 1) + ")";
    }
    case 1:
    case 2: {
      const std::string boundary = one_of(boundaries);
      const std::string by = offsets(type.kind, 1, depth);
      return "(stencil1 " + boundary + " " + by + " " + expr(type, depth + 1) + ")";
    }
    case 3: {
      const std::string below = dim();
      const std::string from = expr({type.kind, {below}}, depth + 1);
      return "(gather " + from + " " + keys(size, below, depth) + ")";
    }
    case 4: {
      const std::string count = dim();
      const std::string into = expr(type, depth + 1);
      const std::string at = keys(count, size, depth);
      const std::string values = expr({type.kind, {count}}, depth + 1);
      const std::string scatter =
          chance(50) ? "(scatter " : "(scatterWith " + associative(type.kind) + " ";
      return scatter + into + " " + at + " " + values + ")";
    }
    case 5: {
      const std::string into = expr(type, depth + 1);
      const std::string at = index(size);
      return "(update " + into + " " + at + " " + expr(item, depth + 1) + ")";
    }
    case 6:
      return "(sort " + expr(type, depth + 1) + ")";
    case 7: {
      const std::string from = expr(type, depth + 1);
      return "(gather " + from + " (argsort " + expr({number(), {size}}, depth + 1) + "))";
    }
    case 8: {
      const std::string other = dim();
      const std::string rows = expr({type.kind, {size, other}}, depth + 1);
      return "(matvec " + rows + " " + expr({type.kind, {other}}, depth + 1) + ")";
    }
    case 9: {
      const std::string other = dim();
      const std::string left = expr(type, depth + 1);
      const std::string right = expr({type.kind, {other}}, depth + 1);
      if (chance(50)) return "(take " + size + " (" + left + " ++ " + right + "))";
      return "(drop " + other + " (" + right + " ++ " + left + "))";
    }
    case 10: {
      const std::string count = dim();
      const std::string at = keys(count, size, depth);
      if (type.kind == Kind::Int && chance(40)) return "(histogram " + size + " " + at + ")";
      const std::string by = associative(type.kind);
      return "(reduceByKey " + by + " " + neutral(type.kind) + " " + size + " " + at + " " +
             expr({type.kind, {count}}, depth + 1) + ")";
    }
    case 11: {
      const Type source{kind(), {size}};
      const std::string by = lambda({item, {source.kind, {}}}, item, depth + 1);
      const std::string start = expr(item, depth + 1);
      const std::string part = chance(50) ? "(tail " : "(init ";
      return part + "(scanl " + by + " " + start + " " + expr(source, depth + 1) + "))";
    }
    case 12: {
      const std::string left = expr(type, depth + 1);
      const std::string right = expr({kind(), {size}}, depth + 1);
      return "(fst (unzip (zip " + left + " " + right + ")))";
    }
    case 13: {
      const std::string by = lambda({type, item}, type, depth + 1);
      const std::string start = expr(type, depth + 1);
      return "(foldl " + by + " " + start + " " + expr({type.kind, {dim()}}, depth + 1) + ")";
    }
    case 14: {
      const std::string width = std::to_string(1 + draw(3));
      const std::string name = fresh("w");
      const std::string from = expr(type, depth + 1);
      names_.emplace_back(name, Type{type.kind, {width}});
      const std::string each = expr(item, depth + 1);
      names_.pop_back();
      const std::string before = std::to_string(std::stoi(width) - 1);
      return "[ " + each + " | " + name + " <- windows " + width + " (pad " + before + " 0 " +
             atom(item) + " " + from + ") ]";
    }
    case 15: {
      const std::string by = std::to_string(draw(5));
      return "(rotate " + by + " " + expr(type, depth + 1) + ")";
    }
    default: {
      const std::string other = dim();
      const std::string from = expr({type.kind, {other, size}}, depth + 1);
      return "(" + from + " ! " + index(other) + ")";
    }
  }
}

std::string ProgramWriter::matrix(const Type& type, int depth) {
  static constexpr const char* boundaries[] = {"Clamp", "Wrap", "(Constant 1)"};
  const std::string rows = type.dims[0], cols = type.dims[1];
  const Type item{type.kind, {}};
  const bool number = type.kind != Kind::Bool;
  switch (draw(number ? 16 : 8)) {
    case 0:
    case 1: {
      const std::string i = fresh("i"), j = fresh("j");
      indices_.emplace_back(i, rows);
      indices_.emplace_back(j, cols);
      const std::string each = expr(item, depth + 1);
      indices_.resize(indices_.size() - 2);
      return "[ [ " + each + " | " + j + " <- " + range(cols) + " ] | " + i + " <- " + range(rows) +
             " ]";
    }
    case 2: {
      const Type source{kind(), {rows}};
      const std::string by = lambda({{source.kind, {}}}, {type.kind, {cols}}, depth + 1);
      return "(map " + by + " " + expr(source, depth + 1) + ")";
    }
    case 3:
      return "(transpose " + expr({type.kind, {cols, rows}}, depth + 1) + ")";
    case 4: {
      const Type source{kind(), type.dims};
      const std::string by = lambda({{source.kind, {}}}, item, depth + 1);
      return "(map (map " + by + ") " + expr(source, depth + 1) + ")";
    }
    case 5: {
      const Type left{kind(), type.dims}, right{kind(), type.dims};
      const std::string by = lambda({{left.kind, {}}, {right.kind, {}}}, item, depth + 1);
      const std::string first = expr(left, depth + 1);
      return "(zipWith (zipWith " + by + ") " + first + " " + expr(right, depth + 1) + ")";
    }
    case 6: {
      const std::string from = expr(type, depth + 1);
      return chance(50) ? "(reverse " + from + ")" : "(map reverse " + from + ")";
    }
    case 7:
      return "(replicate " + rows + " " + expr({type.kind, {cols}}, depth + 1) + ")";
    case 8: {
      const std::string left = expr({type.kind, {rows}}, depth + 1);
      return "(outer " + left + " " + expr({type.kind, {cols}}, depth + 1) + ")";
    }
    case 9:
    case 10: {
      const std::string boundary = one_of(boundaries);
      const std::string by = offsets(type.kind, 2, depth);
      return "(stencil2 " + boundary + " " + by + " " + expr(type, depth + 1) + ")";
    }
    case 11: {
      const std::string middle = dim();
      const std::string left = expr({type.kind, {rows, middle}}, depth + 1);
      return "(matmul " + left + " " + expr({type.kind, {middle, cols}}, depth + 1) + ")";
    }
    case 12: {
      const std::string by = associative(type.kind);
      return "(map (scan " + by + " " + neutral(type.kind) + ") " + expr(type, depth + 1) + ")";
    }
    case 13:
      return "(map sort " + expr(type, depth + 1) + ")";
    case 14:
      return "(unflatten " + rows + " " + cols + " (flatten " + expr(type, depth + 1) + "))";
    default: {
      const std::string count = dim();
      const std::string into = expr(type, depth + 1);
      const std::string at = keys(count, rows, depth);
      return "(scatter " + into + " " + at + " " + expr({type.kind, {count, cols}}, depth + 1) +
             ")";
    }
  }
}

}  // namespace dvm::test
