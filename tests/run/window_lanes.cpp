// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/window_lanes.hpp>

#include <run/walked_alike.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::test;

namespace {

using floats = TENON_PROGRAM(R"(
  func.func @main(%a0: tensor<9x37xf32>, %a1: tensor<8x64xf32>, %a2: tensor<9x66xf32>, %a3: tensor<3x5x6x7xf32>) -> (tensor<7x35xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<3x2x4x2xf32>) {
    %i = stablehlo.constant dense<0.7> : tensor<f32>
    %r0 = "stablehlo.reduce_window"(%a0, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>} : (tensor<9x37xf32>, tensor<f32>) -> tensor<7x35xf32>
    %r1 = "stablehlo.reduce_window"(%a1, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>, window_dilations = array<i64: 1, 1>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<4x32xf32>
    %r2 = "stablehlo.reduce_window"(%a2, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 2, 2>, window_dilations = array<i64: 1, 1>} : (tensor<9x66xf32>, tensor<f32>) -> tensor<4x32xf32>
    %r3 = "stablehlo.reduce_window"(%a3, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {window_dimensions = array<i64: 1, 2, 2, 2>, window_strides = array<i64: 1, 2, 1, 2>, window_dilations = array<i64: 1, 1, 2, 3>} : (tensor<3x5x6x7xf32>, tensor<f32>) -> tensor<3x2x4x2xf32>
    return %r0, %r1, %r2, %r3 : tensor<7x35xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<3x2x4x2xf32>
  })");

using shapes = TENON_PROGRAM(R"(
  func.func @main(%a0: tensor<100xf32>, %a1: tensor<67xf32>, %a2: tensor<2x9x10x3xf32>, %a3: tensor<6x5x1xf32>) -> (tensor<93xf32>, tensor<32xf32>, tensor<2x4x4x3xf32>, tensor<5x2x1xf32>) {
    %i = stablehlo.constant dense<0.7> : tensor<f32>
    %r0 = "stablehlo.reduce_window"(%a0, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {window_dimensions = array<i64: 8>, window_strides = array<i64: 1>, window_dilations = array<i64: 1>} : (tensor<100xf32>, tensor<f32>) -> tensor<93xf32>
    %r1 = "stablehlo.reduce_window"(%a1, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, window_dilations = array<i64: 2>} : (tensor<67xf32>, tensor<f32>) -> tensor<32xf32>
    %r2 = "stablehlo.reduce_window"(%a2, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, window_dilations = array<i64: 1, 1, 1, 1>} : (tensor<2x9x10x3xf32>, tensor<f32>) -> tensor<2x4x4x3xf32>
    %r3 = "stablehlo.reduce_window"(%a3, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {window_dimensions = array<i64: 2, 2, 1>, window_strides = array<i64: 1, 2, 1>, window_dilations = array<i64: 1, 1, 1>} : (tensor<6x5x1xf32>, tensor<f32>) -> tensor<5x2x1xf32>
    return %r0, %r1, %r2, %r3 : tensor<93xf32>, tensor<32xf32>, tensor<2x4x4x3xf32>, tensor<5x2x1xf32>
  })");

using places_of_others = TENON_PROGRAM(R"(
  func.func @main(%a0: tensor<4x1x33xf32>, %a1: tensor<4x33xf32>, %a2: tensor<7x40xf32>, %a3: tensor<7x34xf32>) -> (tensor<4x1x16xf32>, tensor<4x17xf32>, tensor<6x13xf32>, tensor<4x17xf32>) {
    %i = stablehlo.constant dense<0.7> : tensor<f32>
    %r0 = "stablehlo.reduce_window"(%a0, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {window_dimensions = array<i64: 1, 1, 2>, window_strides = array<i64: 1, 1, 2>, window_dilations = array<i64: 1, 1, 1>} : (tensor<4x1x33xf32>, tensor<f32>) -> tensor<4x1x16xf32>
    %r1 = "stablehlo.reduce_window"(%a1, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {window_dimensions = array<i64: 1, 17>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>} : (tensor<4x33xf32>, tensor<f32>) -> tensor<4x17xf32>
    %r2 = "stablehlo.reduce_window"(%a2, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 3>, window_dilations = array<i64: 1, 1>} : (tensor<7x40xf32>, tensor<f32>) -> tensor<6x13xf32>
    %r3 = "stablehlo.reduce_window"(%a3, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 2>, window_dilations = array<i64: 1, 1>, padding = dense<[[1, 0], [1, 1]]> : tensor<2x2xi64>} : (tensor<7x34xf32>, tensor<f32>) -> tensor<4x17xf32>
    return %r0, %r1, %r2, %r3 : tensor<4x1x16xf32>, tensor<4x17xf32>, tensor<6x13xf32>, tensor<4x17xf32>
  })");

using doubles = TENON_PROGRAM(R"(
  func.func @main(%a0: tensor<9x21xf64>, %a1: tensor<9x21xf64>, %a2: tensor<5x18xf64>) -> (tensor<7x19xf64>, tensor<4x10xf64>, tensor<2x8xf64>) {
    %i = stablehlo.constant dense<0.7> : tensor<f64>
    %r0 = "stablehlo.reduce_window"(%a0, %i) ({
    ^bb0(%x: tensor<f64>, %y: tensor<f64>):
      %h = stablehlo.constant dense<0.7> : tensor<f64>
      %p = stablehlo.multiply %x, %h : tensor<f64>
      %z = stablehlo.subtract %p, %y : tensor<f64>
      stablehlo.return %z : tensor<f64>
    }) {window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>} : (tensor<9x21xf64>, tensor<f64>) -> tensor<7x19xf64>
    %r1 = "stablehlo.reduce_window"(%a1, %i) ({
    ^bb0(%x: tensor<f64>, %y: tensor<f64>):
      %h = stablehlo.constant dense<0.7> : tensor<f64>
      %p = stablehlo.multiply %x, %h : tensor<f64>
      %z = stablehlo.subtract %p, %y : tensor<f64>
      stablehlo.return %z : tensor<f64>
    }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>, window_dilations = array<i64: 1, 1>} : (tensor<9x21xf64>, tensor<f64>) -> tensor<4x10xf64>
    %r2 = "stablehlo.reduce_window"(%a2, %i) ({
    ^bb0(%x: tensor<f64>, %y: tensor<f64>):
      %h = stablehlo.constant dense<0.7> : tensor<f64>
      %p = stablehlo.multiply %x, %h : tensor<f64>
      %z = stablehlo.subtract %p, %y : tensor<f64>
      stablehlo.return %z : tensor<f64>
    }) {window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 2>, window_dilations = array<i64: 1, 1>} : (tensor<5x18xf64>, tensor<f64>) -> tensor<2x8xf64>
    return %r0, %r1, %r2 : tensor<7x19xf64>, tensor<4x10xf64>, tensor<2x8xf64>
  })");

using integers = TENON_PROGRAM(R"(
  func.func @main(%a0: tensor<9x37xi32>, %a1: tensor<9x37xi32>) -> (tensor<7x35xi32>, tensor<4x18xi32>) {
    %i = stablehlo.constant dense<3> : tensor<i32>
    %r0 = "stablehlo.reduce_window"(%a0, %i) ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %h = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.multiply %x, %h : tensor<i32>
      %z = stablehlo.subtract %p, %y : tensor<i32>
      stablehlo.return %z : tensor<i32>
    }) {window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>} : (tensor<9x37xi32>, tensor<i32>) -> tensor<7x35xi32>
    %r1 = "stablehlo.reduce_window"(%a1, %i) ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %h = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.multiply %x, %h : tensor<i32>
      %z = stablehlo.subtract %p, %y : tensor<i32>
      stablehlo.return %z : tensor<i32>
    }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>, window_dilations = array<i64: 1, 1>} : (tensor<9x37xi32>, tensor<i32>) -> tensor<4x18xi32>
    return %r0, %r1 : tensor<7x35xi32>, tensor<4x18xi32>
  })");

using bytes = TENON_PROGRAM(R"(
  func.func @main(%a0: tensor<9x75xi8>, %a1: tensor<9x75xi8>, %a2: tensor<3x131xi8>) -> (tensor<7x73xi8>, tensor<4x37xi8>, tensor<2x65xi8>) {
    %i = stablehlo.constant dense<3> : tensor<i8>
    %r0 = "stablehlo.reduce_window"(%a0, %i) ({
    ^bb0(%x: tensor<i8>, %y: tensor<i8>):
      %h = stablehlo.constant dense<3> : tensor<i8>
      %p = stablehlo.multiply %x, %h : tensor<i8>
      %z = stablehlo.subtract %p, %y : tensor<i8>
      stablehlo.return %z : tensor<i8>
    }) {window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>} : (tensor<9x75xi8>, tensor<i8>) -> tensor<7x73xi8>
    %r1 = "stablehlo.reduce_window"(%a1, %i) ({
    ^bb0(%x: tensor<i8>, %y: tensor<i8>):
      %h = stablehlo.constant dense<3> : tensor<i8>
      %p = stablehlo.multiply %x, %h : tensor<i8>
      %z = stablehlo.subtract %p, %y : tensor<i8>
      stablehlo.return %z : tensor<i8>
    }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>, window_dilations = array<i64: 1, 1>} : (tensor<9x75xi8>, tensor<i8>) -> tensor<4x37xi8>
    %r2 = "stablehlo.reduce_window"(%a2, %i) ({
    ^bb0(%x: tensor<i8>, %y: tensor<i8>):
      %h = stablehlo.constant dense<3> : tensor<i8>
      %p = stablehlo.multiply %x, %h : tensor<i8>
      %z = stablehlo.subtract %p, %y : tensor<i8>
      stablehlo.return %z : tensor<i8>
    }) {window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, window_dilations = array<i64: 1, 1>} : (tensor<3x131xi8>, tensor<i8>) -> tensor<2x65xi8>
    return %r0, %r1, %r2 : tensor<7x73xi8>, tensor<4x37xi8>, tensor<2x65xi8>
  })");

using wide = TENON_PROGRAM(R"(
  func.func @main(%a0: tensor<9x37xi64>, %a1: tensor<9x37xi64>) -> (tensor<7x35xi64>, tensor<4x18xi64>) {
    %i = stablehlo.constant dense<3> : tensor<i64>
    %r0 = "stablehlo.reduce_window"(%a0, %i) ({
    ^bb0(%x: tensor<i64>, %y: tensor<i64>):
      %h = stablehlo.constant dense<3> : tensor<i64>
      %p = stablehlo.multiply %x, %h : tensor<i64>
      %z = stablehlo.subtract %p, %y : tensor<i64>
      stablehlo.return %z : tensor<i64>
    }) {window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>} : (tensor<9x37xi64>, tensor<i64>) -> tensor<7x35xi64>
    %r1 = "stablehlo.reduce_window"(%a1, %i) ({
    ^bb0(%x: tensor<i64>, %y: tensor<i64>):
      %h = stablehlo.constant dense<3> : tensor<i64>
      %p = stablehlo.multiply %x, %h : tensor<i64>
      %z = stablehlo.subtract %p, %y : tensor<i64>
      stablehlo.return %z : tensor<i64>
    }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>, window_dilations = array<i64: 1, 1>} : (tensor<9x37xi64>, tensor<i64>) -> tensor<4x18xi64>
    return %r0, %r1 : tensor<7x35xi64>, tensor<4x18xi64>
  })");

using flat_places = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<4x8x34xf32>) -> (tensor<4x4x17xi32>) {
    %l = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %z = stablehlo.constant dense<-1> : tensor<i32>
    %f = stablehlo.iota dim = 0 : tensor<1088xi32>
    %c = stablehlo.reshape %f : (tensor<1088xi32>) -> tensor<4x8x34xi32>
    %q:2 = "stablehlo.reduce_window"(%a, %c, %l, %z) ({
    ^bb0(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>):
      %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %u = stablehlo.select %p, %x, %y : tensor<i1>, tensor<f32>
      %v = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %u, %v : tensor<f32>, tensor<i32>
    }) {window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 2>} : (tensor<4x8x34xf32>, tensor<4x8x34xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x4x17xf32>, tensor<4x4x17xi32>)
    return %q#1 : tensor<4x4x17xi32>
  })");

using flat_places_read = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<4x8x34xf32>) -> (tensor<4x4x17xf32>, tensor<4x4x17xi32>, tensor<4x8x34xi32>) {
    %l = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %z = stablehlo.constant dense<-1> : tensor<i32>
    %f = stablehlo.iota dim = 0 : tensor<1088xi32>
    %c = stablehlo.reshape %f : (tensor<1088xi32>) -> tensor<4x8x34xi32>
    %q:2 = "stablehlo.reduce_window"(%a, %c, %l, %z) ({
    ^bb0(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>):
      %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %u = stablehlo.select %p, %x, %y : tensor<i1>, tensor<f32>
      %v = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %u, %v : tensor<f32>, tensor<i32>
    }) {window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 2>} : (tensor<4x8x34xf32>, tensor<4x8x34xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x4x17xf32>, tensor<4x4x17xi32>)
    return %q#0, %q#1, %c : tensor<4x4x17xf32>, tensor<4x4x17xi32>, tensor<4x8x34xi32>
  })");

