// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/grid.hpp>.
#pragma once

#include <tenon/core/message.hpp>
#include <tenon/distributed/transport.hpp>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tenon {

// What went wrong between processes, in full length.
class grid_error : public error {
 public:
  explicit grid_error(std::string message) : error(message.c_str()), message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

// All processes of a grid as threads of one program. Everything that a process waits for is known here, so a program
// that cannot complete is noticed at once: when no process is left that could go on, or when two meet in different ops,
// all stop with a message that says who waits for whom. Results do not depend on scheduling: what members bring to a
// collective is combined in the order of the group, and a channel has one sender and one receiver.
class simulated_grid {
 public:
  explicit simulated_grid(const process_grid& grid, host_streams* streams = nullptr) : grid_(grid), streams_(streams) {
    if (grid.num_replicas < 1 || grid.num_partitions < 1) fail("a grid has at least one process");
    for_each_process(grid, [&](const process_id& id) { processes_.emplace_back(*this, id); });
  }
  simulated_grid(const simulated_grid&) = delete;
  simulated_grid& operator=(const simulated_grid&) = delete;

  const process_grid& grid() const { return grid_; }

  // Calls body(process) for all processes at the same time. Throws what stopped the first of those that failed by
  // themselves.
  template <class Body>
  void run(const Body& body) {
    for (process& each : processes_) each.state = activity::runs, each.failure = nullptr;
    mail_.clear();
    ends_.clear();
    report_.clear();
    failed_ = false;
    std::vector<std::thread> threads;
    for (process& each : processes_) threads.emplace_back([this, &each, &body] { run_one(each, body); });
    for (std::thread& each : threads) each.join();
    finish();
  }

 private:
  enum class activity { runs, meets, leaves, receives, ended };

  // A collective whose members have all come. Their operands stay as they are until the last has left.
  struct gathering {
    std::vector<const void* const*> operands;
    int present = 0;
  };

  struct process final : process_context {
    process(simulated_grid& all, const process_id& where) : process_context(all.grid_, where), owner(all) {}

    simulated_grid& owner;
    activity state = activity::ended;
    const meeting* comes_to = nullptr;
    const transfer* waits_for = nullptr;
    std::shared_ptr<gathering> joined;
    const gathering* waits_to_leave = nullptr;
    std::exception_ptr failure;

    void meet(const meeting& all, const visitor& use) override { owner.meet(*this, all, use); }
    void send(const transfer& to, const void* const* inputs) override { owner.send(*this, to, inputs); }
    void receive(const transfer& from, void* const* results) override { owner.receive(*this, from, results); }
    void infeed(list<tensor_type> types, void* const* results) override {
      const std::lock_guard lock(owner.streams_mutex_);
      owner.streams("infeed").infeed(id(), types, results);
    }
    void outfeed(list<tensor_type> types, const void* const* inputs) override {
      const std::lock_guard lock(owner.streams_mutex_);
      owner.streams("outfeed").outfeed(id(), types, inputs);
    }
  };

  struct letter {
    bool collective;
    index_t channel_id;
    bool has_peer;
    process_id from, to;  // `to` only with a peer
    std::vector<tensor_type> types;
    std::vector<std::vector<unsigned char>> bytes;
  };

  // Ends a process that another one's failure has stopped.
  struct stopped {};

  process_grid grid_;
  host_streams* streams_;
  std::deque<process> processes_;
  std::mutex mutex_, streams_mutex_;
  std::condition_variable changed_;
  std::deque<letter> mail_;
  std::map<std::pair<index_t, bool>, process_id> ends_;  // who sends (true) and receives over a channel without a peer
  std::string report_;
  bool failed_ = false;

  process& at(const process_id& id) { return processes_[std::size_t(flat_id(grid_, id))]; }

  host_streams& streams(std::string_view op) {
    if (streams_ == nullptr) fail(op, ": the grid was made without streams");
    return *streams_;
  }

  template <class Body>
  void run_one(process& self, const Body& body) {
#if defined(__cpp_exceptions)
    bool failed = false;
    try {
      body(static_cast<process_context&>(self));
    } catch (const stopped&) {
    } catch (...) {
      self.failure = std::current_exception();
      failed = true;
    }
    const std::lock_guard lock(mutex_);
    failed_ = failed_ || failed;
#else
    body(static_cast<process_context&>(self));
    const std::lock_guard lock(mutex_);
#endif
    self.state = activity::ended;
    if (failed_) changed_.notify_all();
    stop_if_nobody_can_go_on();
  }

