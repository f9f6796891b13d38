// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/loaded_programs.hpp>.
#pragma once

#include <tenon/graph/ir/diagnostic.hpp>
#include <tenon/kernels/registry.hpp>
#include <tenon/quantized/owned.hpp>
#include <tenon/run/constants.hpp>
#include <tenon/run/execute.hpp>
#include <tenon/run/owned_links.hpp>
#include <tenon/run/sized_call.hpp>
#include <tenon/text/parse.hpp>
#include <tenon/text/specialize.hpp>

#include <initializer_list>
#include <new>
#include <string_view>
#include <vector>

namespace tenon {

// Why a program cannot be run; `where` is the position of the op, if one is to blame.
struct load_error {
  const char* label = nullptr;
  const char* sentence = nullptr;
  int line = 0, column = 0;
  int kind = -1;               // the op that cannot be run
  int dimension = -1;          // along which dimension, if it is one of bounded size
  std::string_view name = {};  // what nobody knows: of an op, or of the target of a custom call

  constexpr explicit operator bool() const { return label != nullptr; }
};

struct load_options {
  parse_options parsing;
  // The function to run; where it is empty, main, the only one, or the only public one.
  std::string_view entry;
  // Ops that the parser lets through as foreign are run by this.
  foreign_kernel foreign = nullptr;
  const void* foreign_context = nullptr;
  int most_nodes = 10'000'000;  // after the bodies of functions have taken the places of calls
  // Those of all arguments, where the text leaves sizes open (tensor<?xf32>), or, `in_parts`, of what one process has
  // of them, and of the results.
  core::list<ints> argument_shapes = {};
  bool in_parts = false;
  index_t most_bytes = index_t(1) << 36;  // of its working memory, of its constants, and of each argument and result
};

// An argument or a result of a program that is read: where its elements are, dense and row-major, and their type.
template <class Pointer>
struct typed_view {
  tensor_type type;
  Pointer data;

  typed_view(const tensor_type& of, Pointer elements) : type(of), data(elements) {}
  template <class Tensor>
    requires requires(Tensor& tensor) { std::remove_cvref_t<Tensor>::type, Pointer(tensor.data()); }
  typed_view(Tensor&& tensor) : type(std::remove_cvref_t<Tensor>::type), data(tensor.data()) {}
};
using argument_view = typed_view<const void*>;
using result_view = typed_view<void*>;

// A program read from text when the program runs: parsed, verified, simplified and planned by the same code that does
// it while compiling.
class loaded_program {
 public:
  // `find` gives the kernels; find_kernel<> knows them all. The text must outlive the program.
  loaded_program(std::string_view text, kernels::kernel_finder find, const load_options& options = {})
      : loaded_program(parse(text, parsing_of(options)), find, options) {}
  // A program that a builder has made.
  loaded_program(const ir::graph& program, kernels::kernel_finder find, const load_options& options = {})
      : loaded_program(graph_owner(program), find, options) {}
  loaded_program(graph_owner parsed, kernels::kernel_finder find, const load_options& options = {})
      : options_(options), find_(find), parsed_(std::move(parsed)) {
    load();
  }

  const load_error& error() const { return error_; }
  // Whether it can be run: it is not where there is an error, without a function to run, and after it was moved from.
  explicit operator bool() const { return plan_ != nullptr && !error_; }
  // False for a module without a function to run.
  bool has_entry() const { return entry_ >= 0; }

  // The graph of the text, for the shapes of the arguments, and its function; a program like this one of another graph.
  const ir::graph& source() const { return specialized_ ? specialized_->get() : parsed_.program(); }
  ir::graph_function function() const { return {0, entry_, true}; }
  loaded_program like(const ir::graph& derived) const { return {derived, find_, options_}; }

  const ir::graph& program() const { return simplified_.get(); }
  const planning::plan& plan() const {
    if (plan_ == nullptr) check_loaded();
    return plan_->get();
  }
  index_t arena_bytes() const { return plan().arena_bytes; }
  // How often each rewrite of graph/passes/rewrites.hpp was applied.
  const auto& applied_rewrites() const { return applied_; }

  // As the text has them, with bounds.
  int argument_count() const { return entry().argument_count; }
  int result_count() const { return entry().yield_count; }
  const tensor_type& argument_type(int i) const { return source().type_of_value(entry().arguments + i); }
  const tensor_type& result_type(int i) const { return source().type_of_value(source().yields_of(entry()).data[i]); }

