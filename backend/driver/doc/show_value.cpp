// The type is unfolded to a tree whose leaves know their arrays; then the tree is written at an
// index.
#include "backend/driver/doc/show_value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>

namespace dvm::driver {

namespace {

using typed::TypeRef;
using Substitution = std::map<std::uint32_t, TypeRef>;  // by TypeVarId

// Of a data type: the constructors with their parts; of a tuple: one without a name.
struct Node {
  enum class Kind { Scalar, Array, Tuple, Data } kind = Kind::Scalar;
  std::size_t leaf = 0;  // Scalar: its array; Array and Data: the first array below (Data: the tag)
  std::size_t rank = 0;  // Array
  std::vector<Size> shape;
  const typed::DataInfo* data = nullptr;
  std::vector<std::vector<Node>> parts;
};

class Unfolding {
 public:
  explicit Unfolding(const typed::Program& program) : program_(program) {}

  Node node(const TypeRef& type, const Substitution& known) {
    Node result;
    result.leaf = next_;
    if (const auto* variable = std::get_if<typed::VariableType>(&type->node)) {
      const auto found = known.find(variable->variable.index);
      if (found != known.end()) return node(found->second, {});
    } else if (std::holds_alternative<typed::ScalarType>(type->node)) {
      ++next_;
    } else if (const auto* array = std::get_if<typed::ArrayType>(&type->node)) {
      result.kind = Node::Kind::Array;
      result.rank = array->shape.size();
      result.shape = array->shape;
      result.parts = {{node(array->element, known)}};
    } else if (const auto* tuple = std::get_if<typed::TupleType>(&type->node)) {
      result.kind = Node::Kind::Tuple;
      result.parts.emplace_back();
      for (const TypeRef& part : tuple->parts) result.parts[0].push_back(node(part, known));
    } else if (const auto* data = std::get_if<typed::DataType>(&type->node)) {
      unfold(result, *data, known);
    }
    return result;
  }

 private:
  void unfold(Node& result, const typed::DataType& data, const Substitution& known) {
    const typed::DataInfo& info = program_.datas[data.data];
    result.kind = Node::Kind::Data;
    result.data = &info;
    if (info.constructors.size() != 1) ++next_;  // the tag
    Substitution inner;
    for (std::size_t i = 0; i < info.type_params.size(); ++i)
      inner[info.type_params[i].index] = closed(data.type_args.at(i), known);
    for (const typed::ConstructorInfo& constructor : info.constructors) {
      result.parts.emplace_back();
      for (const TypeRef& field : constructor.field_types)
        result.parts.back().push_back(node(field, inner));
    }
  }

  // Without the variables of the outer type.
  TypeRef closed(const TypeRef& type, const Substitution& known) const {
    const auto make = [](auto node) {
      return std::make_shared<const typed::Type>(typed::Type{std::move(node)});
    };
    if (const auto* variable = std::get_if<typed::VariableType>(&type->node)) {
      const auto found = known.find(variable->variable.index);
      return found == known.end() ? type : found->second;
    }
    if (const auto* array = std::get_if<typed::ArrayType>(&type->node))
      return make(typed::ArrayType{array->shape, closed(array->element, known)});
    if (const auto* tuple = std::get_if<typed::TupleType>(&type->node)) {
      typed::TupleType result;
      for (const TypeRef& part : tuple->parts) result.parts.push_back(closed(part, known));
      return make(std::move(result));
    }
    if (const auto* data = std::get_if<typed::DataType>(&type->node)) {
      typed::DataType result{data->data, {}, data->size_args};
      for (const TypeRef& arg : data->type_args) result.type_args.push_back(closed(arg, known));
      return make(std::move(result));
    }
    return type;
  }

  const typed::Program& program_;
  std::size_t next_ = 0;
};

class Writer {
 public:
  explicit Writer(std::span<const Tensor> leaves) : leaves_(leaves) {}

