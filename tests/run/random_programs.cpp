// SPDX-License-Identifier: Apache-2.0
//
// Programs of random elementwise and moving ops, folds of rows and what is computed of them, run twice: as they are,
// fused, and with ops kept apart, which leaves nothing to fuse. Both must agree bit for bit.
#include <shared/shared_program.hpp>

#include <run/random_program.hpp>
#include <run/random_runs.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace tenon::test {

// Kernels of the ops below only: all of them would take minutes to compile.
kernel find_random_kernel(const kernel_key& key) {
  switch (key.kind) {
    case kind_of_op<ops::add>:
      return key.result == dtype::i32 ? kernel(kernel_of<ops::add, dtype::i32, dtype::i32>())
                                      : kernel(kernel_of<ops::add, dtype::f32, dtype::f32>());
    case kind_of_op<ops::subtract>:
      return kernel_of<ops::subtract, dtype::f32, dtype::f32>();
    case kind_of_op<ops::multiply>:
      return kernel_of<ops::multiply, dtype::f32, dtype::f32>();
    case kind_of_op<ops::maximum>:
      return key.result == dtype::i32 ? kernel(kernel_of<ops::maximum, dtype::i32, dtype::i32>())
                                      : kernel(kernel_of<ops::maximum, dtype::f32, dtype::f32>());
    case kind_of_op<ops::negate>:
      return kernel_of<ops::negate, dtype::f32, dtype::f32>();
    case kind_of_op<ops::abs>:
      return kernel_of<ops::abs, dtype::f32, dtype::f32>();
    case kind_of_op<ops::floor>:
      return kernel_of<ops::floor, dtype::f32, dtype::f32>();
    case kind_of_op<ops::compare>:
      return kernel_of<ops::compare, dtype::f32, dtype::i1>();
    case kind_of_op<ops::select>:
      return kernel_of<ops::select, dtype::f32, dtype::f32>();
    case kind_of_op<ops::convert>:
      if (key.element == dtype::i32) return kernel_of<ops::convert, dtype::i32, dtype::f32>();
      return key.result == dtype::i32 ? kernel(kernel_of<ops::convert, dtype::f32, dtype::i32>())
                                      : kernel(kernel_of<ops::convert, dtype::f32, dtype::f64>());
    case kind_of_op<ops::divide>:
      return kernel_of<ops::divide, dtype::f32, dtype::f32>();
    case kind_of_op<ops::exponential>:
      return kernel_of<ops::exponential, dtype::f32, dtype::f32>();
    case kind_of_op<ops::reduce>:
      return key.body == kind_of_op<ops::add>
                 ? kernel_of<ops::reduce, dtype::f32, dtype::f32, kind_of_op<ops::add>>()
                 : kernel_of<ops::reduce, dtype::f32, dtype::f32, kind_of_op<ops::maximum>>();
    case kind_of_op<ops::transpose>:
      return kernel_of<ops::transpose, dtype::ui32, dtype::ui32>();
    case kind_of_op<ops::slice>:
      return kernel_of<ops::slice, dtype::ui32, dtype::ui32>();
    case kind_of_op<ops::reverse>:
      return kernel_of<ops::reverse, dtype::ui32, dtype::ui32>();
    case kind_of_op<ops::reshape>:
      return kernel_of<ops::reshape, dtype::ui32, dtype::ui32>();
    case kind_of_op<ops::broadcast_in_dim>:
      return kernel_of<ops::broadcast_in_dim, dtype::ui32, dtype::ui32>();
    case kind_of_op<ops::dot_general>:
      return kernel_of<ops::dot_general, dtype::f32, dtype::f32>();
    case kind_of_op<ops::convolution>:
      return kernel_of<ops::convolution, dtype::f32, dtype::f32>();
    case kind_of_op<ops::reduce_window>:
      return key.body == kind_of_op<ops::add>
                 ? kernel_of<ops::reduce_window, dtype::f32, dtype::f32, kind_of_op<ops::add>>()
                 : kernel_of<ops::reduce_window, dtype::f32, dtype::f32, kind_of_op<ops::maximum>>();
    case kind_of_op<ops::gather>:
      return kernel_of<ops::gather, dtype::ui32, dtype::ui32>();
    case kind_of_op<ops::dynamic_slice>:
      return kernel_of<ops::dynamic_slice, dtype::ui32, dtype::ui32>();
    case kind_of_op<ops::dynamic_update_slice>:
      return kernel_of<ops::dynamic_update_slice, dtype::ui32, dtype::ui32>();
    case kind_of_op<ops::pad>:
      return kernel_of<ops::pad, dtype::ui32, dtype::ui32>();
    case kind_of_op<ops::concatenate>:
      return kernel_of<ops::concatenate, dtype::ui32, dtype::ui32>();
    default:
      return nullptr;
  }
}