  // Runs on views, or tensors, whose number and types are checked: program({x, y}, {z}). Fails with a message that says
  // which of them is not what the program has.
  void operator()(std::initializer_list<argument_view> arguments, std::initializer_list<result_view> results,
                  const run_options& how = usual_options) {
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    check_views("argument", arguments, argument_count(), [&](int i) { return argument_type(i); }, inputs);
    check_views("result", results, result_count(), [&](int i) { return result_type(i); }, outputs);
    (*this)(inputs.data(), outputs.data(), how);
  }

  // Runs on dense row-major arguments and results, and working memory that is kept for the next run. Bounded dimensions
  // are as large as their bounds; a result that is smaller is an error.
  void operator()(const void* const* arguments, void* const* results, const run_options& how = usual_options) {
    run(arguments, nullptr, results, nullptr, kept_arena(), how);
  }
  // The same on working memory of the caller's: `arena_bytes()`, aligned to 64 bytes. So several threads may run it.
  void operator()(const void* const* arguments, void* const* results, void* arena,
                  const run_options& how = usual_options) const {
    run(arguments, nullptr, results, nullptr, arena, how);
  }
  // Runs with a size for each bounded dimension of the arguments and of the results, in order. In memory these are as
  // large as their bounds; elements beyond the sizes are not read.
  void operator()(const void* const* arguments, const index_t* argument_sizes, void* const* results,
                  index_t* result_sizes, const run_options& how = usual_options) {
    run(arguments, argument_sizes, results, result_sizes, kept_arena(), how);
  }

 private:
  struct free_block {
    void operator()(unsigned char* memory) const { ::operator delete(memory, std::align_val_t(64)); }
  };
  using byte_block = std::unique_ptr<unsigned char[], free_block>;
  static byte_block block(index_t bytes) {
    void* const memory = ::operator new(std::size_t(bytes) + 64, std::align_val_t(64), std::nothrow);
    if (memory == nullptr) fail("there is no memory for the ", bytes, " bytes that the program needs");
    return byte_block(static_cast<unsigned char*>(memory));
  }

  load_options options_;
  kernels::kernel_finder find_;
  graph_owner parsed_;
  std::unique_ptr<passes::owned_graph> specialized_;
  passes::owned_graph dequantized_, simplified_;
  std::unique_ptr<passes::owned_plan> plan_;
  std::vector<core::kernel> kernels_;
  execution::owned_links links_;
  byte_block constants_, arena_;
  load_error error_;
  int applied_[passes::all_rewrites::size]{};
  bool is_sized_ = false;  // has bounded dimensions
  int entry_ = -1;         // the region of the function, in the source

  const ir::graph_region& entry() const {
    static constexpr ir::graph_region none{};
    return *this ? source().regions.data[entry_] : none;
  }

