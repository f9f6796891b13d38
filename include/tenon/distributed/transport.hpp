// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/grid.hpp>.
#pragma once

#include <tenon/distributed/process_grid.hpp>
#include <tenon/ops/process_context.hpp>

#include <concepts>
#include <type_traits>

namespace tenon {

namespace detail {

struct any_process_body {
  void operator()(process_context&) const {}
};

}  // namespace detail

// Runs programs on a grid of processes. `run` calls body(process), with a process_context, for every process of the
// grid that lives here, and returns when all of these have ended; the program is told where it runs with `as(process)`.
// A body depends on process.id() alone, so one source runs on any transport.
template <class T>
concept transport = requires(T& t, const std::remove_const_t<T>& constant) {
  { constant.grid() } -> std::convertible_to<process_grid>;
  t.run(detail::any_process_body{});
};

// The transport for a grid of one process: nobody to meet, but streams to feed and to take.
class alone final : public process_context {
 public:
  explicit alone(host_streams* streams = nullptr) : process_context({}, {}), streams_(streams) {}

  template <class Body>
  void run(const Body& body) {
    body(static_cast<process_context&>(*this));
  }

  void meet(const meeting& all, const visitor&) override { nobody_else(all.op); }
  void send(const transfer& to, const void* const*) override { nobody_else(to.op); }
  void receive(const transfer& from, void* const*) override { nobody_else(from.op); }
  void infeed(core::list<tensor_type> types, void* const* results) override {
    if (streams_ == nullptr) fail("infeed: there is nobody to feed the program");
    streams_->infeed(id(), types, results);
  }
  void outfeed(core::list<tensor_type> types, const void* const* inputs) override {
    if (streams_ == nullptr) fail("outfeed: there is nobody to take what the program hands out");
    streams_->outfeed(id(), types, inputs);
  }

 private:
  host_streams* streams_;

  [[noreturn]] static void nobody_else(std::string_view op) { fail(op, ": the program runs by itself"); }
};

static_assert(transport<alone>);

}  // namespace tenon