namespace {

// Whether the results of a program are those that its ops give one by one.
bool agree(shared_program& program, shared_program& apart, const random_program& source,
           random_program::results wanted) {
  const std::vector<std::vector<float>> some = results_of(program), all = results_of(apart);
  std::size_t at = 0;
  for (std::size_t v = 0; v < all.size(); ++v)
    if (source.hands_over(wanted, source.arguments() + v) && !same_bits(some[at++], all[v])) return false;
  return at == some.size();
}

TEST_CASE("a fused program gives what its ops give one by one") {
  using results = random_program::results;
  int fused = 0, folds = 0, spreads = 0, long_rows = 0, in_place = 0, gathers = 0, moved = 0, found = 0, views = 0;
  int kept = 0, compared = 0, combinations = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    const random_program source(seed);
    const std::string whole = source.text(results::last);
    CAPTURE(seed);
    CAPTURE(whole);
    shared_program program(whole, &find_random_kernel), several(source.text(results::some), &find_random_kernel),
        unfused(source.text(results::apart), &find_random_kernel);
    REQUIRE_MESSAGE(!program.error(), program.error().label, " ", program.error().sentence);
    REQUIRE_MESSAGE(!several.error(), several.error().label, " ", several.error().sentence);
    REQUIRE_MESSAGE(!unfused.error(), unfused.error().label, " ", unfused.error().sentence);
    for (const loaded_program* each : {&program, &several})
      for (const plan_step& step : each->plan().steps) kept += step.has_group() ? step.result_count - 1 : 0;
    combinations += source.combinations();
    fused += unfused.plan().steps.size - program.plan().steps.size;
    for (const group_instruction& each : program.plan().instructions) {
      folds += each.does == group_instruction::action::fold;
      spreads += each.does == group_instruction::action::broadcast_along_rows;
    }
    for (const plan_read& each : program.plan().reads) {
      const bool by_positions = each.gather >= 0 && program.plan().gathers[each.gather].before >= 0;
      found += by_positions;
      gathers += each.kind == load_kind::gather && !by_positions;
      moved += each.gather >= 0 && each.kind != load_kind::gather;
    }
    for (const plan_step& each : program.plan().steps) {
      long_rows += each.has_long_rows();
      in_place += each.has_op() && each.has_group();
      views += each.first_view >= 0;
    }
    if (!multiplies_moved_vectors(program)) {
      REQUIRE(agree(program, unfused, source, results::last));
      ++compared;
    }
    if (!multiplies_moved_vectors(several)) {
      REQUIRE(agree(several, unfused, source, results::some));
      ++compared;
    }
  }
  CHECK(kept > 500);
  MESSAGE(compared, " of 8000 compared, the others multiply moved vectors");
  CHECK(compared > 7400);
  CHECK(fused > 1000);
  CHECK(folds > 1000);
  CHECK(spreads > 1000);
  CHECK(long_rows > 10);
  CHECK(in_place > 500);
  CHECK(views > 100);
  CHECK(gathers > 100);
  CHECK(moved > 100);
  CHECK(found > 0);
  CHECK(combinations > 1000);
}

