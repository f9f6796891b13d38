// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <tenon/distributed/failures.hpp>
#include <tenon/distributed/transport.hpp>

#include <algorithm>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tenon {

namespace detail {

// MPI between its beginning and its end, which comes when the program ends.
class mpi_environment {
 public:
  static const mpi_environment& get() {
    static const mpi_environment only;
    return only;
  }
  mpi_environment(const mpi_environment&) = delete;
  int rank = 0, size = 1;

 private:
  bool owned_ = false;

  mpi_environment() {
    int begun = 0, level = 0;
    MPI_Initialized(&begun);
    owned_ = begun == 0;
    if (owned_) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_FUNNELED) fail("MPI was begun for one thread: MPI_Init_thread takes MPI_THREAD_FUNNELED");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
  ~mpi_environment() {
    if (owned_) MPI_Finalize();
  }
};

}  // namespace detail

// One process of a grid, which mpirun has started together with the others: rank r of MPI_COMM_WORLD is
// process_at(grid, r). Groups become communicators, which are kept. What members bring is combined by the same code in
// the same order as on a simulated_grid, so results are equal to the last bit. Whoever fails, or waits longer than the
// limit, says why and ends the run on all ranks.
class mpi_grid final : public process_context {
 public:
  // All processes are replicas, or partitions, or what `grid` says.
  explicit mpi_grid(host_streams* streams = nullptr) : mpi_grid({process_count(), 1}, streams) {}
  explicit mpi_grid(const process_grid& grid, host_streams* streams = nullptr)
      : process_context(grid, process_at(grid, detail::mpi_environment::get().rank)), streams_(streams) {
    if (grid.size() != process_count())
      fail("the grid has ", grid.num_replicas, " x ", grid.num_partitions, " processes, but ", process_count(),
           " were started");
  }
  mpi_grid(const mpi_grid&) = delete;
  mpi_grid& operator=(const mpi_grid&) = delete;
  ~mpi_grid() {
    for (communicator& each : communicators_) MPI_Comm_free(&each.handle);
  }

  // How many processes were started.
  static int process_count() { return detail::mpi_environment::get().size; }

  // Ends the run if a process waits longer than this number of seconds for others, at first 600. 0: no limit.
  void limit_time(double seconds) { seconds_ = seconds; }

  // Calls body(process) for the process that lives here.
  template <class Body>
  void run(const Body& body) {
    const watchdog watching(*this);
#if defined(__cpp_exceptions)
    try {
      body(static_cast<process_context&>(*this));
      settle();
    } catch (const std::exception& failure) {
      if (process_count() == 1) throw;
      end_all(failure.what());
    }
#else
    body(static_cast<process_context&>(*this));
    settle();
#endif
  }

  void meet(const meeting& all, const visitor& use) override {
    const waiting here(*this, [&] { return detail::name_of(all) + " for " + detail::name_of(all.group); });
    const MPI_Comm among = communicator_of(all.group);
    const int members = all.group.size(), self = all.group.find(id());
    check_same(all, among, members);
    // The message of each member: its runs in sequence, operand by operand.
    const int count = all.types.size;
    const std::size_t size = std::size_t(members);
    std::vector<index_t> received(size), sent(size);
    for (int member = 0; member < members; ++member)
      for (int i = 0; i < count; ++i) {
        received[std::size_t(member)] += bytes_of(all.part(member, self, i));
        sent[std::size_t(member)] += bytes_of(all.part(self, member, i));
      }
    const places from(received), to(all.to_all ? std::vector<index_t>{sent[0]} : sent);
    std::vector<std::byte> outgoing = std::move(outgoing_), incoming = std::move(incoming_);
    outgoing.resize(to.total), incoming.resize(from.total);
    for (std::size_t member = 0; member < to.counts.size(); ++member) {
      std::byte* at = outgoing.data() + to.starts[member];
      for (int i = 0; i < count; ++i) at = pack(all, self, int(member), i, at);
    }
    if (all.to_all)
      MPI_Allgatherv(outgoing.data(), to.counts[0], MPI_BYTE, incoming.data(), from.counts.data(), from.starts.data(),
                     MPI_BYTE, among);
    else
      MPI_Alltoallv(outgoing.data(), to.counts.data(), to.starts.data(), MPI_BYTE, incoming.data(), from.counts.data(),
                    from.starts.data(), MPI_BYTE, among);
    std::vector<const void*> parts(size * std::size_t(count));
    std::vector<const void* const*> operands(size);
    for (int member = 0; member < members; ++member) {
      const std::byte* at = incoming.data() + from.starts[std::size_t(member)];
      operands[std::size_t(member)] = parts.data() + member * count;
      for (int i = 0; i < count; ++i) {
        parts[std::size_t(member * count + i)] = at;
        at += bytes_of(all.part(member, self, i));
      }
    }
    use({operands.data(), true});
    outgoing_ = std::move(outgoing), incoming_ = std::move(incoming);
  }

