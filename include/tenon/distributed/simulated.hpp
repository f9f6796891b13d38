// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/grid.hpp>.
#pragma once

#include <tenon/distributed/failures.hpp>
#include <tenon/distributed/timeline.hpp>
#include <tenon/distributed/transport.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace tenon {

// All processes of a grid as threads of one program. Everything that a process waits for is known here, so a program
// that cannot complete is noticed at once: when no process is left that could go on, or when two meet in different ops,
// all stop with a message that says who waits for whom. Results do not depend on scheduling: what members bring to a
// collective is combined in the order of the group, and a channel has one sender and one receiver.
//
// A process costs a thread, of whose stack only what it uses is memory; whoever waits is woken alone.
class simulated_grid {
 public:
  explicit simulated_grid(const process_grid& grid, host_streams* streams = nullptr) : grid_(grid), streams_(streams) {
    if (grid.num_replicas < 1 || grid.num_partitions < 1) fail("a grid has at least one process");
    for_each_process(grid, [&](const process_id& id) { processes_.emplace_back(*this, id); });
  }
  simulated_grid(const simulated_grid&) = delete;
  simulated_grid& operator=(const simulated_grid&) = delete;

  const process_grid& grid() const { return grid_; }

  // Ends a run after a number of seconds: waiting processes stop, computing ones as soon as they communicate again.
  // A process that does not within another second cannot be stopped from outside: the program ends, with the message.
  // 0: no limit.
  void limit_time(double seconds) { seconds_ = seconds; }

  // Remembers who waits for whom in the runs that follow.
  void keep_timeline() { keeps_timeline_ = true; }
  // Of the last run.
  const grid_timeline& timeline() const { return timeline_; }

  // Calls body(process) for all processes at the same time. Throws what stopped the first of those that failed by
  // themselves.
  template <class Body>
  void run(const Body& body) {
    for (process& each : processes_) each.state = activity::runs, each.failure = nullptr;
    running_ = int(processes_.size());
    ended_ = 0;
    mail_.clear();
    receivers_.clear();
    ends_.clear();
    open_.clear();
    report_.clear();
    failed_ = false;
    meetings_ = 0;
    timeline_ = {grid_, {}};
    began_ = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (process& each : processes_) threads.emplace_back([this, &each, &body] { run_one(each, body); });
    if (seconds_ > 0) watch();
    for (std::thread& each : threads) each.join();
    finish();
  }

 private:
  enum class activity { runs, meets, leaves, receives, ended };
  struct process;

  // A collective: who has come so far. The operands of all stay as they are until the last member has left.
  struct gathering {
    const meeting* first = nullptr;  // what it is, as the first to come says
    const process* first_process = nullptr;
    std::vector<const void* const*> operands;
    std::vector<process*> members;  // null: has not come
    int missing = 0, present = 0;
    int number = 0;
  };
  // Gatherings of different groups may have the same key.
  using gathering_key = std::tuple<index_t, int, int>;  // channel, first member, members
  // Collective, channel, sender, receiver; nobody (-1) where no peer is named.
  using mail_key = std::tuple<bool, index_t, int, int>;

  struct process final : process_context {
    process(simulated_grid& all, const process_id& where) : process_context(all.grid_, where), owner(all) {}

    simulated_grid& owner;
    activity state = activity::ended;
    const meeting* comes_to = nullptr;
    const transfer* waits_for = nullptr;
    std::exception_ptr failure;
    std::mutex gate;
    std::condition_variable opened;
    bool is_open = false;

    void meet(const meeting& all, const visitor& use) override { owner.meet(*this, all, use); }
    void send(const transfer& to, const void* const* inputs) override { owner.send(*this, to, inputs); }
    void receive(const transfer& from, void* const* results) override { owner.receive(*this, from, results); }
    void infeed(core::list<tensor_type> types, void* const* results) override {
      const std::lock_guard lock(owner.streams_mutex_);
      owner.streams("infeed").infeed(id(), types, results);
    }
    void outfeed(core::list<tensor_type> types, const void* const* inputs) override {
      const std::lock_guard lock(owner.streams_mutex_);
      owner.streams("outfeed").outfeed(id(), types, inputs);
    }
  };

  struct letter {
    process_id from;
    double sent = 0;
    std::vector<tensor_type> types;
    std::vector<unsigned char> bytes;  // of one tensor behind the other
  };

  // Ends a process that another one's failure has stopped.
  struct stopped {};

