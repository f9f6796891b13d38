// SPDX-License-Identifier: Apache-2.0
#include <shared/print_program.hpp>
#include <shared/read_program.hpp>
#include <shared/shared_program.hpp>
#include <tenon/kernels/all.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fuzz/exercise.hpp>
#include <text/graphs.hpp>

namespace fuzz {
namespace {

constexpr double most_work = 3e6;   // elements that a run may touch
constexpr double most_bytes = 3e7;  // that a run may take
constexpr int most_nodes = 20000;   // after inlining
constexpr int most_rounds = 50;     // of all loops together
constexpr tenon::parse_options dialects{"check interpreter chlo"};

int rounds_left = 0;

// With FUZZ_GO_ON in the environment what is wrong is only told, and the search goes on.
void stop(const char* what, std::string_view detail) {
  std::fprintf(stderr, "fuzz: %s\n%.*s\n", what, int(detail.size()), detail.data());
  if (std::getenv("FUZZ_GO_ON") == nullptr) std::abort();
}

void check_error(const tenon::parse_error& error, std::string_view text) {
  int lines = 1;
  for (char c : text) lines += c == '\n';
  if (error.label == nullptr || error.sentence == nullptr || error.line < 1 || error.line > lines || error.column < 1)
    stop("an error without a place", text);
}

// What stands behind the name of a foreign op is kept as it is, sense or nonsense.
void check_printing(const tenon::ir::graph& program) {
  for (const tenon::ir::graph_node& node : program.nodes)
    if (tenon::is_foreign(node)) return;
  for (const tenon::text_form form : {tenon::text_form::own, tenon::text_form::generic}) {
    const std::string printed = tenon::print_program(program, form);
    const tenon::graph_owner again = tenon::read_program(printed, dialects);
    if (again.error())
      stop(again.error().sentence, printed);
    else if (!tenon::same_program(program, again.program()))
      stop("printed and read, it is another program", printed);
  }
}

// An upper bound of the elements that one run of a region touches.
class work_estimate {
 public:
  explicit work_estimate(const tenon::ir::graph& g) : g_(g) {}

  double of_region(int region) const {
    double total = 1;
    const tenon::ir::graph_region& body = g_.regions[region];
    for (int n = body.first; n < body.last; ++n)
      if (g_.nodes[n].region == region) total += of_node(g_.nodes[n]);
    return total;
  }

 private:
  const tenon::ir::graph& g_;