  // Without a peer nobody knows who receives: everybody gets it, and whoever does not want it throws it away.
  void send(const transfer& to, const void* const* inputs) override {
    std::vector<std::byte> bytes = header_of(to);
    for (int i = 0; i < to.types.size; ++i) {
      const auto* const input = static_cast<const std::byte*>(inputs[i]);
      bytes.insert(bytes.end(), input, input + byte_size(to.types.data[i]));
    }
    if (bytes.size() > INT_MAX) fail(to.op, ": more than 2 GB at once");
    for (auto mail = outbox_.begin(); mail != outbox_.end();) {
      int done = 0;
      MPI_Test(&mail->request, &done, MPI_STATUS_IGNORE);
      mail = done != 0 ? outbox_.erase(mail) : std::next(mail);
    }
    for (int rank = 0; rank < grid().size(); ++rank) {
      if (to.has_peer ? rank != flat_id(grid(), to.peer) : process_at(grid(), rank) == id()) continue;
      outgoing_letter& mail = outbox_.emplace_back();
      mail.bytes = bytes;
      ++sent_[std::size_t(rank)];
      MPI_Isend(mail.bytes.data(), int(mail.bytes.size()), MPI_BYTE, rank, tag_of(to), MPI_COMM_WORLD, &mail.request);
    }
  }
  void receive(const transfer& from, void* const* results) override {
    const waiting here(*this, [&] {
      return std::string(from.op) + " on channel " + std::to_string(from.channel_id) + " for " +
             (from.has_peer ? detail::text_of(from.peer) : "somebody who sends");
    });
    const int source = from.has_peer ? flat_id(grid(), from.peer) : MPI_ANY_SOURCE;
    auto mail = inbox_.begin();
    while (mail != inbox_.end() && !(has_key(*mail, from) && (source < 0 || mail->source == source))) ++mail;
    while (mail == inbox_.end()) {
      MPI_Message message;
      MPI_Status status;
      MPI_Mprobe(source, tag_of(from), MPI_COMM_WORLD, &message, &status);
      const auto last = inbox_.insert(inbox_.end(), take(message, status));
      if (has_key(*last, from)) mail = last;
    }
    const letter arrived = std::move(*mail);
    inbox_.erase(mail);
    if (!from.has_peer) {
      const auto [sender, is_first] = senders_.try_emplace(from.channel_id, arrived.source);
      if (sender->second != arrived.source)
        detail::throw_grid_error(detail::two_ends(process_at(grid(), sender->second),
                                                  process_at(grid(), arrived.source), true, from.channel_id));
    }
    const core::list<tensor_type> types{arrived.types.data(), int(arrived.types.size())};
    if (!detail::same_types(types, from.types))
      detail::throw_grid_error(detail::difference_of_letters(from, process_at(grid(), arrived.source), types, id()));
    const std::byte* at = arrived.bytes.data() + arrived.payload;
    for (int i = 0; i < types.size; ++i) {
      const std::size_t size = std::size_t(byte_size(types.data[i]));
      if (size > 0) std::memcpy(results[i], at, size);
      at += size;
    }
  }

  void infeed(core::list<tensor_type> types, void* const* results) override {
    if (streams_ == nullptr) fail("infeed: the grid was made without streams");
    streams_->infeed(id(), types, results);
  }
  void outfeed(core::list<tensor_type> types, const void* const* inputs) override {
    if (streams_ == nullptr) fail("outfeed: the grid was made without streams");
    streams_->outfeed(id(), types, inputs);
  }

