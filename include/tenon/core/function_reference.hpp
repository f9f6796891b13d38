// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

namespace tenon::core {

template <class Signature>
class function_reference;

// A function object of any type, which must outlive this. Code that takes one is compiled once, and not again for every
// function it is given: right for what is called seldom and does much.
template <class Result, class... Arguments>
class function_reference<Result(Arguments...)> {
 public:
  template <class Function>
    requires(!std::is_same_v<Function, function_reference> &&
             std::is_invocable_r_v<Result, const Function&, Arguments...>)
  function_reference(const Function& function)
      : function_(&function), call_([](const void* self, Arguments... arguments) -> Result {
          return (*static_cast<const Function*>(self))(arguments...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(function_, arguments...); }

 private:
  const void* function_;
  Result (*call_)(const void*, Arguments...);
};

}  // namespace tenon::core
