// SPDX-License-Identifier: Apache-2.0
#include <shared/print_program.hpp>
#include <shared/read_program.hpp>
#include <shared/shared_program.hpp>
#include <shared/simplified_program.hpp>

namespace tenon {

using namespace ir;
using namespace passes;
using namespace kernels;

graph_owner read_program(std::string_view text, const parse_options& options) { return parse(text, options); }
std::string print_program(const graph& program, text_form form) { return to_text(program, form); }
owned_graph simplified_program(const graph& program, int most_nodes) {
  simplifying_progress progress;
  return simplify(program, *entry_of(program), most_nodes, progress);
}
owned_graph simplified_program(const graph& program, simplifying_progress& progress) {
  return simplify(program, *entry_of(program), 1000, progress);
}
owned_graph static_program(const graph& simplified, bounded_refusal& refusal) {
  return give_static_shapes(simplified, refusal);
}
owned_plan planned_program(const graph& simplified) { return owned_plan(simplified); }

shared_program::shared_program(std::string_view text, kernel_finder find, const load_options& options)
    : loaded_program(text, find, options) {}
shared_program::shared_program(const graph& program, kernel_finder find, const load_options& options)
    : loaded_program(program, find, options) {}
shared_program::shared_program(shared_program&&) noexcept = default;
shared_program::~shared_program() = default;
void shared_program::operator()(std::initializer_list<argument_view> arguments,
                                std::initializer_list<result_view> results, const run_options& how) {
  loaded_program::operator()(arguments, results, how);
}
void shared_program::operator()(const void* const* arguments, void* const* results, const run_options& how) {
  loaded_program::operator()(arguments, results, how);
}
void shared_program::operator()(const void* const* arguments, void* const* results, void* arena,
                                const run_options& how) const {
  loaded_program::operator()(arguments, results, arena, how);
}
void shared_program::operator()(const void* const* arguments, const index_t* argument_sizes, void* const* results,
                                index_t* result_sizes, const run_options& how) {
  loaded_program::operator()(arguments, argument_sizes, results, result_sizes, how);
}

}  // namespace tenon