  process_grid grid_;
  host_streams* streams_;
  double seconds_ = 0;
  std::deque<process> processes_;
  std::mutex mutex_, streams_mutex_;
  std::condition_variable all_ended_;
  int running_ = 0, ended_ = 0;
  std::multimap<gathering_key, std::shared_ptr<gathering>> open_;
  std::map<mail_key, std::deque<letter>> mail_;
  std::vector<std::vector<unsigned char>> spare_;        // memory of letters that have been read
  std::map<mail_key, process*> receivers_;               // who waits
  std::map<std::pair<index_t, bool>, process_id> ends_;  // who sends (true) and receives over a channel without a peer
  std::string report_;
  std::atomic<bool> failed_ = false;
  int meetings_ = 0;
  bool keeps_timeline_ = false;
  std::mutex timeline_mutex_;
  grid_timeline timeline_;
  std::chrono::steady_clock::time_point began_;

  process& at(const process_id& id) { return processes_[std::size_t(flat_id(grid_, id))]; }

  double seconds_so_far() const {
    return keeps_timeline_ ? std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count() : 0;
  }
  // An event from now until the end of this, or of the process.
  struct noted {
    simulated_grid& owner;
    timeline_event event;

    noted(simulated_grid& grid, const process& self, std::string_view op, index_t channel_id) : owner(grid) {
      if (!owner.keeps_timeline_) return;
      event.process = flat_id(owner.grid_, self.id());
      event.op = op, event.channel_id = channel_id, event.begin = owner.seconds_so_far();
    }
    noted(const noted&) = delete;
    ~noted() {
      if (!owner.keeps_timeline_) return;
      event.end = owner.seconds_so_far();
      const std::lock_guard lock(owner.timeline_mutex_);
      owner.timeline_.events.push_back(event);
    }
  };

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
    if (failed) stop_all({});
#else
    body(static_cast<process_context&>(self));
    const std::lock_guard lock(mutex_);
#endif
    self.state = activity::ended;
    --running_;
    if (++ended_ == int(processes_.size())) all_ended_.notify_all();
    stop_if_nobody_can_go_on();
  }

  void watch() {
    const auto all_have_ended = [&] { return ended_ == int(processes_.size()); };
    std::unique_lock lock(mutex_);
    if (all_ended_.wait_for(lock, std::chrono::duration<double>(seconds_), all_have_ended)) return;
    char limit[64];
    std::snprintf(limit, sizeof limit, "the program has not ended within %g s", seconds_);
    stop_all(limit + describe_all([](const process& each) { return each.state != activity::ended; }));
    if (all_ended_.wait_for(lock, std::chrono::seconds(1), all_have_ended)) return;
    std::fprintf(stderr, "%s\n", report_.c_str());
    std::abort();
  }

  void finish() {
#if defined(__cpp_exceptions)
    for (process& each : processes_)
      if (each.failure) std::rethrow_exception(each.failure);
#endif
    for (const auto& [key, letters] : mail_) {
      if (letters.empty() || !report_.empty()) continue;
      const auto& [collective, channel, from, to] = key;
      report_ =
          detail::lost_letter(letters.front().from, to >= 0 ? detail::text_of(process_at(grid_, to)) : "", channel);
    }
    if (!report_.empty()) detail::throw_grid_error(report_);
  }

  // Waits in this state until somebody wakes this process.
  void wait(process& self, activity state, std::unique_lock<std::mutex>& lock) {
    self.state = state;
    --running_;
    stop_if_nobody_can_go_on();
    lock.unlock();
    std::unique_lock own(self.gate);
    self.opened.wait(own, [&] { return self.is_open; });
    self.is_open = false;
  }
  // Waking takes two steps, so that those who wake do not have to wait for whoever wakes many.
  void set_going(process& each) {
    each.state = activity::runs;
    ++running_;
  }
  static void open(process& each) {
    const std::lock_guard own(each.gate);
    each.is_open = true;
    each.opened.notify_one();
  }
  void wake_others(const process& self, const gathering& joined, std::unique_lock<std::mutex>& lock) {
    for (process* member : joined.members)
      if (member != &self) set_going(*member);
    lock.unlock();
    for (process* member : joined.members)
      if (member != &self) open(*member);
  }
  void stop_if_failed() {
    if (!failed_) return;
#if defined(__cpp_exceptions)
    throw stopped{};
#else
    fail(report_);
#endif
  }
  // Who leaves a collective waits for those who still read there; they leave in any case.
  void stop_all(std::string report) {
    if (!failed_) report_ = std::move(report);
    failed_ = true;
    for (process& each : processes_)
      if (each.state == activity::meets || each.state == activity::receives) set_going(each), open(each);
  }
  void stop_if_nobody_can_go_on() {
    if (running_ > 0 || failed_ || ended_ == int(processes_.size())) return;
    stop_all("the program cannot complete" + describe_difference_of_groups() + describe_all([](const process& each) {
               return each.state == activity::meets || each.state == activity::receives;
             }));
  }

  void meet(process& self, const meeting& all, const process_context::visitor& use) {
    noted note(*this, self, all.op, all.channel_id);
    std::unique_lock lock(mutex_);
    stop_if_failed();
    const std::shared_ptr<gathering> joined = join(self, all);
    if (joined->missing == 0) {
      wake_others(self, *joined, lock);
    } else {
      self.comes_to = &all;
      wait(self, activity::meets, lock);
      if (joined->missing > 0) stop_if_failed();
    }
    note.event.met = seconds_so_far(), note.event.meeting = joined->number;
    const leaving until_all_have_read{*this, self, *joined};
    use({joined->operands.data()});
  }

  // Even a process that fails may not take its operands away from the others.
  struct leaving {
    simulated_grid& owner;
    process& self;
    gathering& joined;

    ~leaving() {
      std::unique_lock lock(owner.mutex_);
      if (--joined.present > 0)
        owner.wait(self, activity::leaves, lock);
      else
        owner.wake_others(self, joined, lock);
    }
  };

  // Takes the place of this process in the gathering of its group, which is the first to come's.
  std::shared_ptr<gathering> join(process& self, const meeting& all) {
    const gathering_key key{all.channel_id, flat_id(grid_, all.group.member(0)), all.group.size()};
    auto [at, last] = open_.equal_range(key);
    while (at != last && !(at->second->first->group == all.group)) ++at;
    if (at == last) {
      const std::size_t size = std::size_t(all.group.size());
      at = open_.emplace(
          key, std::make_shared<gathering>(gathering{&all, &self, {}, {}, int(size), int(size), meetings_++}));
      at->second->operands.resize(size);
      at->second->members.resize(size);
    }
    const std::shared_ptr<gathering> joined = at->second;
    if (!fits(*joined->first, all)) {
      stop_all(describe_difference(*joined->first_process, *joined->first, self, all));
      stop_if_failed();
    }
    const std::size_t position = std::size_t(all.group.find(self.id()));
    joined->operands[position] = all.operands.data;
    joined->members[position] = &self;
    if (--joined->missing == 0) open_.erase(at);
    return joined;
  }
  static bool fits(const meeting& a, const meeting& b) { return a.op == b.op && detail::same_types(a.types, b.types); }

  mail_key key_of(const transfer& route, const process_id& from, const process_id& to) const {
    return {route.collective, route.channel_id, route.has_peer ? flat_id(grid_, from) : -1,
            route.has_peer ? flat_id(grid_, to) : -1};
  }
  void send(process& self, const transfer& to, const void* const* inputs) {
    std::unique_lock lock(mutex_);
    letter mail{self.id(), seconds_so_far(), {}, {}};
    if (!spare_.empty()) mail.bytes = std::move(spare_.back()), spare_.pop_back();
    lock.unlock();
    for (int i = 0; i < to.types.size; ++i) {
      const auto* bytes = static_cast<const unsigned char*>(inputs[i]);
      mail.types.push_back(to.types.data[i]);
      mail.bytes.insert(mail.bytes.end(), bytes, bytes + byte_size(to.types.data[i]));
    }
    const mail_key key = key_of(to, self.id(), to.peer);
    lock.lock();
    stop_if_failed();
    if (!to.has_peer) claim_end(self, to.channel_id, true);
    mail_[key].push_back(std::move(mail));
    const auto receiver = receivers_.find(key);
    if (receiver == receivers_.end()) return;
    set_going(*receiver->second);
    open(*receiver->second);
    receivers_.erase(receiver);
  }

  void receive(process& self, const transfer& from, void* const* results) {
    noted note(*this, self, from.op, from.channel_id);
    const mail_key key = key_of(from, from.peer, self.id());
    std::unique_lock lock(mutex_);
    stop_if_failed();
    if (!from.has_peer) claim_end(self, from.channel_id, false);
    std::deque<letter>& letters = mail_[key];
    if (letters.empty()) {
      self.waits_for = &from;
      receivers_[key] = &self;
      wait(self, activity::receives, lock);
      lock.lock();
      stop_if_failed();
    }
    letter mail = std::move(letters.front());
    letters.pop_front();
    const core::list<tensor_type> types{mail.types.data(), int(mail.types.size())};
    if (!detail::same_types(types, from.types)) {
      stop_all(detail::difference_of_letters(from, mail.from, types, self.id()));
      stop_if_failed();
    }
    lock.unlock();
    note.event.met = seconds_so_far(), note.event.sender = flat_id(grid_, mail.from), note.event.sent = mail.sent;
    const unsigned char* bytes = mail.bytes.data();
    for (int i = 0; i < types.size; ++i) {
      const std::size_t size = std::size_t(byte_size(types.data[i]));
      if (size > 0) std::memcpy(results[i], bytes, size);
      bytes += size;
    }
    mail.bytes.clear();
    lock.lock();
    spare_.push_back(std::move(mail.bytes));
  }
  void claim_end(const process& self, index_t channel_id, bool sends) {
    const auto [end, is_first] = ends_.try_emplace({channel_id, sends}, self.id());
    if (is_first || end->second == self.id()) return;
    const bool in_order = flat_id(grid_, end->second) < flat_id(grid_, self.id());
    const process_id &first = in_order ? end->second : self.id(), &second = in_order ? self.id() : end->second;
    stop_all(detail::two_ends(first, second, sends, channel_id));
    stop_if_failed();
  }

  // "; process ... waits in ..." for each of them.
  template <class Filter>
  std::string describe_all(const Filter& is_named) {
    std::string text;
    int count = 0;
    for (const process& each : processes_)
      if (is_named(each) && ++count <= detail::most_named) text += (count == 1 ? ": " : "; ") + describe_state(each);
    return count > detail::most_named ? text + "; and " + std::to_string(count - detail::most_named) + " more" : text;
  }
  std::string describe_state(const process& self) {
    std::string text = "process " + detail::text_of(self.id());
    if (self.state == activity::runs) return text + " runs";
    if (self.state == activity::leaves) return text + " leaves a collective";
    text += " waits in ";
    if (self.state == activity::receives) {
      const transfer& from = *self.waits_for;
      text += std::string(from.op) + " on channel " + std::to_string(from.channel_id) + " for ";
      return text + (from.has_peer ? name_with_state(from.peer) : "somebody who sends");
    }
    text += detail::name_of(*self.comes_to) + " for ";
    int count = 0;
    for (int i = 0; i < self.comes_to->group.size(); ++i) {
      const process_id member = self.comes_to->group.member(i);
      if (member == self.id() || comes_to_same_place(at(member), *self.comes_to)) continue;
      if (++count <= detail::most_named) text += (count > 1 ? ", " : "") + name_with_state(member);
    }
    return count > detail::most_named ? text + " and " + std::to_string(count - detail::most_named) + " more" : text;
  }
  static bool comes_to_same_place(const process& other, const meeting& own) {
    return other.state == activity::meets && other.comes_to->channel_id == own.channel_id &&
           other.comes_to->group == own.group;
  }
  // ": the groups differ ..." if two wait in the same op for each other, but in different groups.
  std::string describe_difference_of_groups() {
    int looked_at = 0;
    for (const process& each : processes_) {
      if (each.state != activity::meets) continue;
      const meeting& own = *each.comes_to;
      for (int i = 0; i < own.group.size() && i < detail::most_named; ++i) {
        const process& other = at(own.group.member(i));
        if (other.state != activity::meets || &other == &each) continue;
        const meeting& its = *other.comes_to;
        if (its.op != own.op || its.channel_id != own.channel_id || its.group == own.group) continue;
        return ": the groups differ, " + detail::name_of(own.group) + " for " + detail::text_of(each.id()) + " and " +
               detail::name_of(its.group) + " for " + detail::text_of(other.id());
      }
      if (++looked_at == detail::most_named) break;
    }
    return {};
  }
  std::string name_with_state(const process_id& id) {
    return detail::text_of(id) + (at(id).state == activity::ended ? ", which has ended" : "");
  }
  std::string describe_difference(const process& one, const meeting& its, const process& other, const meeting& own) {
    if (flat_id(grid_, one.id()) > flat_id(grid_, other.id())) return describe_difference(other, own, one, its);
    return detail::difference_of_ops(one.id(), detail::name_of(its), other.id(), detail::name_of(own));
  }
};

static_assert(transport<simulated_grid>);

}  // namespace tenon
