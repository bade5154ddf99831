// Declarations as short text for pages, in pieces that can become links.
#pragma once

#include <string>
#include <vector>

#include "backend/driver/doc/module_doc.hpp"

namespace dvm::driver {

struct Piece {
  // Type and Class may be links to a definition, Name is what is defined here.
  enum class Role { Plain, Keyword, Type, Class, Name } role = Role::Plain;
  std::string text;
};
using Pieces = std::vector<Piece>;

// One line of text each: `length :: Vec n a -> Int`; `data Maybe a`, then its constructors
// (`Nothing`, `Just a`, `Complex { re, im :: Double }`); `class Num a => VectorSpace a`; a method's
// signature; `instance VectorSpace Double`. `inferred`: the type of a function without signature.
Pieces signature_of(const ast::Arena& arena, const DocEntry& entry, const std::string& inferred);
std::vector<Pieces> constructors_of(const ast::Arena& arena, const DocEntry& entry);
Pieces signature_of(const ast::Arena& arena, const MethodDoc& method);
Pieces instance_of(const ast::Arena& arena, ast::DeclId instance);

std::string plain_text(const Pieces& pieces);

// As it is written where it is defined: `(+)` for an operator.
std::string written_name(const std::string& name);

}  // namespace dvm::driver
