# SPDX-License-Identifier: Apache-2.0
#
# Packs this checkout: conan create .
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load
from conan.tools.layout import basic_layout


class TenonConan(ConanFile):
    name = "tenon"
    description = "An ML compiler made of headers"
    license = "Apache-2.0"
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = "include/*", "cmake/*", "LICENSE"
    no_copy_source = True

    def set_version(self):
        lists = load(self, os.path.join(self.recipe_folder, "CMakeLists.txt"))
        self.version = re.search(r"project\(tenon VERSION ([0-9.]+)", lists).group(1)

    def export(self):
        copy(self, "CMakeLists.txt", self.recipe_folder, self.export_folder)

    def layout(self):
        basic_layout(self)

    def requirements(self):
        self.requires("highway/[>=1.0.3]")
        self.requires("eigen/[>=3.4 <4]")

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*.hpp", os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))
        for module in ("tenon_add_program.cmake", "tenon_add_kernels.cmake"):
            copy(self, module, os.path.join(self.source_folder, "cmake"), os.path.join(self.package_folder, "cmake"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.defines = ["HWY_COMPILE_ONLY_STATIC", "HWY_DISABLE_PCLMUL_AES"]
        # Without flags a compiler for x86-64 promises SSE2, which Highway has no vectors for.
        if self.settings.arch == "x86_64" and self.settings.compiler != "msvc":
            self.cpp_info.cxxflags = ["-msse4.2"]
        self.cpp_info.set_property("cmake_file_name", "tenon")
        self.cpp_info.set_property("cmake_target_name", "tenon::tenon")
        self.cpp_info.set_property(
            "cmake_build_modules", ["cmake/tenon_add_program.cmake", "cmake/tenon_add_kernels.cmake"]
        )