  void finish() {
#if defined(__cpp_exceptions)
    for (process& each : processes_)
      if (each.failure) std::rethrow_exception(each.failure);
#endif
    if (report_.empty() && !mail_.empty()) {
      const letter& lost = mail_.front();
      std::string text = "process " + text_of(lost.from) + " has sent over channel " + std::to_string(lost.channel_id);
      report_ = text + (lost.has_peer ? " to " + text_of(lost.to) : "") + ", but nobody has received it";
    }
    if (report_.empty()) return;
#if defined(__cpp_exceptions)
    if (on_failure != nullptr) on_failure(report_.c_str());
    throw grid_error(report_);
#else
    fail(report_);
#endif
  }

  // Waits in this state until somebody sets the process going again.
  void wait(process& self, activity state, std::unique_lock<std::mutex>& lock) {
    self.state = state;
    stop_if_nobody_can_go_on();
    // Who leaves a collective waits for those who still read there; they leave in any case.
    changed_.wait(lock, [&] { return self.state == activity::runs || (failed_ && state != activity::leaves); });
    self.state = activity::runs;
  }
  void stop_if_failed() {
    if (!failed_) return;
#if defined(__cpp_exceptions)
    throw stopped{};
#else
    fail(report_);
#endif
  }
  void stop_all(std::string report) {
    if (!failed_) report_ = std::move(report);
    failed_ = true;
    changed_.notify_all();
  }
  void stop_if_nobody_can_go_on() {
    bool waiting = false;
    for (const process& each : processes_) {
      if (each.state == activity::runs) return;
      waiting = waiting || each.state != activity::ended;
    }
    if (!waiting || failed_) return;
    std::string text = "the program cannot complete";
    const char* separator = ": ";
    for (const process& each : processes_) {
      if (each.state == activity::meets || each.state == activity::receives) {
        text += separator + describe_wait(each);
        separator = "; ";
      }
    }
    stop_all(std::move(text));
  }

  void meet(process& self, const meeting& all, const process_context::visitor& use) {
    std::shared_ptr<gathering> joined;
    {
      std::unique_lock lock(mutex_);
      stop_if_failed();
      self.comes_to = &all;
      self.joined = nullptr;
      if (!gather(self)) wait(self, activity::meets, lock);
      self.comes_to = nullptr;
      joined = std::move(self.joined);
      if (joined == nullptr) stop_if_failed();
    }
    const leaving until_all_have_read{*this, self, *joined};
    use.call(use.self, joined->operands.data());
  }

  // Even a process that fails may not take its operands away from the others.
  struct leaving {
    simulated_grid& owner;
    process& self;
    gathering& joined;

    ~leaving() {
      std::unique_lock lock(owner.mutex_);
      if (--joined.present > 0) {
        self.waits_to_leave = &joined;
        owner.wait(self, activity::leaves, lock);
        return;
      }
      for (process& each : owner.processes_) {
        if (each.state != activity::leaves || each.waits_to_leave != &joined) continue;
        each.state = activity::runs;
      }
      owner.changed_.notify_all();
    }
  };

  // Lets all members go if this was the last to come.
  bool gather(process& self) {
    const meeting& own = *self.comes_to;
    const int size = own.group.size();
    bool complete = true;
    for (int i = 0; i < size; ++i) {
      const process& other = at(own.group.member(i));
      if (&other == &self) continue;
      if (!comes_to_same_place(other, own)) {
        complete = false;
      } else if (!fits(*other.comes_to, own)) {
        stop_all(describe_difference(self, other));
        return false;
      }
    }
    if (!complete) return false;
    const auto joined = std::make_shared<gathering>();
    joined->present = size;
    for (int i = 0; i < size; ++i) joined->operands.push_back(at(own.group.member(i)).comes_to->operands.data);
    for (int i = 0; i < size; ++i) {
      process& member = at(own.group.member(i));
      member.joined = joined;
      member.state = activity::runs;
    }
    changed_.notify_all();
    return true;
  }
  static bool comes_to_same_place(const process& other, const meeting& own) {
    return other.state == activity::meets && other.comes_to->channel_id == own.channel_id &&
           other.comes_to->group == own.group;
  }
  static bool fits(const meeting& a, const meeting& b) { return a.op == b.op && same_types(a.types, b.types); }

  // Numbers of quantization parameters belong to each program by itself.
  static bool same_types(list<tensor_type> a, list<tensor_type> b) {
    if (a.size != b.size) return false;
    for (int i = 0; i < a.size; ++i)
      if (a.data[i].element != b.data[i].element || !(a.data[i].shape == b.data[i].shape)) return false;
    return true;
  }