  template <class View, class TypeOf, class Pointer>
  void check_views(std::string_view what, std::initializer_list<View> views, int count, TypeOf type_of,
                   std::vector<Pointer>& pointers) const {
    check_loaded();
    if (int(views.size()) != count) fail("the program has ", count, " ", what, "s, not ", views.size());
    for (int i = 0; i < count; ++i) {
      const tensor_type& given = views.begin()[i].type;
      if (!(given == type_of(i))) fail(what, " ", i, " is ", given, ", where the program has ", type_of(i));
      pointers.push_back(views.begin()[i].data);
    }
  }
  static void check_pointer(std::string_view what, int i, const tensor_type& type, const void* data) {
    if (!type.is_tensor() || byte_size(type) == 0) return;
    if (data == nullptr) fail(what, " ", i, " is a null pointer");
    const std::size_t bytes = std::size_t(storage_bytes(type.element)) / (is_complex(type.element) ? 2 : 1);
    if (reinterpret_cast<std::uintptr_t>(data) % bytes != 0) fail(what, " ", i, " is not aligned to its elements");
  }
  void check_loaded() const {
    if (!*this) fail("the program cannot be run: ", error_ ? error_.sentence : "it has no function");
  }
  bool load() {
    if (const parse_error& error = parsed_.error()) {
      error_ = {error.label, error.sentence, error.line, error.column};
      if (std::string_view(error.label) == "unknown_op")
        error_.name = op_name_at(parsed_.program().text, std::size_t(error.byte));
      return false;
    }
    const std::optional<ir::graph_function> function =
        options_.entry.empty() ? ir::entry_of(parsed_.program()) : parsed_.program().find_function(options_.entry);
    if (!function || function->region < 0) return false;
    entry_ = function->region, options_.entry = {};
    if (has_open_types(parsed_.program()) && !make_for_shapes(*function)) return false;
    if (source().quantizations.size > 0) dequantized_ = passes::write_expressed(source());
    if (!simplify(dequantized_.get().nodes.size > 0 ? dequantized_.get() : source(),
                  specialized_ ? source().functions.data[0] : *function))
      return false;
    if (is_sized_ = passes::has_bounded_dimensions(program()); is_sized_ && !remove_bounds()) return false;
    if (passes::wide_folds{program()}.has_any()) {
      simplified_ = passes::write_conversions<passes::wide_folds>(program());
      if (!simplify(program(), program().functions.data[0])) return false;
    }
    const ir::graph& g = program();
    if (g.functions.size == 0) return refuse({"too_large", "the program has no form of static shapes"});
    if (!every_target_is_known()) return false;
    plan_ = std::make_unique<passes::owned_plan>(g);
    const tenon::planning::plan& p = plan_->get();
    if (p.main_block < 0) return refuse({"too_large", "the program could not be planned"});
    const auto fits = [&](index_t bytes) { return 0 <= bytes && bytes <= options_.most_bytes; };
    bool all_fit = fits(p.constant_bytes) && fits(p.arena_bytes);
    for (int i = 0; i < argument_count(); ++i) all_fit = all_fit && fits(byte_size(argument_type(i)));
    for (int i = 0; i < result_count(); ++i) all_fit = all_fit && fits(byte_size(result_type(i)));
    if (!all_fit) return refuse({"too_large", "the program needs more memory than load_options::most_bytes"});
    for (int i = 0; i < p.kernels.size; ++i) {
      kernels_.push_back(find_(p.kernels.data[i]));
      if (kernels_.back() == nullptr) return no_kernel(i);
    }
    links_ = execution::owned_links(g, p);
    constants_ = block(p.constant_bytes);
    return execution::decode_constants(g, p, constants_.get()) || refuse({"syntax", "a constant is not well formed"});
  }
  void* kept_arena() {
    check_loaded();
    if (arena_ == nullptr) arena_ = block(arena_bytes());
    return arena_.get();
  }
  void run(const void* const* arguments, const index_t* argument_sizes, void* const* results, index_t* result_sizes,
           void* arena, const run_options& how) const {
    check_loaded();
    if (reinterpret_cast<std::uintptr_t>(arena) % 64 != 0 || (arena == nullptr && arena_bytes() > 0))
      fail("the working memory is not aligned to 64 bytes, or a null pointer");
    if ((arguments == nullptr && argument_count() > 0) || (results == nullptr && result_count() > 0))
      fail("the list of arguments or of results is a null pointer");
    for (int i = 0; i < argument_count(); ++i) check_pointer("argument", i, argument_type(i), arguments[i]);
    for (int i = 0; i < result_count(); ++i) check_pointer("result", i, result_type(i), results[i]);
    run_options all = how;
    if (options_.foreign != nullptr && how.foreign == nullptr)
      all.foreign = options_.foreign, all.foreign_context = options_.foreign_context;
    const execution::linked_calls calls = links_.calls();
    const auto walk = [&](const void* const* from, void* const* to) {
      execution::plan_executor(program(), plan(), calls, kernels_.data(), constants_.get(), arena, all)(from, to);
    };
    if (!is_sized_) return walk(arguments, results);
    std::vector<tensor_type> takes, gives;
    for (int i = 0; i < argument_count(); ++i) takes.push_back(argument_type(i));
    for (int i = 0; i < result_count(); ++i) gives.push_back(result_type(i));
    execution::sized_call call({takes.data(), int(takes.size())}, {gives.data(), int(gives.size())});
    if (!call.is_sized()) return walk(arguments, results);
    std::vector<const void*> inputs(std::size_t(call.argument_count()) + 1);
    std::vector<void*> outputs(std::size_t(call.result_count()) + 1);
    std::vector<index_t> sizes(std::size_t(call.size_count()) + 1);
    call.prepare(arguments, argument_sizes, results, inputs.data(), outputs.data(), sizes.data());
    walk(inputs.data(), outputs.data());
    call.finish(sizes.data(), result_sizes);
  }