 private:
  struct communicator {
    std::vector<int> ranks;
    MPI_Comm handle;
  };
  struct outgoing_letter {
    std::vector<std::byte> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  struct letter {
    int source = 0;
    index_t channel_id = 0;
    bool collective = false, has_peer = false;
    std::vector<tensor_type> types;
    std::vector<std::byte> bytes;
    std::size_t payload = 0;  // where it begins
  };
  // Where the bytes of each member begin.
  struct places {
    std::vector<int> counts, starts;
    std::size_t total = 0;

    explicit places(const std::vector<index_t>& bytes) {
      for (const index_t each : bytes) {
        starts.push_back(int(total));
        counts.push_back(int(each));
        total += std::size_t(each);
        if (total > INT_MAX) fail("a process brings or takes more than 2 GB at once");
      }
    }
  };

  host_streams* streams_;
  double seconds_ = 600;
  std::list<communicator> communicators_;
  std::list<outgoing_letter> outbox_;
  std::list<letter> inbox_;
  std::vector<std::byte> outgoing_, incoming_;  // memory of the last meeting
  std::vector<int> sent_ = std::vector<int>(std::size_t(process_count()));
  std::vector<int> received_ = std::vector<int>(std::size_t(process_count()));
  std::map<index_t, int> senders_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waits_in_;  // empty: computes
  std::chrono::steady_clock::time_point since_;

  static index_t bytes_of(const operand_part& part) { return part.runs * part.bytes; }
  static std::byte* pack(const meeting& all, int self, int to, int i, std::byte* at) {
    const operand_part part = all.part(self, to, i);
    if (part.bytes == 0) return at;
    const auto* const from = static_cast<const std::byte*>(all.operands.data[i]) + part.first;
    for (index_t run = 0; run < part.runs; ++run, at += part.bytes)
      std::memcpy(at, from + run * part.stride, std::size_t(part.bytes));
    return at;
  }

  MPI_Comm communicator_of(const process_group& group) {
    std::vector<int> ranks;
    for (int i = 0; i < group.size(); ++i) ranks.push_back(flat_id(grid(), group.member(i)));
    for (const communicator& known : communicators_)
      if (known.ranks == ranks) return known.handle;
    MPI_Group world, members;
    communicator made{ranks, MPI_COMM_NULL};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, int(ranks.size()), ranks.data(), &members);
    MPI_Comm_create_group(MPI_COMM_WORLD, members, 0, &made.handle);
    MPI_Group_free(&members);
    MPI_Group_free(&world);
    return communicators_.insert(communicators_.end(), made)->handle;
  }

  // All members have to come with the same op and types.
  void check_same(const meeting& all, MPI_Comm among, int members) {
    std::string own = detail::name_of(all);
    std::uint64_t hash = 14695981039346656037u;
    for (const char each : own) hash = (hash ^ std::uint64_t(static_cast<unsigned char>(each))) * 1099511628211u;
    const std::size_t size = std::size_t(members);
    std::vector<std::uint64_t> hashes(size);
    MPI_Allgather(&hash, 1, MPI_UINT64_T, hashes.data(), 1, MPI_UINT64_T, among);
    int other = 0;
    while (other < members && hashes[std::size_t(other)] == hashes[0]) ++other;
    if (other == members) return;
    constexpr std::size_t room = 256;
    own.resize(room);
    std::vector<char> names(room * size);
    MPI_Allgather(own.data(), int(room), MPI_CHAR, names.data(), int(room), MPI_CHAR, among);
    const auto name = [&](int member) { return std::string(names.data() + room * std::size_t(member)); };
    detail::throw_grid_error(
        detail::difference_of_ops(all.group.member(0), name(0), all.group.member(other), name(other)));
  }