  void send(process& self, const transfer& to, const void* const* inputs) {
    letter mail{to.collective, to.channel_id, to.has_peer, self.id(), to.peer, {}, {}};
    for (int i = 0; i < to.types.size; ++i) {
      const auto* bytes = static_cast<const unsigned char*>(inputs[i]);
      mail.types.push_back(to.types.data[i]);
      mail.bytes.emplace_back(bytes, bytes + byte_size(to.types.data[i]));
    }
    const std::lock_guard lock(mutex_);
    stop_if_failed();
    if (!to.has_peer) claim_end(self, to.channel_id, true);
    mail_.push_back(std::move(mail));
    for (process& each : processes_)
      if (each.state == activity::receives && is_for(mail_.back(), each)) each.state = activity::runs;
    changed_.notify_all();
  }

  void receive(process& self, const transfer& from, void* const* results) {
    std::unique_lock lock(mutex_);
    stop_if_failed();
    if (!from.has_peer) claim_end(self, from.channel_id, false);
    self.waits_for = &from;
    for (;;) {
      for (auto mail = mail_.begin(); mail != mail_.end(); ++mail) {
        if (!is_for(*mail, self)) continue;
        self.waits_for = nullptr;
        if (!same_types({mail->types.data(), int(mail->types.size())}, from.types)) {
          stop_all(describe_difference(*mail, self, from));
          stop_if_failed();
        }
        for (std::size_t i = 0; i < mail->bytes.size(); ++i)
          if (!mail->bytes[i].empty()) std::memcpy(results[i], mail->bytes[i].data(), mail->bytes[i].size());
        mail_.erase(mail);
        return;
      }
      wait(self, activity::receives, lock);
      stop_if_failed();
    }
  }
  static bool is_for(const letter& mail, const process& receiver) {
    const transfer& wanted = *receiver.waits_for;
    return mail.collective == wanted.collective && mail.channel_id == wanted.channel_id &&
           mail.has_peer == wanted.has_peer &&
           (!mail.has_peer || (mail.to == receiver.id() && mail.from == wanted.peer));
  }
  void claim_end(const process& self, index_t channel_id, bool sends) {
    const auto [end, is_first] = ends_.try_emplace({channel_id, sends}, self.id());
    if (is_first || end->second == self.id()) return;
    const bool in_order = flat_id(grid_, end->second) < flat_id(grid_, self.id());
    stop_all("both processes " + text_of(in_order ? end->second : self.id()) + " and " +
             text_of(in_order ? self.id() : end->second) + (sends ? " send" : " receive") + " over channel " +
             std::to_string(channel_id) + " without source_target_pairs");
    stop_if_failed();
  }

  template <class Part>
  static std::string text_of(const Part& part) {
    message_text<1000> text;
    text << part;
    return std::string(text.view());
  }
  static std::string describe(const meeting& all) {
    return std::string(all.op) + "(" + text_of(all.types) + ") on channel " + std::to_string(all.channel_id);
  }
  std::string describe_wait(const process& self) {
    std::string text = "process " + text_of(self.id()) + " waits in ";
    if (self.state == activity::receives) {
      const transfer& from = *self.waits_for;
      text += std::string(from.op) + " on channel " + std::to_string(from.channel_id) + " for ";
      return text + (from.has_peer ? name_with_state(from.peer) : "somebody who sends");
    }
    text += describe(*self.comes_to) + " for ";
    const char* separator = "";
    for (int i = 0; i < self.comes_to->group.size(); ++i) {
      const process_id member = self.comes_to->group.member(i);
      if (member == self.id() || comes_to_same_place(at(member), *self.comes_to)) continue;
      text += separator + name_with_state(member);
      separator = ", ";
    }
    return text;
  }
  std::string name_with_state(const process_id& id) {
    return text_of(id) + (at(id).state == activity::ended ? ", which has ended" : "");
  }
  std::string describe_difference(const process& one, const process& other) {
    const bool in_order = flat_id(grid_, one.id()) < flat_id(grid_, other.id());
    const process &first = in_order ? one : other, &second = in_order ? other : one;
    return "processes meet in different ops: " + text_of(first.id()) + " comes to " + describe(*first.comes_to) + ", " +
           text_of(second.id()) + " to " + describe(*second.comes_to);
  }
  static std::string describe_difference(const letter& mail, const process& self, const transfer& from) {
    return std::string(from.op) + " on channel " + std::to_string(mail.channel_id) + ": process " + text_of(mail.from) +
           " sends " + text_of(list<tensor_type>{mail.types.data(), int(mail.types.size())}) + ", " +
           text_of(self.id()) + " receives " + text_of(from.types);
  }
};

static_assert(transport<simulated_grid>);

}  // namespace tenon