  static parse_options parsing_of(const load_options& options) {
    parse_options result = options.parsing;
    result.open_sizes = options.argument_shapes.size > 0;
    result.in_parts = options.in_parts;
    result.part_shapes = options.argument_shapes;
    return result;
  }
  bool make_for_shapes(const ir::graph_function& function) {
    specialization_error error;
    specialized_ = std::make_unique<passes::owned_graph>(
        specialize(parsed_.program(), function, options_.argument_shapes, options_.most_nodes, error));
    options_.argument_shapes = {};
    if (error) return specialized_ = nullptr, refuse({error.label, error.sentence}, error.source);
    entry_ = source().functions.data[0].region;
    return true;
  }

  bool simplify(const ir::graph& from, const ir::graph_function& function) {
    passes::simplifying_progress progress;
    simplified_ = passes::simplify(from, function, options_.most_nodes, progress);
    for (int i = 0; i < passes::all_rewrites::size; ++i) applied_[i] += progress.applied[i];
    return progress.failure == nullptr || refuse({"too_large", progress.failure}, progress.failed_at);
  }

  bool remove_bounds() {
    passes::bounded_refusal refusal;
    passes::owned_graph fixed = passes::give_static_shapes(simplified_.get(), refusal);
    if (refusal)
      return refuse({"not_supported", refusal.sentence, 0, 0, refusal.kind, refusal.dimension}, refusal.source);
    simplified_ = std::move(fixed);
    return program().functions.size == 0 || simplify(program(), program().functions.data[0]);
  }

  static std::string_view op_name_at(std::string_view text, std::size_t first) {
    if (first < text.size() && text[first] == '"') ++first;
    const std::size_t end = text.find_first_of(" \t\r\n\"(),:%<{", first);
    return first < text.size() ? text.substr(first, end - first) : std::string_view();
  }

  bool every_target_is_known() {
    const ir::graph& g = program();
    const int unknown = g.functions.size > 0 ? unknown_target(g, g.functions.data[0].region) : -1;
    if (unknown < 0) return true;
    const ir::graph_node& call = g.nodes.data[unknown];
    const std::string_view target = g.name_of(int(g.words.data[call.words]));
    return refuse({"not_supported", "nobody runs the target of this custom call", 0, 0, -1, -1, target}, call.source);
  }
  // The first custom call of a region that nobody runs, or -1. Of branches one without is enough: JAX exports a branch
  // for each platform. The others are an error where they are reached.
  static int unknown_target(const ir::graph& g, int region) {
    for (int n = g.regions.data[region].first; n < g.regions.data[region].last; ++n) {
      const ir::graph_node& node = g.nodes.data[n];
      if (node.region != region) continue;
      const ir::op_facts& facts = ir::facts_of(node.kind);
      if (facts.runs_targets && custom_call_target::find(g.name_of(int(g.words.data[node.words]))) == nullptr) return n;
      int first = -1, unknown = 0;
      for (const int inner : g.regions_of(node))
        if (const int found = unknown_target(g, inner); found >= 0 && unknown++ == 0) first = found;
      if (unknown > 0 && (!facts.places_results || unknown == node.region_count)) return first;
    }
    return -1;
  }

  bool refuse(const load_error& error, int source = -1) {
    error_ = error;
    if (source < 0) return false;
    const tenon::detail::text_position at(parsed_.program().text, source);
    error_.line = at.line, error_.column = at.column;
    return false;
  }

  bool no_kernel(int which) {
    int node = -1;
    for (const planning::plan_step& step : plan().steps) {
      if (step.kernel == which) node = step.node;
      for (int m = step.first_instruction; m < step.first_instruction + step.instruction_count; ++m)
        if (plan().instructions.data[m].kernel == which) node = plan().instructions.data[m].node;
    }
    return refuse(
        {"not_supported", "the op cannot be run on these element types", 0, 0, plan().kernels.data[which].kind},
        node < 0 ? -1 : program().nodes.data[node].source);
  }
};

}  // namespace tenon
