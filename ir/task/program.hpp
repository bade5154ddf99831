// The task IR: what an engine expands into tasks and what a package carries.
//
// A program is a list of *templates*, one per function, loop body, branch side, …. A template has
// slots (write-once arrays and scalars) and *families* over them. One family stands for all tasks
// of one array operation; their number and their dependencies follow from sizes known when the
// family is instantiated. Templates are closed: what a body reads from outside is passed to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/base/id_vector.hpp"
#include "ir/graph/entry.hpp"
#include "ir/task/grain.hpp"
#include "ir/task/kernel.hpp"
#include "ir/type/elementary.hpp"

namespace dvm::task {

using SlotId = Id<struct SlotTag>;
using TemplateId = Id<struct TemplateTag>;
using KernelId = Id<struct KernelTag>;

// One array or scalar of a template. Symbols of the shape are indices of rank-0 i64 slots.
struct Slot {
  ElementType element = ElementType::F64;
  std::vector<Size> shape;
  std::string name;  // unique in its template

  bool is_scalar() const { return shape.empty(); }
  bool operator==(const Slot&) const = default;
};

// Which rows (dimension 0) of an operand an iteration reads: all, or for the iteration index i of
// one dimension those from factor * i + low to factor * i + high, ends cut to the rows there are.
// Dimensions: those of the space, then the reduced (scanned, filtered, keyed) one.
struct Access {
  bool whole = true;
  std::uint32_t dim = 0;
  std::int64_t factor = 1, low = 0, high = 0;
  // Read only where a branch of the body is taken, and it may fail: then `careful` takes over.
  bool perhaps = false;
  bool operator==(const Access&) const = default;
};

// --- What a family does. Scalar ones are evaluated where they become ready and make no task.

struct ConstantOf {
  Scalar value;
  bool operator==(const ConstantOf&) const = default;
};
struct SizeValue {
  Size size;
  bool operator==(const SizeValue&) const = default;
};
struct Compute {  // operands: scalars; converts to the result's element type where `fn` asks for it
  graph::ScalarFn fn = graph::ScalarFn::Add;
  bool operator==(const Compute&) const = default;
};
struct ReadElement {  // operands: array, indices
  bool operator==(const ReadElement&) const = default;
};
struct CheckValue {  // operands: value (any rank), condition, values for the message
  bool operator==(const CheckValue&) const = default;
};

// Part of an estimate: nanoseconds of one iteration, times a size; with operands and results in
// memory, and when all of them fit the shared cache.
struct CostTerm {
  double nanoseconds = 0, cached_nanoseconds = 0;
  Size times{1};
  bool operator==(const CostTerm&) const = default;
};

// An array operation done by compiled kernels.
struct ArrayWork {
  enum class Kind : std::uint8_t { Map, Reduce, Scan, Keys, Scatter, Filter };
  Kind kind = Kind::Map;
  // By kind: Map {map}; Reduce {whole, blocks, combine}; Scan {whole, totals, offsets, apply};
  // Keys {blocks, combine}; Scatter {scatter}; Filter {count, write}.
  std::vector<KernelId> kernels;
  std::vector<Size> space;
  Size extent;                   // of the reduced dimension; unused by Map
  Size keys;                     // Keys only
  std::vector<Access> accesses;  // one per operand
  std::vector<CostTerm> cost;    // of one iteration (point of the space times reduced index)
  // Points of the space go side by side in registers: tiles keep whole vectors of the last
  // dimension, and tiles of two dimensions read operands fewer times (matrix product).
  bool reuses = false;
  // Takes the operands and gives the results; runs instead of kernels when a `perhaps` operand has
  // failed, since only points that read it fail then.
  std::optional<TemplateId> careful;
  bool operator==(const ArrayWork&) const = default;
};
std::string_view name(ArrayWork::Kind kind);
std::vector<kernel::Phase> phases(ArrayWork::Kind kind);

// One array operation of a chain.
struct Stage {
  ArrayWork work;
  std::vector<SlotId> operands, results;
  // Its reduced (or keyed) dimension is the one dimension that the chain is cut along: a task
  // reduces its blocks, and a second operation combines them.
  bool by_blocks = false;
  bool operator==(const Stage&) const = default;
};
// Note [Chains]. Operations over the same leading dimensions, cut into tiles together: a task does
// its tile of the first, then of the second, and so on, so that what one writes the next still
// finds in the cache. A stage reads what an earlier one made only at its own leading indices, which
// is why a tile needs no other. Results that nobody outside reads exist one tile at a time, in the
// scratch memory of a worker. Where the sizes leave too few tiles, the stages run one after another
// instead.
struct Chain {
  std::uint32_t dims = 1;  // leading dimensions that all stages share
  std::vector<Stage> stages;
  std::vector<SlotId> kept;  // results that live on
  bool operator==(const Chain&) const = default;
};

struct Alias {  // the same bytes under another shape; with a check: counts may differ
  bool operator==(const Alias&) const = default;
};
struct Concat {
  bool operator==(const Concat&) const = default;
};
struct SortKeys {  // result: the permutation, or of a single key the `values` in order
  std::vector<bool> descending;  // one per operand
  bool values = false;
  bool operator==(const SortKeys&) const = default;
};

// --- Control: instantiates templates. Operands end in the captured slots.
struct Loop {  // operands: count, states, captures; body params: step, states, captures; yields:
               // states, stacked
  TemplateId body;
  std::uint32_t states = 0, stacked = 0;
  bool operator==(const Loop&) const = default;
};
struct Each {  // operands: captures; body params: one index per dimension of the space, captures;
               // yields: what stands at a point. The points do not depend on each other.
  TemplateId body;
  std::vector<Size> space;
  bool operator==(const Each&) const = default;
};
struct While {  // operands: states, captures; both templates take these; yields: bool, states
  TemplateId condition, body;
  std::uint32_t states = 0;
  bool operator==(const While&) const = default;
};
struct Branch {  // operands: condition, captures; both templates take the captures
  TemplateId taken, otherwise;
  bool operator==(const Branch&) const = default;
};
// A call needs its arguments, even those that the callee does not look at: it waits for operands
// that may fail, and fails with them. The others it passes on as they are.
struct Call {
  TemplateId callee;
  std::vector<std::uint32_t> awaited;  // positions of operands, ascending
  bool operator==(const Call&) const = default;
};

using Action = std::variant<ConstantOf, SizeValue, Compute, ReadElement, CheckValue, ArrayWork,
                            Alias, Concat, SortKeys, Loop, While, Branch, Call, Each, Chain>;
std::string_view mnemonic(const Action& action);

struct Family {
  Action action;
  std::vector<SlotId> operands;
  std::vector<SlotId> results;
  graph::CheckId check;
  bool operator==(const Family&) const = default;
};

struct Template {
  std::string name;
  IdVector<SlotId, Slot> slots;
  std::vector<SlotId> params;
  std::vector<Family> families;  // definitions before uses
  std::vector<SlotId> yields;
};

struct Kernel {
  std::string symbol;
  kernel::Phase phase = kernel::Phase::Map;
  Size scratch;  // bytes; symbol = position of a rank-0 i64 operand
  bool operator==(const Kernel&) const = default;
};

// What a failed check says. Place and path are text, so that a package needs no source.
struct Check {
  std::string message;              // {0}, {1}, … for the values
  std::string place;                // file:line:column, may be empty
  std::vector<std::string> path;    // calls that led there, innermost first
  std::vector<ElementType> values;  // how to read ErrorRecord::values
  bool operator==(const Check&) const = default;
};

struct Target {
  std::string cpu;
  VectorIsa isa = VectorIsa::Avx2;
  bool contracted = false;  // --contract: products of floats went into the sums they feed
  bool operator==(const Target&) const = default;
};

struct Program {
  Target target;
  Grain grain;
  graph::EntrySignature entry;  // template 0: params are sizes, then inputs
  IdVector<KernelId, Kernel> kernels;
  IdVector<graph::CheckId, Check> checks;
  IdVector<TemplateId, Template> templates;
};

// Operands of a chain as a family: what its stages read from outside, each once, in order.
std::vector<SlotId> outer_operands(const Chain& chain);

// Sets what the chains of a template keep: sums by blocks, and what something else reads.
void keep_what_is_read(Template& owner);

// Symbols a family's instantiation needs: space, extent, keys, a size; and shapes of its results
// but for those among the results themselves. Each once, in order.
std::vector<SlotId> needed_sizes(const Template& owner, const Family& family);

}  // namespace dvm::task
