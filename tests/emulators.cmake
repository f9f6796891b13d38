# SPDX-License-Identifier: Apache-2.0
#
# Other machines, under emulators. One after the other, as they may install packages; where those cannot be had, the
# script says so.
foreach(target m4 m55 aarch64 wasm)
  add_test(NAME everywhere/${target} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/everywhere.sh ${target} --programs digits)
  set_tests_properties(everywhere/${target} PROPERTIES SKIP_REGULAR_EXPRESSION ": skipped: " RESOURCE_LOCK everywhere
                                                       TIMEOUT 3600)
endforeach()
foreach(target m4 m55)
  add_test(NAME everywhere/network_${target} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/everywhere.sh ${target} --programs
                                                     "keyword_spotting anomalies")
  set_tests_properties(everywhere/network_${target} PROPERTIES SKIP_REGULAR_EXPRESSION ": skipped: " RESOURCE_LOCK
                                                               everywhere TIMEOUT 3600)
endforeach()
