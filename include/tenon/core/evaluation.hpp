// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/batch_dimensions.hpp>
#include <tenon/core/lane_function.hpp>
#include <tenon/core/list.hpp>
#include <tenon/core/rules.hpp>
#include <tenon/core/tensor_type.hpp>
#include <tenon/core/workers.hpp>
#include <tenon/machine/machine.hpp>

namespace tenon::kernels {
struct joined_product;
}

namespace tenon {
class process_context;
}

namespace tenon::core {

// Where ops without a state take random numbers from: each draw of a run has a stream of its own.
struct random_source {
  std::uint64_t seed = 0;
  std::uint64_t draws = 0;  // so far
};

// The group behind an op, whose kernel gives elements of its result in order, `most` at a time, in memory for these.
struct epilogue {
  void (*run)(const void* context, index_t first, index_t last) = nullptr;
  const void* context = nullptr;
  index_t most = 0;
};

// The arguments of an op's run-time code: addresses and types of operands and results, its attributes, and a way to run
// its regions. All tensors are dense and row-major; operands never overlap results unless the plan says that the op may
// work in place.
struct evaluation {
  // Runs region i of the op: `arguments` point at the values of its arguments, `results` at where its results go.
  using region_function = void (*)(const void* context, int region, const void* const* arguments, void* const* results);

  list<const void*> operands;
  list<tensor_type> operand_types;
  list<ints> operand_strides;  // of ops that say which of their operands may be other than dense; empty: all are dense
  list<void*> results;
  list<tensor_type> result_types;
  core::epilogue epilogue;  // of ops that have an `epilogue_unit`, if anything follows them so
  list<signature> regions;
  const index_t* words = nullptr;                    // the op's attributes, for read_attributes
  const core::type_details* details = nullptr;       // of quantized types
  const kernels::joined_product* product = nullptr;  // of a sum of products: how its dimensions meet, if known
  index_t count = 0;                                 // elements to compute, for ops that work element by element
  index_t row = 0;  // for folds of rows, `count` of them: elements of a row, or of the part of one that is there
  bool begins_row = true, ends_row = true;  // whether that part is the first or the last one; `scratch` keeps the rest
  region_function run_region = nullptr;
  // Region i as a function of many elements, if its ops work element by element.
  lane_function (*find_lanes)(const void* context, int region) = nullptr;
  // Whether region i writes that result over the argument of the same number, which nobody else reads by then.
  bool (*gives_in_place)(const void* context, int region, int result) = nullptr;
  const void* region_context = nullptr;
  const core::compiled_region* compiled = nullptr;  // beside regions, if any is known while compiling
  process_context* process = nullptr;               // where the program runs in a grid; none: it runs by itself
  random_source* random = nullptr;                  // none: the first draw of seed 0
  const workers* helpers = nullptr;                 // for work that is worth dividing; none: inline
  void* scratch = nullptr;                          // as many bytes as the op's `scratch_bytes` asked for

  template <class T>
  const T* operand(int i) const {
    return static_cast<const T*>(operands.data[i]);
  }
  constexpr ints strides_of_operand(int i) const {
    return operand_strides.size > 0 ? operand_strides.data[i] : strides_of(operand_types.data[i].shape);
  }
  template <class T>
  T* result(int i = 0) const {
    return static_cast<T*>(results.data[i]);
  }
  void run(int region, const void* const* arguments, void* const* region_results) const {
    run_region(region_context, region, arguments, region_results);
  }
  const core::compiled_region& compiled_of(int region) const {
    static constexpr core::compiled_region none;
    return compiled != nullptr ? compiled[region] : none;
  }
  bool writes_over_argument(int region, int result) const {
    return gives_in_place != nullptr && gives_in_place(region_context, region, result);
  }
  // The region as a function of many elements; false if it has ops that do not work element by element.
  lane_function lanes_of(int region) const {
    lane_function lanes = find_lanes != nullptr ? find_lanes(region_context, region) : lane_function{};
    lanes.compiled = compiled_of(region);
    return lanes;
  }
};

// The run-time code of one op for one choice of element types.
using kernel = void (*)(const evaluation&);

}  // namespace tenon::core
