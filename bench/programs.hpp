// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compare.hpp"

#include <tenon/kernels/all.hpp>
#include <tenon/run/loaded_program.hpp>

#include <concepts>
#include <string_view>
#include <tuple>
#include <utility>

namespace bench {

// A tensor type as a StableHLO text has it.
inline std::string type_text(std::string_view element, const ints& shape) {
  std::string text = "tensor<";
  for (index_t size : shape) text += std::to_string(size) + "x";
  return text + std::string(element) + ">";
}
template <class T>
std::string type_text(const ints& shape) {
  return type_text(tenon::name(dtype_of<T>), shape);
}

// An argument of a program: %a, %b, ... in the order in which they are given.
template <class T>
struct argument {
  std::string type;
  buffer<T> elements;

  // A template, so that a shape in braces is not taken for an argument in braces.
  template <std::same_as<ints> Shape = ints>
  argument(const Shape& shape, double low = -1, double high = 1, std::uint64_t seed = 1)
      : type(type_text<T>(shape)), elements(numbers<T>(shape.product(), low, high, seed)) {}
  argument(std::string text, buffer<T> all) : type(std::move(text)), elements(std::move(all)) {}
  argument copy() const {
    buffer<T> all(elements.size());
    for (index_t i = 0; i < all.size(); ++i) all[i] = elements[i];
    return {type, std::move(all)};
  }
};

// The program `ops`, whose value %r is the result. Other results, %s and %t, are computed and not compared.
class text_program {
 public:
  text_program(const std::string& workload, const std::vector<std::string>& arguments,
               const std::vector<std::string>& results, const std::string& ops)
      : text_program(workload, module_of(arguments, results, ops)) {}
  text_program(const std::string& workload, std::string text)
      : text_(std::move(text)), program_(text_, find_any_kernel) {
    if (const load_error& error = program_.error()) {
      std::fprintf(stderr, "%s: %d:%d: %s: %s\n%s\n", workload.c_str(), error.line, error.column, error.label,
                   error.sentence, text_.c_str());
      std::exit(1);
    }
    results_.push_back(nullptr);
    for (int i = 1; i < program_.result_count(); ++i) {
      others_.emplace_back(core::value_bytes(program_.result_type(i), &program_.program()) + 1);
      results_.push_back(others_.back().data());
    }
  }

  void run(const void* const* arguments, void* result) {
    results_[0] = result;
    program_(arguments, results_.data());
  }
  const loaded_program& loaded() const { return program_; }

 private:
  static std::string module_of(const std::vector<std::string>& arguments, const std::vector<std::string>& results,
                               const std::string& ops) {
    std::string head, types, names;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      head += (i > 0 ? ", %" : "%") + std::string(1, char('a' + i)) + ": " + arguments[i];
    for (std::size_t i = 0; i < results.size(); ++i) {
      types += (i > 0 ? ", " : "") + results[i];
      names += (i > 0 ? ", %" : "%") + std::string(1, char('r' + i));
    }
    return "func.func @main(" + head + ") -> (" + types + ") {\n" + ops + "\nreturn " + names + " : " + types + "\n}\n";
  }

  std::string text_;
  loaded_program program_;
  std::vector<buffer<unsigned char>> others_;
  std::vector<void*> results_;
};

struct results {
  std::vector<std::string> types;
  index_t elements;

  results(std::string type, index_t count) : types{std::move(type)}, elements(count) {}
  results(std::vector<std::string> all, index_t count) : types(std::move(all)), elements(count) {}
};
template <class R>
results result_of(const ints& shape) {
  return {type_text<R>(shape), shape.product()};
}

// A program that is known while compiling, with one result.
template <class Code>
struct compiled_program {
  static void run(const void* const* arguments, void* result) {
    void* const results[] = {result};
    Code::run(arguments, results);
  }
};

// Registers a program, which lives until the process ends, beside other ways to compute its first result: each is
// called with where that goes, whose elements are R, and with the arguments' elements.
template <class R, class Program, class... T, class... Runs>
void compare_run(const std::string& workload, index_t elements, double tolerance, std::tuple<argument<T>...> given,
                 Program* program, way<Runs>... peers) {
  struct state {
    std::tuple<argument<T>...> given;
    Program* program;
    const void* arguments[sizeof...(T) + 1];
  };
  state* const all = new state{std::move(given), program, {}};
  std::apply(
      [&](const auto&... each) {
        int i = 0;
        ((all->arguments[i++] = each.elements.data()), ...);
      },
      all->given);
  const auto bound = [all](const auto& peer) {
    return way{peer.library, [all, run = peer.run](R* to) {
                 std::apply([&](const auto&... each) { run(to, static_cast<const T*>(each.elements.data())...); },
                            all->given);
               }};
  };
  compare<R>(workload, elements, tolerance, bound(peers)...,
             way{"tenon", [all](R* to) { all->program->run(all->arguments, to); }});
}

// The same for a program that is read when the benchmark runs, whose value %r is the result.
template <class R, class... T, class... Runs>
void compare_program(const std::string& workload, const results& result, const std::string& ops, double tolerance,
                     std::tuple<argument<T>...> given, way<Runs>... peers) {
  std::vector<std::string> types;
  std::apply([&](const auto&... each) { (types.push_back(each.type), ...); }, given);
  compare_run<R>(workload, result.elements, tolerance, std::move(given),
                 new text_program(workload, types, result.types, ops), peers...);
}
// And for one that is known while compiling.
template <class Code, class R, class... T, class... Runs>
void compare_compiled(const std::string& workload, index_t elements, double tolerance, std::tuple<argument<T>...> given,
                      way<Runs>... peers) {
  static compiled_program<Code> program;
  compare_run<R>(workload, elements, tolerance, std::move(given), &program, peers...);
}

// The same program both ways, beside a peer; read when the benchmark runs, beside others, too.
template <class Program, class R, class... T, class Run, class... Runs>
void compare_both(const std::string& workload, index_t elements, double tolerance, std::tuple<argument<T>...> given,
                  way<Run> peer, way<Runs>... peers_when_read) {
  std::tuple<argument<T>...> again = std::apply([](const auto&... each) { return std::tuple{each.copy()...}; }, given);
  compare_compiled<typename Program::code, R>(workload, elements, tolerance, std::move(given), peer);
  const std::string read = workload + ", read at run time";
  const auto text = []<class Text>(const tenon::program<Text>&) { return std::string(Text::text); };
  compare_run<R>(read, elements, tolerance, std::move(again), new text_program(read, text(Program{})), peer,
                 peers_when_read...);
}

}  // namespace bench
