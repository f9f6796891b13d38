# SPDX-License-Identifier: Apache-2.0
#
# An overlay port that installs this checkout: vcpkg install tenon --overlay-ports=cmake/vcpkg
cmake_path(ABSOLUTE_PATH CURRENT_PORT_DIR NORMALIZE OUTPUT_VARIABLE port)
cmake_path(GET port PARENT_PATH ports)
cmake_path(GET ports PARENT_PATH cmake)
cmake_path(GET cmake PARENT_PATH SOURCE_PATH)

vcpkg_cmake_configure(
  SOURCE_PATH ${SOURCE_PATH}
  OPTIONS -D TENON_BUILD_TESTS=OFF -D TENON_BUILD_EXAMPLES=OFF -D TENON_BUILD_BENCH=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/tenon)
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug ${CURRENT_PACKAGES_DIR}/lib)
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)
