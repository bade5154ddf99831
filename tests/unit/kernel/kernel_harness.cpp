// See kernel_harness.hpp.
#include "tests/unit/kernel/kernel_harness.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "ir/graph/text.hpp"

namespace dvm::kernel_test {

using kernel::Phase;

graph::Module parse_module(const std::string& text) {
  SourceMap sources;
  const FileId file = sources.add("test.dvg", text);
  Diagnostics problems;
  auto module = graph::parse(sources, file, problems);
  INFO(render_text(problems, sources));
  REQUIRE(module.has_value());
  return std::move(*module);
}

Tiling one_tile() {
  return [](std::int64_t extent, std::size_t) { return std::vector<std::int64_t>{extent}; };
}

Tiling tiles_of(std::int64_t size) {
  return [size](std::int64_t extent, std::size_t) {
    std::vector<std::int64_t> ends;
    for (std::int64_t end = size; end < extent; end += size) ends.push_back(end);
    ends.push_back(extent);
    return ends;
  };
}

namespace {

const graph::Node& main_node(const graph::Function& function) {
  return function.nodes[function.values[function.results()[0]].node];
}

std::vector<Phase> phases_of(const graph::Op& op) {
  if (std::holds_alternative<graph::Map>(op)) return {Phase::Map};
  if (std::holds_alternative<graph::Reduce>(op)) {
    return {Phase::ReduceWhole, Phase::ReduceBlocks, Phase::ReduceCombine};
  }
  if (std::holds_alternative<graph::Scan>(op)) {
    return {Phase::ScanWhole, Phase::ScanTotals, Phase::ScanOffsets, Phase::ScanApply};
  }
  if (std::holds_alternative<graph::ReduceByKey>(op)) return {Phase::KeyBlocks, Phase::KeyCombine};
  if (std::holds_alternative<graph::Scatter>(op)) return {Phase::Scatter};
  if (std::holds_alternative<graph::Filter>(op)) return {Phase::FilterCount, Phase::FilterWrite};
  return {};
}

std::int64_t blocks_of(std::int64_t extent, std::int64_t block) {
  return (extent + block - 1) / block;
}

Tensor make(ElementType element, std::vector<std::int64_t> shape) {
  auto tensor = Tensor::make(element, std::move(shape));
  REQUIRE(tensor.has_value());
  // Kernels may not rely on fresh memory being zero.
  std::memset(tensor->data.get(), 0x5b, tensor->bytes());
  return *tensor;
}

std::vector<std::int64_t> join(std::vector<std::int64_t> a, const std::vector<std::int64_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

Compiled::Compiled(const graph::Module& module, const std::string& cpu) : module_(module) {
  auto target = llvm_backend::make_target(cpu);
  REQUIRE(target.ok());
  target_ = *target;
  const graph::FunctionId id{0};
  for (Phase phase : phases_of(main_node(module.functions[id]).op)) {
    std::string symbol = "k_" + std::string(kernel::name(phase));
    std::replace(symbol.begin(), symbol.end(), '-', '_');
    kernels_.push_back({symbol, phase, id});
  }
  Diagnostics problems;
  auto object = llvm_backend::compile(module, kernels_, target_, problems);
  INFO(render_text(problems, SourceMap{}));
  REQUIRE(object.has_value());
  scratch_ = object->scratch_bytes;
  const int file = memfd_create("kernels", 0);
  REQUIRE(write(file, object->shared_object.data(), object->shared_object.size()) ==
          static_cast<ssize_t>(object->shared_object.size()));
  library_ = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  INFO((library_ ? "" : dlerror()));
  REQUIRE(library_ != nullptr);
  close(file);
  for (const kernel::Kernel& kernel : kernels_) {
    auto function =
        reinterpret_cast<kernel::KernelFunction>(dlsym(library_, kernel.symbol.c_str()));
    REQUIRE((function != nullptr));
    functions_[kernel.phase] = function;
  }
}

Compiled::~Compiled() {
  if (library_) dlclose(library_);
}

kernel::KernelFunction Compiled::function(Phase phase) const { return functions_.at(phase); }

std::int64_t Compiled::value(const Size& size, std::span<const Tensor> args) const {
  const auto& params = module_.functions[graph::FunctionId{0}].params();
  const auto found = size.evaluate([&](Size::Symbol symbol) -> std::optional<std::int64_t> {
    for (std::size_t i = 0; i < params.size(); ++i) {
      if (params[i].index == symbol) return args[i].at(0).as_i64();
    }
    return std::nullopt;
  });
  REQUIRE(found.has_value());
  return *found;
}

std::vector<Tensor> Compiled::make_results(std::span<const Tensor> args) const {
  const graph::Function& function = module_.functions[graph::FunctionId{0}];
  std::vector<Tensor> results;
  for (graph::ValueId result : main_node(function).results) {
    std::vector<std::int64_t> shape;
    for (const Size& size : function.values[result].type.shape) shape.push_back(value(size, args));
    results.push_back(make(function.values[result].type.element, shape));
  }
  return results;
}

void Compiled::call(Phase phase, std::span<const Tensor> operands,
                    std::span<const std::int64_t> extents, const Tiling& tiling,
                    kernel::ErrorRecord& error) {
  std::vector<kernel::View> views;
  for (const Tensor& tensor : operands) {
    kernel::View view{tensor.data.get(), {}};
    std::int64_t stride = 1;
    for (std::size_t d = tensor.shape.size(); d-- > 0;) {
      view.strides[d] = stride;
      stride *= tensor.shape[d];
    }
    views.push_back(view);
  }
  std::size_t which = 0;
  while (kernels_[which].phase != phase) ++which;
  const std::int64_t bytes =
      scratch_[which]
          .evaluate([&](Size::Symbol position) -> std::optional<std::int64_t> {
            return operands[position].at(0).as_i64();
          })
          .value();
  const auto scratch = std::make_unique<std::byte[]>(static_cast<std::size_t>(bytes) + 64);
  const std::int32_t cancel = 0;
  std::vector<std::int64_t> low(extents.size()), high(extents.size());
  const std::function<void(std::size_t)> over = [&](std::size_t dim) {
    if (dim == extents.size()) {
      auto* aligned = reinterpret_cast<std::byte*>(
          (reinterpret_cast<std::uintptr_t>(scratch.get()) + 63) & ~63ULL);
      kernel::KernelCall record{views.data(), low.data(), high.data(), aligned, &error, &cancel};
      functions_.at(phase)(&record);
      return;
    }
    std::int64_t begin = 0;
    for (std::int64_t end : tiling(extents[dim], dim)) {
      low[dim] = begin;
      high[dim] = end;
      over(dim + 1);
      begin = end;
    }
  };
  over(0);
}

Outcome Compiled::run(std::span<const Tensor> args, const Tiling& tiling, bool whole) {
  const graph::Function& function = module_.functions[graph::FunctionId{0}];
  const graph::Node& node = main_node(function);
  Outcome outcome;
  const auto sizes = [&](const std::vector<Size>& list) {
    std::vector<std::int64_t> values;
    for (const Size& size : list) values.push_back(value(size, args));
    return values;
  };
  const auto with = [](std::span<const Tensor> a, std::span<const Tensor> b,
                       std::span<const Tensor> c = {}) {
    std::vector<Tensor> all(a.begin(), a.end());
    all.insert(all.end(), b.begin(), b.end());
    all.insert(all.end(), c.begin(), c.end());
    return all;
  };
  const auto elements = [&](std::size_t i) {
    return function.values[node.results[i]].type.element;
  };
  if (!std::holds_alternative<graph::Filter>(node.op)) outcome.results = make_results(args);
  kernel::ErrorRecord& error = outcome.error;
  if (const auto* map = std::get_if<graph::Map>(&node.op)) {
    call(Phase::Map, with(args, outcome.results), sizes(map->space), tiling, error);
  } else if (const auto* reduce = std::get_if<graph::Reduce>(&node.op)) {
    const auto space = sizes(reduce->space);
    if (whole) {
      call(Phase::ReduceWhole, with(args, outcome.results), space, tiling, error);
    } else {
      const std::int64_t blocks = blocks_of(value(reduce->extent, args), graph::reduction_block);
      std::vector<Tensor> partial;
      for (std::size_t i = 0; i < node.results.size(); ++i)
        partial.push_back(make(elements(i), join({blocks}, space)));
      call(Phase::ReduceBlocks, with(args, partial), join(space, {blocks}), tiling, error);
      call(Phase::ReduceCombine, with(args, partial, outcome.results), space, tiling, error);
    }
  } else if (const auto* scan = std::get_if<graph::Scan>(&node.op)) {
    const auto space = sizes(scan->space);
    if (whole) {
      call(Phase::ScanWhole, with(args, outcome.results), space, tiling, error);
    } else {
      const std::int64_t blocks = blocks_of(value(scan->extent, args), graph::reduction_block);
      std::vector<Tensor> totals, offsets;
      for (std::size_t i = 0; i < node.results.size(); ++i) {
        totals.push_back(make(elements(i), join(space, {blocks})));
        offsets.push_back(make(elements(i), join(space, {blocks})));
      }
      call(Phase::ScanTotals, with(args, totals), join(space, {blocks}), tiling, error);
      call(Phase::ScanOffsets, with(args, totals, offsets), space, tiling, error);
      call(Phase::ScanApply, with(args, offsets, outcome.results), join(space, {blocks}), tiling,
           error);
    }
  } else if (const auto* keyed = std::get_if<graph::ReduceByKey>(&node.op)) {
    const auto space = sizes(keyed->space);
    const std::int64_t keys = value(keyed->keys, args);
    const std::int64_t blocks = blocks_of(value(keyed->extent, args), graph::key_block(keys));
    std::vector<Tensor> partial;
    for (std::size_t i = 0; i < node.results.size(); ++i) {
      partial.push_back(make(elements(i), join({blocks, keys}, space)));
    }
    partial.push_back(make(ElementType::Bool, {blocks, keys}));
    const std::int64_t tiles[] = {blocks};
    call(Phase::KeyBlocks, with(args, partial), tiles, tiling, error);
    const std::int64_t key_tiles[] = {keys};
    call(Phase::KeyCombine, with(args, partial, outcome.results), key_tiles, tiling, error);
  } else if (std::holds_alternative<graph::Scatter>(node.op)) {
    const std::int64_t rows[] = {outcome.results[0].shape[0]};
    call(Phase::Scatter, with(args, outcome.results), rows, tiling, error);
  } else if (const auto* filter = std::get_if<graph::Filter>(&node.op)) {
    const std::int64_t chunks[] = {blocks_of(value(filter->extent, args), graph::reduction_block)};
    std::vector<Tensor> counts{make(ElementType::I64, {chunks[0]})},
        offsets{make(ElementType::I64, {chunks[0]})};
    call(Phase::FilterCount, with(args, counts), chunks, tiling, error);
    std::int64_t total = 0;
    for (std::int64_t c = 0; c < chunks[0]; ++c) {
      offsets[0].set(c, Scalar::of_i64(total));
      total += counts[0].at(c).as_i64();
    }
    std::vector<Tensor> kept;
    for (std::size_t i = 1; i < node.results.size(); ++i)
      kept.push_back(make(elements(i), {total}));
    call(Phase::FilterWrite, with(args, offsets, kept), chunks, tiling, error);
    outcome.results.push_back(Tensor::of_scalar(Scalar::of_i64(total)));
    for (Tensor& tensor : kept) outcome.results.push_back(tensor);
  }
  return outcome;
}

Tensor random_tensor(ElementType element, std::vector<std::int64_t> shape, std::uint64_t seed,
                     bool wide) {
  Tensor tensor = make(element, std::move(shape));
  std::uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 0x1234567;
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    const std::uint64_t bits = state * 0x2545f4914f6cdd1dULL;
    if (is_float(element)) {
      const double unit = static_cast<double>(bits >> 11) / 9007199254740992.0;
      tensor.set(i, Scalar::of_float(element, (unit - 0.5) * (wide ? 1e6 : 8.0)));
    } else if (element == ElementType::Bool) {
      tensor.set(i, Scalar::of_bool(bits >> 63));
    } else {
      const std::int64_t number = static_cast<std::int64_t>(bits >> 8);
      tensor.set(i, Scalar::of_integer(element,
                                       wide ? number : number % 17 - (is_signed(element) ? 8 : 0)));
    }
  }
  return tensor;
}

Tensor scalar_i64(std::int64_t value) { return Tensor::of_scalar(Scalar::of_i64(value)); }

}  // namespace dvm::kernel_test