  double elements(int value) const {
    double product = 1;
    for (tenon::index_t size : g_.type_of_value(value).shape) product *= double(size < 0 ? 0 : size);
    return product;
  }
  template <class Op>
  double window(const tenon::ir::graph_node& node) const {
    double product = 1;
    for (tenon::index_t size : tenon::core::read_attributes<Op>(g_.words.data + node.words).window_dimensions)
      product *= double(size);
    return product;
  }
  double of_node(const tenon::ir::graph_node& node) const {
    double own = 1;
    for (int value : g_.operands_of(node)) own += elements(value);
    for (int i = 0; i < node.result_count; ++i) own += elements(node.results + i);
    if (node.kind == tenon::kind_of_op<tenon::ops::reduce_window>) own *= window<tenon::ops::reduce_window>(node);
    if (node.kind == tenon::kind_of_op<tenon::ops::select_and_scatter>)
      own *= window<tenon::ops::select_and_scatter>(node);
    constexpr int products[] = {
        tenon::kind_of_op<tenon::ops::dot_general>,  tenon::kind_of_op<tenon::ops::dot>,
        tenon::kind_of_op<tenon::ops::einsum>,       tenon::kind_of_op<tenon::ops::convolution>,
        tenon::kind_of_op<tenon::ops::dynamic_conv>, tenon::kind_of_op<tenon::ops::fft>,
        tenon::kind_of_op<tenon::ops::cholesky>,     tenon::kind_of_op<tenon::ops::triangular_solve>};
    for (int kind : products)
      if (node.kind == kind) own *= own;
    double total = own;
    const bool loop = node.kind == tenon::kind_of_op<tenon::ops::while_>;
    for (int region : g_.regions_of(node)) total += of_region(region) * (loop ? most_rounds : own);
    return total;
  }
};

bool is_cheap(const tenon::ir::graph& program, const tenon::ir::graph_function& function) {
  tenon::passes::owned_graph dequantized;
  if (program.quantizations.size > 0)
    dequantized = tenon::passes::write_conversions<tenon::passes::expressed_types>(program);
  tenon::passes::simplifying_progress progress;
  const tenon::passes::owned_graph simplified = tenon::passes::simplify(
      dequantized.get().nodes.size > 0 ? dequantized.get() : program, function, most_nodes, progress);
  const tenon::ir::graph& g = simplified.get();
  if (g.functions.size == 0) return false;
  double bytes = 0;
  for (int i = 0; i < g.values.size; ++i) bytes += double(tenon::core::value_bytes(g.type_of_value(i), &g));
  if (bytes > most_bytes || work_estimate(g).of_region(g.functions[0].region) > most_work) return false;
  const tenon::passes::owned_plan plan(g);
  return double(plan.get().arena_bytes) + double(plan.get().constant_bytes) < most_bytes;
}

// Loops end when all of them together have gone round often enough.
struct loop {
  const tenon::core::evaluation* whole;
};
bool in_place(const void* context, int region, int result) {
  return static_cast<const loop*>(context)->whole->writes_over_argument(region, result);
}
void run_part(const void* context, int region, const void* const* arguments, void* const* results) {
  const tenon::core::evaluation& whole = *static_cast<const loop*>(context)->whole;
  whole.run(region, arguments, results);
  if (region == 0 && --rounds_left < 0) *static_cast<bool*>(results[0]) = false;
}
void run_loop(const tenon::core::evaluation& e) {
  const loop context{&e};
  tenon::core::evaluation bounded = e;
  bounded.run_region = &run_part;
  bounded.gives_in_place = &in_place;
  bounded.find_lanes = nullptr;
  bounded.region_context = &context;
  tenon::core::read_attributes<tenon::ops::while_>(e.words).evaluate<void>(bounded);
}
tenon::core::kernel find_bounded_kernel(const tenon::planning::kernel_key& key) {
  if (key.kind == tenon::kind_of_op<tenon::ops::while_>) return &run_loop;
  return tenon::find_any_kernel(key);
}

void run_foreign(const void*, const tenon::ir::graph& g, const tenon::ir::graph_node&,
                 const tenon::core::evaluation& e) {
  for (int i = 0; i < e.results.size; ++i)
    if (e.results[i] != nullptr)
      std::memset(e.results[i], 0, std::size_t(tenon::core::value_bytes(e.result_types[i], &g)));
}

struct free_memory {
  void operator()(void* memory) const { std::free(memory); }
};
using memory = std::unique_ptr<void, free_memory>;

memory zeros(const tenon::tensor_type& type, const tenon::ir::graph& g) {
  const std::size_t bytes = (std::size_t(tenon::core::value_bytes(type, &g)) + 127) / 64 * 64;
  memory result(std::aligned_alloc(64, bytes));
  std::memset(result.get(), 0, bytes);
  return result;
}

void run_on_zeros(std::string_view text) {
  tenon::load_options options;
  options.parsing = dialects;
  options.most_nodes = most_nodes;
  options.foreign = &run_foreign;
  tenon::shared_program program(text, &find_bounded_kernel, options);
  if (program.error() || !program.has_entry()) return;
  std::vector<memory> blocks;
  std::vector<const void*> arguments;
  std::vector<void*> results;
  for (int i = 0; i < program.argument_count(); ++i) {
    blocks.push_back(zeros(program.argument_type(i), program.program()));
    arguments.push_back(blocks.back().get());
  }
  for (int i = 0; i < program.result_count(); ++i) {
    blocks.push_back(zeros(program.result_type(i), program.program()));
    results.push_back(blocks.back().get());
  }
  rounds_left = most_rounds;
  try {
    program(arguments.data(), results.data());
  } catch (const tenon::error&) {
    // What a program does while it runs may be refused with a message.
  }
}

}  // namespace

void exercise(std::string_view text, bool is_printed) {
  const tenon::graph_owner parsed = tenon::read_program(text, dialects);
  if (const tenon::parse_error& error = parsed.error()) return check_error(error, text);
  // HLO is printed as StableHLO, whose regions hold what HLO calls from them.
  if (is_printed && !tenon::text::is_hlo(text)) check_printing(parsed.program());
  const auto entry = tenon::ir::entry_of(parsed.program());
  if (entry && entry->region >= 0 && is_cheap(parsed.program(), *entry)) run_on_zeros(text);
}

}  // namespace fuzz