  // As an argument of a constructor when `argument`: in parentheses where it needs them.
  std::string text(const Node& node, bool argument) {
    switch (node.kind) {
      case Node::Kind::Scalar:
        return scalar(node, argument);
      case Node::Kind::Array:
        return array(node, 0);
      case Node::Kind::Tuple:
        return fmt::format("({})", fmt::join(parts(node.parts[0], false), ", "));
      case Node::Kind::Data:
        return data(node, argument);
    }
    return "";
  }

 private:
  Scalar at(std::size_t leaf) const {
    const Tensor& tensor = leaves_[leaf];
    std::int64_t flat = 0;
    for (std::size_t i = 0; i < index_.size(); ++i) flat = flat * tensor.shape.at(i) + index_[i];
    return tensor.at(flat);
  }

  std::string scalar(const Node& node, bool argument) const {
    const Scalar value = at(node.leaf);
    if (value.type == ElementType::Bool) return value.as_bool() ? "True" : "False";
    const std::string text = to_text(value);
    return argument && text.starts_with('-') ? "(" + text + ")" : text;
  }

  std::vector<std::string> parts(const std::vector<Node>& nodes, bool argument) {
    std::vector<std::string> texts;
    for (const Node& node : nodes) texts.push_back(text(node, argument));
    return texts;
  }

  std::string data(const Node& node, bool argument) {
    const auto& constructors = node.data->constructors;
    std::size_t which = 0;
    if (constructors.size() != 1) which = static_cast<std::size_t>(at(node.leaf).as_u64());
    if (which >= constructors.size()) return fmt::format("(tag {} of {})", which, node.data->name);
    const typed::ConstructorInfo& constructor = constructors[which];
    if (constructor.field_types.empty()) return constructor.name;
    const bool record = !constructor.field_names.empty() && !constructor.field_names[0].empty();
    std::vector<std::string> fields = parts(node.parts[which], !record);
    if (record) {
      for (std::size_t i = 0; i < fields.size(); ++i)
        fields[i] = constructor.field_names[i] + " = " + fields[i];
      const std::string text =
          fmt::format("{} {{ {} }}", constructor.name, fmt::join(fields, ", "));
      return argument ? "(" + text + ")" : text;
    }
    const std::string text = fmt::format("{} {}", constructor.name, fmt::join(fields, " "));
    return argument ? "(" + text + ")" : text;
  }

  // Elements without leaves, of type (), have their number from the type alone.
  std::int64_t extent(const Node& node, std::size_t dimension) const {
    if (node.leaf < leaves_.size() && leaves_[node.leaf].shape.size() > index_.size())
      return leaves_[node.leaf].shape[index_.size()];
    return node.shape[dimension].constant().value_or(0);
  }

  std::string array(const Node& node, std::size_t dimension) {
    if (dimension == node.rank) return text(node.parts[0][0], false);
    const std::int64_t count = extent(node, dimension);
    std::vector<std::string> texts;
    index_.push_back(0);
    for (std::int64_t i = 0; i < count; ++i) {
      index_.back() = i;
      texts.push_back(array(node, dimension + 1));
    }
    index_.pop_back();
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }

  std::span<const Tensor> leaves_;
  std::vector<std::int64_t> index_;
};

void split(const Node& node, std::size_t count, Writer& writer, std::vector<std::string>& out) {
  if (count == 1) {
    out.push_back(writer.text(node, false));
    return;
  }
  split(node.parts.at(0).at(0), count / 2, writer, out);
  split(node.parts.at(0).at(1), count - count / 2, writer, out);
}

}  // namespace

std::string show_value(const typed::Program& program, const TypeRef& type,
                       std::span<const Tensor> leaves) {
  return show_parts(program, type, leaves, 1).front();
}

std::vector<std::string> show_parts(const typed::Program& program, const TypeRef& type,
                                    std::span<const Tensor> leaves, std::size_t count) {
  const Node root = Unfolding(program).node(type, {});
  Writer writer(leaves);
  std::vector<std::string> texts;
  split(root, count, writer, texts);
  return texts;
}

}  // namespace dvm::driver