  // Messages are told apart by what stands in them: different channels may have the same tag.
  static int tag_of(const transfer& route) {
    return int(std::uint64_t(route.channel_id) % 16384) * 2 + route.collective;
  }
  static bool has_key(const letter& mail, const transfer& wanted) {
    return mail.collective == wanted.collective && mail.channel_id == wanted.channel_id &&
           mail.has_peer == wanted.has_peer;
  }
  static void put(std::vector<std::byte>& bytes, index_t number) {
    std::byte raw[sizeof number];
    std::memcpy(raw, &number, sizeof number);
    bytes.insert(bytes.end(), raw, raw + sizeof number);
  }
  static std::vector<std::byte> header_of(const transfer& route) {
    std::vector<std::byte> bytes;
    for (const index_t each :
         {route.channel_id, index_t{route.collective}, index_t{route.has_peer}, index_t{route.types.size}})
      put(bytes, each);
    for (const tensor_type& type : route.types) {
      put(bytes, index_t(type.element)), put(bytes, type.rank());
      for (const index_t size : type.shape) put(bytes, size);
    }
    return bytes;
  }
  letter take(MPI_Message& message, const MPI_Status& status) {
    letter mail;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    mail.source = status.MPI_SOURCE;
    mail.bytes.resize(std::size_t(size));
    MPI_Mrecv(mail.bytes.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    ++received_[std::size_t(mail.source)];
    const auto next = [&] {
      index_t number = 0;
      std::memcpy(&number, mail.bytes.data() + mail.payload, sizeof number);
      mail.payload += sizeof number;
      return number;
    };
    mail.channel_id = next();
    mail.collective = next() != 0;
    mail.has_peer = next() != 0;
    mail.types.resize(std::size_t(next()));
    for (tensor_type& type : mail.types) {
      type.element = dtype(next());
      for (index_t rank = next(); rank > 0; --rank) type.shape.push(next());
    }
    return mail;
  }

  // Receives all messages that were sent and not yet received.
  void settle() {
    const waiting here(*this, [] { return std::string("the end of the run for all others"); });
    std::vector<int> expected(sent_.size());
    MPI_Alltoall(sent_.data(), 1, MPI_INT, expected.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (std::size_t rank = 0; rank < expected.size(); ++rank)
      while (received_[rank] < expected[rank]) {
        MPI_Message message;
        MPI_Status status;
        MPI_Mprobe(int(rank), MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        inbox_.push_back(take(message, status));
      }
    for (outgoing_letter& mail : outbox_) MPI_Wait(&mail.request, MPI_STATUS_IGNORE);
    outbox_.clear();
    senders_.clear();
    std::string lost;
    for (const letter& mail : inbox_)
      if (mail.has_peer && lost.empty())
        lost = detail::lost_letter(process_at(grid(), mail.source), detail::text_of(id()), mail.channel_id);
    inbox_.clear();
    std::fill(sent_.begin(), sent_.end(), 0);
    std::fill(received_.begin(), received_.end(), 0);
    if (!lost.empty()) detail::throw_grid_error(lost);
  }

  [[noreturn]] void end_all(const char* why) const {
    std::fprintf(stderr, "process %s: %s\n", detail::text_of(id()).c_str(), why);
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
  }

  // Says what the process waits for while this lives.
  struct waiting {
    mpi_grid& owner;

    template <class Describe>
    waiting(mpi_grid& grid, const Describe& describe) : owner(grid) {
      if (owner.seconds_ <= 0) return;
      const std::lock_guard lock(owner.mutex_);
      owner.waits_in_ = describe();
      owner.since_ = std::chrono::steady_clock::now();
    }
    waiting(const waiting&) = delete;
    ~waiting() {
      if (owner.seconds_ <= 0) return;
      const std::lock_guard lock(owner.mutex_);
      owner.waits_in_.clear();
    }
  };
  // Ends the program if somebody waits too long. mpirun ends the others when one has ended like that; only one thread
  // may call MPI.
  class watchdog {
   public:
    explicit watchdog(mpi_grid& owner) : owner_(owner) {
      if (owner.seconds_ > 0) thread_ = std::thread([this] { watch(); });
    }
    watchdog(const watchdog&) = delete;
    ~watchdog() {
      if (!thread_.joinable()) return;
      {
        const std::lock_guard lock(owner_.mutex_);
        done_ = true;
      }
      owner_.changed_.notify_all();
      thread_.join();
    }

   private:
    mpi_grid& owner_;
    bool done_ = false;
    std::thread thread_;

    void watch() {
      const std::chrono::duration<double> limit(owner_.seconds_);
      std::unique_lock lock(owner_.mutex_);
      while (!owner_.changed_.wait_for(lock, limit / 8, [&] { return done_; })) {
        if (owner_.waits_in_.empty() || std::chrono::steady_clock::now() - owner_.since_ < limit) continue;
        std::fprintf(stderr, "the program has not ended within %g s: process %s waits in %s\n", owner_.seconds_,
                     detail::text_of(owner_.id()).c_str(), owner_.waits_in_.c_str());
        std::fflush(stderr);
        std::_Exit(1);
      }
    }
  };
};

static_assert(transport<mpi_grid>);

}  // namespace tenon