using places_in_images = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<2x3x9x21xf32>) -> (tensor<2x3x4x10xf32>, tensor<2x3x4x10xi32>) {
    %l = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %z = stablehlo.constant dense<-1> : tensor<i32>
    %f = stablehlo.iota dim = 0 : tensor<189xi32>
    %e = stablehlo.reshape %f : (tensor<189xi32>) -> tensor<1x9x21xi32>
    %c = stablehlo.broadcast_in_dim %e, dims = [0, 2, 3] : (tensor<1x9x21xi32>) -> tensor<2x3x9x21xi32>
    %q:2 = "stablehlo.reduce_window"(%a, %c, %l, %z) ({
    ^bb0(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>):
      %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %u = stablehlo.select %p, %x, %y : tensor<i1>, tensor<f32>
      %v = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %u, %v : tensor<f32>, tensor<i32>
    }) {window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>} : (tensor<2x3x9x21xf32>, tensor<2x3x9x21xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x3x4x10xf32>, tensor<2x3x4x10xi32>)
    return %q#0, %q#1 : tensor<2x3x4x10xf32>, tensor<2x3x4x10xi32>
  })");

using columns = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<9x21xf64>) -> (tensor<7x19xf64>, tensor<7x19xi64>) {
    %l = stablehlo.constant dense<-1.0e9> : tensor<f64>
    %z = stablehlo.constant dense<-1> : tensor<i64>
    %c = stablehlo.iota dim = 1 : tensor<9x21xi64>
    %q:2 = "stablehlo.reduce_window"(%a, %c, %l, %z) ({
    ^bb0(%x: tensor<f64>, %i: tensor<i64>, %y: tensor<f64>, %j: tensor<i64>):
      %p = stablehlo.compare GE, %x, %y : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %u = stablehlo.select %p, %x, %y : tensor<i1>, tensor<f64>
      %v = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i64>
      stablehlo.return %u, %v : tensor<f64>, tensor<i64>
    }) {window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 1>} : (tensor<9x21xf64>, tensor<9x21xi64>, tensor<f64>, tensor<i64>) -> (tensor<7x19xf64>, tensor<7x19xi64>)
    return %q#0, %q#1 : tensor<7x19xf64>, tensor<7x19xi64>
  })");

