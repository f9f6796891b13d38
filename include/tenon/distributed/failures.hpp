// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/grid.hpp>.
#pragma once

#include <tenon/core/message.hpp>
#include <tenon/distributed/process_grid.hpp>
#include <tenon/ops/process_context.hpp>

#include <string>
#include <utility>

namespace tenon {

// An error between processes, with its whole message.
class grid_error : public error {
 public:
  explicit grid_error(std::string message) : error(message.c_str()), message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

namespace detail {

[[noreturn]] inline void throw_grid_error(const std::string& report) {
#if defined(__cpp_exceptions)
  if (on_failure != nullptr) on_failure(report.c_str());
  throw grid_error(report);
#else
  fail(report);
#endif
}

// Messages name that number of processes, and how many more there are.
inline constexpr int most_named = 16;

template <class Part>
std::string text_of(const Part& part) {
  message_text<1000> text;
  text << part;
  return std::string(text.view());
}
inline std::string name_of(const meeting& all) {
  return std::string(all.op) + "(" + text_of(all.types) + ") on channel " + std::to_string(all.channel_id);
}
inline std::string name_of(const process_group& group) {
  std::string text = "[";
  for (int i = 0; i < group.size() && i < most_named; ++i) text += (i > 0 ? ", " : "") + text_of(group.member(i));
  return text + (group.size() > most_named ? ", ...]" : "]");
}

// Numbers of quantization parameters belong to each program by itself.
inline bool same_types(list<tensor_type> a, list<tensor_type> b) {
  if (a.size != b.size) return false;
  for (int i = 0; i < a.size; ++i)
    if (a.data[i].element != b.data[i].element || !(a.data[i].shape == b.data[i].shape)) return false;
  return true;
}

inline std::string difference_of_ops(const process_id& first, const std::string& its, const process_id& second,
                                     const std::string& own) {
  return "processes meet in different ops: " + text_of(first) + " comes to " + its + ", " + text_of(second) + " to " +
         own;
}
inline std::string difference_of_letters(const transfer& wanted, const process_id& from, list<tensor_type> sent,
                                         const process_id& to) {
  return std::string(wanted.op) + " on channel " + std::to_string(wanted.channel_id) + ": process " + text_of(from) +
         " sends " + text_of(sent) + ", " + text_of(to) + " receives " + text_of(wanted.types);
}
inline std::string two_ends(const process_id& first, const process_id& second, bool send, index_t channel_id) {
  return "both processes " + text_of(first) + " and " + text_of(second) + (send ? " send" : " receive") +
         " over channel " + std::to_string(channel_id) + " without source_target_pairs";
}
// `to` is empty where no peer is named.
inline std::string lost_letter(const process_id& from, const std::string& to, index_t channel_id) {
  return "process " + text_of(from) + " has sent over channel " + std::to_string(channel_id) +
         (to.empty() ? "" : " to " + to) + ", but nobody has received it";
}

}  // namespace detail

}  // namespace tenon
