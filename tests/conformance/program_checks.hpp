// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checks.hpp"

#include <tenon/ops/control/custom_call.hpp>
#include <tenon/run/constants.hpp>
#include <tenon/run/execute.hpp>
#include <tenon/text/parse_options.hpp>

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

// The ops and custom calls by which third-party programs check themselves, for a program that is running.
namespace conformance {

// What the checks of the running program have found, and what its probes have kept.
struct run_state {
  int checks = 0;
  verdict total;
  std::string unsupported;
  std::map<std::string, std::vector<std::string>> probes;
  std::mutex turn;  // of the processes of a grid

  void add(const verdict& one, const std::string& name) {
    ++checks;
    if (one.worst > total.worst) total.worst = one.worst;
    if (one.failed && !total.failed) {
      total.failed = true;
      total.detail = name + ": " + one.detail;
    }
  }
};

inline run_state* running = nullptr;

// The number or word behind `key =` in a piece of text.
inline std::string attribute(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  std::size_t first = text.find('=', at);
  if (first == std::string_view::npos) return {};
  first = text.find_first_not_of(" \"", first + 1);
  const std::size_t last = text.find_first_of(" \",:}", first);
  return std::string(text.substr(first, last == std::string_view::npos ? last : last - first));
}

inline double number(const std::string& text, double otherwise) { return text.empty() ? otherwise : std::stod(text); }

inline bool has_type(const tenon::tensor_type& a, const tenon::tensor_type& b) {
  return a.element == b.element && a.shape == b.shape;
}

inline void run_foreign(const void*, const tenon::ir::graph& g, const tenon::ir::graph_node& node,
                        const tenon::core::evaluation& e) {
  run_state& state = *running;
  const std::lock_guard lock(state.turn);
  const std::string name(tenon::name_of_foreign(g, node));
  const tenon::index_t* const words = g.words.data + node.words;
  const std::string_view attributes = g.text.substr(std::size_t(words[0]), std::size_t(words[1]));
  const auto literal_of = [&](const tenon::tensor_type& type) {
    std::string bytes(std::size_t(tenon::byte_size(type)) + 16, '\0');
    if (words[2] < 0 || !tenon::execution::text_literals::decode(g, g.literals.data[words[2]], type, type.size(),
                                                                 reinterpret_cast<unsigned char*>(bytes.data())))
      state.unsupported = name + " without a literal";
    return bytes;
  };
  const bool constant = name.ends_with("_const");
  if (name.starts_with("check.expect_") && !name.ends_with("serialized_eq")) {
    const tenon::tensor_type& type = e.operand_types.data[0];
    const std::string bytes = constant ? literal_of(type) : std::string();
    const void* const expected = constant ? bytes.data() : e.operands[1];
    if (name.starts_with("check.expect_eq"))
      state.add(compare(check::equal, type, e.operands[0], expected, 0), name);
    else if (name.starts_with("check.expect_almost_eq"))
      state.add(
          compare(check::almost_equal, type, e.operands[0], expected, number(attribute(attributes, "tolerance"), 1e-4)),
          name);
    else
      state.add(
          compare(check::close, type, e.operands[0], expected, number(attribute(attributes, "max_ulp_difference"), 1),
                  number(attribute(attributes, "min_ulp_difference"), 0)),
          name);
  } else if (name == "interpreter.probe") {
    const tenon::tensor_type& type = e.operand_types.data[0];
    const std::size_t bytes = std::size_t(tenon::byte_size(type));
    std::memcpy(e.results[0], e.operands[0], bytes);
    state.probes[attribute(attributes, "probe_id")].emplace_back(static_cast<const char*>(e.operands[0]), bytes);
  } else if (name == "check.expect_serialized_eq") {
    const auto& kept = state.probes[attribute(attributes, "probe_id")];
    const std::size_t which = std::size_t(number(attribute(attributes, "iter"), 0));
    const tenon::tensor_type& type = e.operand_types.data[0];
    verdict found;
    if (which >= kept.size() || kept[which].size() != std::size_t(tenon::byte_size(type)))
      found.fail(0, "no such probe", "a tensor");
    else
      found = compare(check::equal, type, kept[which].data(), e.operands[0], 0);
    state.add(found, name);
  } else if (name == "interpreter.print") {
    ++state.checks;
  } else {
    state.unsupported = name;
  }
}

// Custom calls of the checks that JAX-written programs use.
template <check How>
void run_custom_check(const tenon::core::evaluation& e, double most) {
  const auto call = tenon::core::read_attributes<tenon::ops::custom_call>(e.words);
  const std::string name(e.details->name_of(call.call_target_name.id));
  verdict found;
  if (e.operands.size != 2 || !has_type(e.operand_types[0], e.operand_types[1]))
    found.fail(0, "another type", "the same type");
  else
    found = compare(How, e.operand_types[0], e.operands[0], e.operands[1], most);
  const std::lock_guard lock(running->turn);
  running->add(found, name);
}

inline const tenon::custom_call_target custom_checks[] = {
    {"check.expect_eq", [](const tenon::core::evaluation& e) { run_custom_check<check::equal>(e, 0); }},
    {"check.expect_almost_eq",
     [](const tenon::core::evaluation& e) { run_custom_check<check::almost_equal>(e, 1e-3); }},
    {"check.eq", [](const tenon::core::evaluation& e) { run_custom_check<check::almost_equal>(e, 1e-4); }},
    {"check.expect_close", [](const tenon::core::evaluation& e) { run_custom_check<check::close>(e, 3); }}};

}  // namespace conformance
