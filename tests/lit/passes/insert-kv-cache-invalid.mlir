// Attentions that cannot go through the cache.
// RUN: tandem-opt %s --insert-kv-cache --split-input-file --verify-diagnostics

// None at all.
tandem.parameter @w : tensor<11x6xf32>
// expected-error @+1 {{'func.func' op attentions: got none, expected 1 or more}}
func.func @f(%t: tensor<4xi32> {tandem.name = "tokens"}, %p: tensor<4xi32> {tandem.name = "positions"},
    %s: tensor<4xi32> {tandem.name = "sequences"}, %b: tensor<1x2xi32> {tandem.name = "block_tables"}, %v: tensor<1xi32> {tandem.name = "valid"})
    -> (tensor<4x6xf32> {tandem.name = "hidden"})
    attributes {tandem.program = #tandem.program<prefill, positions = 40>} {
  %w = tandem.weight @w : tensor<11x6xf32>
  %x = tandem.embedding %w, %t : (tensor<11x6xf32>, tensor<4xi32>) -> tensor<4x6xf32>
  %r = tandem.reshape %x {shape = array<i64: -1, 3, 2>} : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  %k = tandem.transpose %r {permutation = array<i64: 1, 0, 2>} : (tensor<4x3x2xf32>) -> tensor<3x4x2xf32>
  return %x : tensor<4x6xf32>
}

// -----

