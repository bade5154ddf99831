// simplify replaces what is known by what is simpler, in one walk from definitions to uses.
//
//   %y = mul %x, 1.0                                   -> %x       (identities: scalar_rules.cpp)
//   %k = add 2, 3                                      -> 5
//   %j = sub (add %i, 1), 1                            -> %i       (equal affine forms)
//   branch true { yield %a } { yield %b }              -> %a
//   branch %c { yield %a } { %t = neg %a; yield %t }   -> %t = neg %a; select %c %a %t
//   loop 0 (%s) …                                      -> %s
//   loop %n (%a, %b) { (%t, %s, %c) … read %c[…] … yield %x, %c }   -> … read %b[…] …
//   read %xs[%i] check, with i < n and %xs: f64[n]     -> read %xs[%i]
//
// Sound because each rule is an equation that holds bit for bit, and a check goes only where it is
// proven to hold. Runs before share-values, so that equal things look equal, and again after
// fusion, when bodies have met. Literals move into the region that uses them.
#pragma once

#include "ir/graph/graph.hpp"

namespace dvm::passes {

void simplify(graph::Module& module);

}  // namespace dvm::passes