using rows_of_windows = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<9x21xf32>) -> (tensor<4x20xi32>) {
    %l = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %z = stablehlo.constant dense<-1> : tensor<i32>
    %c = stablehlo.iota dim = 0 : tensor<9x21xi32>
    %q:2 = "stablehlo.reduce_window"(%a, %c, %l, %z) ({
    ^bb0(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>):
      %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %u = stablehlo.select %p, %x, %y : tensor<i1>, tensor<f32>
      %v = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %u, %v : tensor<f32>, tensor<i32>
    }) {window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 1>} : (tensor<9x21xf32>, tensor<9x21xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x20xf32>, tensor<4x20xi32>)
    return %q#1 : tensor<4x20xi32>
  })");

// What the first op with a region does by itself.
template <class Net>
struct first_window {
  using code = typename Net::code;
  static constexpr const graph& g = code::opened_graph;
  static constexpr int node = [] {
    int n = 0;
    while (g.nodes[n].region_count == 0) ++n;
    return n;
  }();
  using lanes = window_lanes<code, node, g.regions_of(g.nodes[node])[0]>;
};
static_assert(first_window<floats>::lanes::serves() && !first_window<floats>::lanes::counts(0));
static_assert(first_window<flat_places>::lanes::counts(1) && !first_window<flat_places>::lanes::counts(0));
static_assert(first_window<places_in_images>::lanes::counts(1));
static_assert(first_window<columns>::lanes::counts(1) && first_window<rows_of_windows>::lanes::counts(1));

}  // namespace

TEST_CASE("windows written out: along rows, every other element, and what they leave to others") {
  CHECK(walked_alike<floats>());
  CHECK(walked_alike<shapes>());
  CHECK(walked_alike<places_of_others>());
  CHECK(walked_alike<doubles>());
  CHECK(walked_alike<integers>());
  CHECK(walked_alike<bytes>());
  CHECK(walked_alike<wide>());
}
TEST_CASE("places that are counted under windows") {
  CHECK(walked_alike<flat_places>());
  CHECK(walked_alike<flat_places_read>());
  CHECK(walked_alike<places_in_images>());
  CHECK(walked_alike<columns>());
  CHECK(walked_alike<rows_of_windows>());
}