// One head, of which nothing says so.
tandem.parameter @w : tensor<11x6xf32>
func.func @f(%t: tensor<4xi32> {tandem.name = "tokens"}, %p: tensor<4xi32> {tandem.name = "positions"},
    %s: tensor<4xi32> {tandem.name = "sequences"}, %b: tensor<1x2xi32> {tandem.name = "block_tables"}, %v: tensor<1xi32> {tandem.name = "valid"})
    -> (tensor<4x6xf32> {tandem.name = "hidden"})
    attributes {tandem.program = #tandem.program<prefill, positions = 40>} {
  %w = tandem.weight @w : tensor<11x6xf32>
  %x = tandem.embedding %w, %t : (tensor<11x6xf32>, tensor<4xi32>) -> tensor<4x6xf32>
  // expected-error @+1 {{'tandem.matmul' op rhs: got 'tensor<4x6xf32>', expected keys or values as [heads, rows, head size] or [heads, head size, rows]}}
  %s0 = tandem.matmul %x, %x {transpose_rhs} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x4xf32>
  %s1 = tandem.causal_mask %s0, %p : (tensor<4x4xf32>, tensor<4xi32>) -> tensor<4x4xf32>
  %s2 = tandem.softmax %s1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = tandem.matmul %s2, %x : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

// Values of another head size than the keys.
tandem.parameter @w : tensor<11x6xf32>
func.func @f(%t: tensor<4xi32> {tandem.name = "tokens"}, %p: tensor<4xi32> {tandem.name = "positions"},
    %s: tensor<4xi32> {tandem.name = "sequences"}, %b: tensor<1x2xi32> {tandem.name = "block_tables"}, %v: tensor<1xi32> {tandem.name = "valid"})
    -> (tensor<4x3xf32> {tandem.name = "hidden"})
    attributes {tandem.program = #tandem.program<prefill, positions = 40>} {
  %w = tandem.weight @w : tensor<11x6xf32>
  %x = tandem.embedding %w, %t : (tensor<11x6xf32>, tensor<4xi32>) -> tensor<4x6xf32>
  %r = tandem.reshape %x {shape = array<i64: -1, 3, 2>} : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  %k = tandem.transpose %r {permutation = array<i64: 1, 2, 0>} : (tensor<4x3x2xf32>) -> tensor<3x2x4xf32>
  %q = tandem.transpose %r {permutation = array<i64: 1, 0, 2>} : (tensor<4x3x2xf32>) -> tensor<3x4x2xf32>
  %n = tandem.slice %q {dim = 2 : i64, offset = 0 : i64, size = 1 : i64} : (tensor<3x4x2xf32>) -> tensor<3x4x1xf32>
  %s0 = tandem.matmul %q, %k : (tensor<3x4x2xf32>, tensor<3x2x4xf32>) -> tensor<3x4x4xf32>
  %s1 = tandem.causal_mask %s0, %p : (tensor<3x4x4xf32>, tensor<4xi32>) -> tensor<3x4x4xf32>
  %s2 = tandem.softmax %s1 : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  // expected-error @+1 {{'tandem.matmul' op rhs: got 'tensor<3x4x1xf32>', expected the heads and head size of the keys, 'tensor<3x2x4xf32>'}}
  %y = tandem.matmul %s2, %n : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x1xf32>
  %z = tandem.transpose %y {permutation = array<i64: 1, 0, 2>} : (tensor<3x4x1xf32>) -> tensor<4x3x1xf32>
  %h = tandem.reshape %z {shape = array<i64: -1, 3>} : (tensor<4x3x1xf32>) -> tensor<4x3xf32>
  return %h : tensor<4x3xf32>
}

// -----

// Scores that something else changes.
tandem.parameter @w : tensor<11x6xf32>
func.func @f(%t: tensor<4xi32> {tandem.name = "tokens"}, %p: tensor<4xi32> {tandem.name = "positions"},
    %s: tensor<4xi32> {tandem.name = "sequences"}, %b: tensor<1x2xi32> {tandem.name = "block_tables"}, %v: tensor<1xi32> {tandem.name = "valid"})
    -> (tensor<4x6xf32> {tandem.name = "hidden"})
    attributes {tandem.program = #tandem.program<prefill, positions = 40>} {
  %w = tandem.weight @w : tensor<11x6xf32>
  %x = tandem.embedding %w, %t : (tensor<11x6xf32>, tensor<4xi32>) -> tensor<4x6xf32>
  %r = tandem.reshape %x {shape = array<i64: -1, 3, 2>} : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  %k = tandem.transpose %r {permutation = array<i64: 1, 0, 2>} : (tensor<4x3x2xf32>) -> tensor<3x4x2xf32>
  %s0 = tandem.matmul %k, %k {transpose_rhs} : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> tensor<3x4x4xf32>
  // expected-error @+1 {{'tandem.add' op between scores and context: expected tandem.scale, tandem.causal_mask or tandem.softmax}}
  %s1 = tandem.add %s0, %s0 : (tensor<3x4x4xf32>, tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %s2 = tandem.causal_mask %s1, %p : (tensor<3x4x4xf32>, tensor<4xi32>) -> tensor<3x4x4xf32>
  %s3 = tandem.softmax %s2 : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %y = tandem.matmul %s3, %k : (tensor<3x4x4xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  %z = tandem.transpose %y {permutation = array<i64: 1, 0, 2>} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  %h = tandem.reshape %z {shape = array<i64: -1, 6>} : (tensor<4x3x2xf32>) -> tensor<4x6xf32>
  return %h : tensor<4x6xf32>
}

// -----

// A softmax over rows that are not hidden.
tandem.parameter @w : tensor<11x6xf32>
func.func @f(%t: tensor<4xi32> {tandem.name = "tokens"}, %p: tensor<4xi32> {tandem.name = "positions"},
    %s: tensor<4xi32> {tandem.name = "sequences"}, %b: tensor<1x2xi32> {tandem.name = "block_tables"}, %v: tensor<1xi32> {tandem.name = "valid"})
    -> (tensor<4x6xf32> {tandem.name = "hidden"})
    attributes {tandem.program = #tandem.program<prefill, positions = 40>} {
  %w = tandem.weight @w : tensor<11x6xf32>
  %x = tandem.embedding %w, %t : (tensor<11x6xf32>, tensor<4xi32>) -> tensor<4x6xf32>
  %r = tandem.reshape %x {shape = array<i64: -1, 3, 2>} : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  %k = tandem.transpose %r {permutation = array<i64: 1, 0, 2>} : (tensor<4x3x2xf32>) -> tensor<3x4x2xf32>
  %s0 = tandem.matmul %k, %k {transpose_rhs} : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> tensor<3x4x4xf32>
  %s1 = tandem.scale %s0 {factor = 0.5 : f64} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %s2 = tandem.causal_mask %s1, %p : (tensor<3x4x4xf32>, tensor<4xi32>) -> tensor<3x4x4xf32>
  // expected-error @+1 {{'tandem.softmax' op mixes positions other than causally: it sums over rows that no causal_mask hides}}
  %s3 = tandem.softmax %s1 : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %y = tandem.matmul %s3, %k : (tensor<3x4x4xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  %z = tandem.transpose %y {permutation = array<i64: 1, 0, 2>} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  %h = tandem.reshape %z {shape = array<i64: -1, 6>} : (tensor<4x3x2xf32>) -> tensor<4x6xf32>
  return %h : tensor<4x6xf32>
}