TEST_CASE("a program of tensors with few elements or none gives what its ops give one by one") {
  using results = random_program::results;
  int empty = 0, single = 0, groups = 0, compared = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const random_program source(seed, random_program::sort::sparse);
    const std::string whole = source.text(results::some);
    CAPTURE(seed);
    CAPTURE(whole);
    shared_program program(whole, &find_random_kernel), unfused(source.text(results::apart), &find_random_kernel);
    REQUIRE_MESSAGE(!program.error(), program.error().label, " ", program.error().sentence);
    REQUIRE_MESSAGE(!unfused.error(), unfused.error().label, " ", unfused.error().sentence);
    for (int i = 0; i < unfused.result_count(); ++i) {
      const index_t size = unfused.result_type(i).size();
      empty += size == 0;
      single += size == 1;
    }
    for (const plan_step& each : program.plan().steps) groups += each.has_group();
    if (multiplies_moved_vectors(program)) continue;
    REQUIRE(agree(program, unfused, source, results::some));
    ++compared;
  }
  MESSAGE(compared, " of 2000 compared, the others multiply moved vectors");
  CHECK(compared > 1800);
  CHECK(empty > 5000);
  CHECK(single > 1000);
  CHECK(groups > 1000);
}

TEST_CASE("a program that is done in boxes gives what its ops give one by one") {
  int boxes = 0, compared = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const random_program source(seed, random_program::sort::large);
    const std::string whole = source.text(random_program::results::last);
    CAPTURE(seed);
    CAPTURE(whole);
    shared_program program(whole, &find_random_kernel),
        unfused(source.text(random_program::results::apart), &find_random_kernel);
    REQUIRE_MESSAGE(!program.error(), program.error().label, " ", program.error().sentence);
    REQUIRE_MESSAGE(!unfused.error(), unfused.error().label, " ", unfused.error().sentence);
    for (const plan_step& each : program.plan().steps) boxes += each.transposed_axis >= 0;
    if (multiplies_moved_vectors(program)) continue;
    REQUIRE(agree(program, unfused, source, random_program::results::last));
    ++compared;
  }
  MESSAGE(compared, " of 1000 compared, the others multiply moved vectors");
  CHECK(boxes > 50);
  CHECK(compared > 900);
}

TEST_CASE("a program whose ops are done in parts gives what they give as a whole") {
  int divided = 0, fed = 0, nested = 0, rows = 0, compared = 0;
  for (unsigned seed = 0; seed < 250; ++seed) {
    const random_program source(seed, random_program::sort::divided);
    const std::string whole = source.text(random_program::results::last);
    CAPTURE(seed);
    CAPTURE(whole);
    shared_program program(whole, &find_random_kernel),
        unfused(source.text(random_program::results::apart), &find_random_kernel);
    REQUIRE_MESSAGE(!program.error(), program.error().label, " ", program.error().sentence);
    REQUIRE_MESSAGE(!unfused.error(), unfused.error().label, " ", unfused.error().sentence);
    for (const plan_step& each : unfused.plan().steps) CHECK(each.parts == 0);
    for (const plan_step& each : program.plan().steps) {
      divided += each.parts > 0 && !each.is_fused_producer;
      fed += each.fused_producer_count > 0 && !each.is_fused_producer;
      nested += each.fused_producer_count > 0 && each.is_fused_producer;
      rows += each.is_fused_producer && each.row > 1;
    }
    if (multiplies_moved_vectors(program)) continue;
    REQUIRE(agree(program, unfused, source, random_program::results::last));
    ++compared;
  }
  MESSAGE(compared, " of 250 compared, the others multiply moved vectors");
  CHECK(compared > 200);
  CHECK(divided > 30);
  CHECK(fed > 20);
  CHECK(nested > 1);
  CHECK(rows > 3);
}

}  // namespace

}  // namespace tenon::test
