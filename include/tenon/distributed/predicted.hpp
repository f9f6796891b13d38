// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/grid.hpp>.
#pragma once

#include <tenon/distributed/transport.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace tenon {

// The cost of reaching another process.
struct network {
  double latency = 0;    // seconds for a message without contents
  double bandwidth = 0;  // bytes that a process sends, and receives, in a second
};

// The communication of a process: messages in sequence, and bytes in one direction. Nothing else is counted.
struct communication {
  double messages = 0, bytes = 0;

  double seconds(const network& costs) const { return messages * costs.latency + bytes / costs.bandwidth; }
};

// One process of a grid of any size, by itself, to learn what a program of 100,000 costs before there are as many: it
// counts what mpi_grid would send. Others are taken to bring what this one brings, and messages to say what it has sent
// last over the same channel, or zeros. So results mean nothing, and a program whose loops end by what others say may
// take another number of iterations.
class predicted_grid final : public process_context {
 public:
  explicit predicted_grid(const process_grid& grid, const process_id& id = {}) : process_context(grid, id) {}

  // Calls body(process) for the one process. All runs are counted together.
  template <class Body>
  void run(const Body& body) {
    body(static_cast<process_context&>(*this));
  }
  const communication& counted() const { return counted_; }

  void meet(const meeting& all, const visitor& use) override {
    const int members = all.group.size(), self = all.group.find(id());
    double received = 0, sent = 0;
    for (int member = 0; member < members; ++member)
      for (int i = 0; i < all.types.size && member != self; ++i) {
        received += bytes_of(all.part(member, self, i));
        sent += bytes_of(all.part(self, member, i));
      }
    // All tell all that they have come to the same op; then parts go round, or to each by itself.
    const double rounds = double(std::bit_width(unsigned(members - 1)));
    counted_.messages += rounds + (all.to_all ? rounds : members - 1);
    counted_.bytes += std::max(received, all.to_all && members > 1 ? sent / (members - 1) : sent);
    const std::vector<const void* const*> operands(std::size_t(members), all.operands.data);
    use({operands.data()});
  }
  void send(const transfer& to, const void* const* inputs) override {
    std::vector<std::byte>& message = last_[{to.collective, to.channel_id}];
    message.clear();
    for (int i = 0; i < to.types.size; ++i) {
      const auto* const input = static_cast<const std::byte*>(inputs[i]);
      message.insert(message.end(), input, input + byte_size(to.types.data[i]));
    }
    // To whoever receives goes to everybody; one message is on its way while its receiver waits.
    if (!to.has_peer) count_message(double(message.size()), grid().size() - 2);
  }
  void receive(const transfer& from, void* const* results) override {
    std::size_t size = 0, at = 0;
    for (const tensor_type& type : from.types) size += std::size_t(byte_size(type));
    std::vector<std::byte>& message = last_[{from.collective, from.channel_id}];
    message.resize(size);
    for (int i = 0; i < from.types.size; ++i) {
      const std::size_t part = std::size_t(byte_size(from.types.data[i]));
      if (part > 0) std::memcpy(results[i], message.data() + at, part);
      at += part;
    }
    count_message(double(size), 1);
  }
  void infeed(core::list<tensor_type> types, void* const* results) override {
    for (int i = 0; i < types.size; ++i)
      if (const index_t size = byte_size(types.data[i]); size > 0) std::memset(results[i], 0, std::size_t(size));
  }
  void outfeed(core::list<tensor_type>, const void* const*) override {}

 private:
  communication counted_;
  std::map<std::pair<bool, index_t>, std::vector<std::byte>> last_;

  static double bytes_of(const operand_part& part) { return double(part.runs) * double(part.bytes); }
  void count_message(double bytes, int times) {
    counted_.messages += times;
    counted_.bytes += times * bytes;
  }
};

static_assert(transport<predicted_grid>);

}  // namespace tenon
