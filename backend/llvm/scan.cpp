#include "backend/llvm/emitter.hpp"
namespace dvm::llvm_backend {
void Emitter::emit_scan(graph::NodeId id) { unsupported(node(id), "scan"); }
void Emitter::scan_whole_phase() { unsupported(node(main_), "scan"); }
void Emitter::scan_totals_phase() { unsupported(node(main_), "scan"); }
void Emitter::scan_offsets_phase() { unsupported(node(main_), "scan"); }
void Emitter::scan_apply_phase() { unsupported(node(main_), "scan"); }
void Emitter::key_blocks_phase() { unsupported(node(main_), "scan"); }
void Emitter::key_combine_phase() { unsupported(node(main_), "scan"); }
void Emitter::scatter_phase() { unsupported(node(main_), "scan"); }
void Emitter::filter_phase(bool) { unsupported(node(main_), "scan"); }
}  // namespace dvm::llvm_backend
