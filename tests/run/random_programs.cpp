// SPDX-License-Identifier: Apache-2.0
//
// Programs of random elementwise and moving ops, folds of rows and what is computed of them, run twice: as they are,
// fused, and with ops kept apart, which leaves nothing to fuse. Both must agree bit for bit.
#include <shared/shared_program.hpp>

#include <run/random_kernels.hpp>
#include <run/random_program.hpp>
#include <run/random_runs.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace tenon::test {

namespace {

// Whether the results of a program are those that its ops give one by one.
bool agree(shared_program& program, shared_program& apart, const random_program& source,
           random_program::results wanted) {
  const std::vector<stored_values> some = results_of(program), all = results_of(apart);
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
    shared_program program(whole, &find_random_kernel<dtype::f32>),
        several(source.text(results::some), &find_random_kernel<dtype::f32>),
        unfused(source.text(results::apart), &find_random_kernel<dtype::f32>);
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
    shared_program program(whole, &find_random_kernel<dtype::f32>),
        unfused(source.text(results::apart), &find_random_kernel<dtype::f32>);
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
    shared_program program(whole, &find_random_kernel<dtype::f32>),
        unfused(source.text(random_program::results::apart), &find_random_kernel<dtype::f32>);
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
    shared_program program(whole, &find_random_kernel<dtype::f32>),
        unfused(source.text(random_program::results::apart), &find_random_kernel<dtype::f32>);
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
