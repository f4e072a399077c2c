// Models that no program can be derived from: what they lack, or which op lets a
// row depend on a later one.
// RUN: tandem-opt %s --specialize-phases="prefill=4" --split-input-file --verify-diagnostics

// expected-error @+1 {{'builtin.module' op programs: got no function of phase 'model', expected one}}
module {}

// -----

func.func private @f() attributes {tandem.program = #tandem.program<model, positions = 40>}
// expected-error @+1 {{'func.func' op phase: got a second model, expected one}}
func.func private @g() attributes {tandem.program = #tandem.program<model, positions = 40>}

// -----

tandem.parameter @w : tensor<11x2xf32>
func.func @f(%t: tensor<?xi32> {tandem.name = "tokens"}, %p: tensor<?xi32> {tandem.name = "positions"}) -> tensor<?x2xf32>
    attributes {tandem.program = #tandem.program<model, positions = 40>} {
  %w = tandem.weight @w : tensor<11x2xf32>
  %x = tandem.embedding %w, %t : (tensor<11x2xf32>, tensor<?xi32>) -> tensor<?x2xf32>
  // expected-error @+1 {{'func.return' op result: got a value that no matmul by a weight makes, expected logits}}
  return %x : tensor<?x2xf32>
}

// -----

// No mask.
tandem.parameter @w : tensor<11x2xf32>
func.func @f(%t: tensor<?xi32> {tandem.name = "tokens"}, %p: tensor<?xi32> {tandem.name = "positions"}) -> tensor<?x11xf32>
    attributes {tandem.program = #tandem.program<model, positions = 40>} {
  %w = tandem.weight @w : tensor<11x2xf32>
  %x = tandem.embedding %w, %t : (tensor<11x2xf32>, tensor<?xi32>) -> tensor<?x2xf32>
  %s = tandem.matmul %x, %x {transpose_rhs} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x?xf32>
  // expected-error @+1 {{'tandem.softmax' op mixes positions other than causally: it sums over rows that no causal_mask hides}}
  %a = tandem.softmax %s : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tandem.matmul %a, %x : (tensor<?x?xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %l = tandem.matmul %y, %w {transpose_rhs} : (tensor<?x2xf32>, tensor<11x2xf32>) -> tensor<?x11xf32>
  return %l : tensor<?x11xf32>
}

// -----

// A mask by something else than the positions.
tandem.parameter @w : tensor<11x2xf32>
func.func @f(%t: tensor<?xi32> {tandem.name = "tokens"}, %p: tensor<?xi32> {tandem.name = "positions"}) -> tensor<?x11xf32>
    attributes {tandem.program = #tandem.program<model, positions = 40>} {
  %w = tandem.weight @w : tensor<11x2xf32>
  %x = tandem.embedding %w, %t : (tensor<11x2xf32>, tensor<?xi32>) -> tensor<?x2xf32>
  %s = tandem.matmul %x, %x {transpose_rhs} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x?xf32>
  // expected-error @+1 {{'tandem.causal_mask' op mixes positions other than causally: its positions are not the argument 'positions'}}
  %m = tandem.causal_mask %s, %t : (tensor<?x?xf32>, tensor<?xi32>) -> tensor<?x?xf32>
  %a = tandem.softmax %m : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tandem.matmul %a, %x : (tensor<?x?xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %l = tandem.matmul %y, %w {transpose_rhs} : (tensor<?x2xf32>, tensor<11x2xf32>) -> tensor<?x11xf32>
  return %l : tensor<?x11xf32>
}

// -----

// A negative factor makes of what is hidden the largest.
tandem.parameter @w : tensor<11x2xf32>
func.func @f(%t: tensor<?xi32> {tandem.name = "tokens"}, %p: tensor<?xi32> {tandem.name = "positions"}) -> tensor<?x11xf32>
    attributes {tandem.program = #tandem.program<model, positions = 40>} {
  %w = tandem.weight @w : tensor<11x2xf32>
  %x = tandem.embedding %w, %t : (tensor<11x2xf32>, tensor<?xi32>) -> tensor<?x2xf32>
  %s = tandem.matmul %x, %x {transpose_rhs} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x?xf32>
  %m = tandem.causal_mask %s, %p : (tensor<?x?xf32>, tensor<?xi32>) -> tensor<?x?xf32>
  %n = tandem.scale %m {factor = -1.0 : f64} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // expected-error @+1 {{'tandem.softmax' op mixes positions other than causally: it sums over rows that no causal_mask hides}}
  %a = tandem.softmax %n : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tandem.matmul %a, %x : (tensor<?x?xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %l = tandem.matmul %y, %w {transpose_rhs} : (tensor<?x2xf32>, tensor<11x2xf32>) -> tensor<?x11xf32>
  return %l : tensor<?x11xf32>
}

// -----

// Hidden scores are -infinity, not 0, until a softmax.
tandem.parameter @w : tensor<11x2xf32>
func.func @f(%t: tensor<?xi32> {tandem.name = "tokens"}, %p: tensor<?xi32> {tandem.name = "positions"}) -> tensor<?x11xf32>
    attributes {tandem.program = #tandem.program<model, positions = 40>} {
  %w = tandem.weight @w : tensor<11x2xf32>
  %x = tandem.embedding %w, %t : (tensor<11x2xf32>, tensor<?xi32>) -> tensor<?x2xf32>
  %s = tandem.matmul %x, %x {transpose_rhs} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x?xf32>
  %m = tandem.causal_mask %s, %p : (tensor<?x?xf32>, tensor<?xi32>) -> tensor<?x?xf32>
  // expected-error @+1 {{'tandem.matmul' op mixes positions other than causally: it sums over rows that no causal_mask hides}}
  %y = tandem.matmul %m, %x : (tensor<?x?xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %l = tandem.matmul %y, %w {transpose_rhs} : (tensor<?x2xf32>, tensor<11x2xf32>) -> tensor<?x11xf32>
  return %l : tensor<?x11xf32>
}

// -----

// A sum over all rows.
tandem.parameter @w : tensor<11x2xf32>
func.func @f(%t: tensor<?xi32> {tandem.name = "tokens"}, %p: tensor<?xi32> {tandem.name = "positions"}) -> tensor<?x11xf32>
    attributes {tandem.program = #tandem.program<model, positions = 40>} {
  %w = tandem.weight @w : tensor<11x2xf32>
  %x = tandem.embedding %w, %t : (tensor<11x2xf32>, tensor<?xi32>) -> tensor<?x2xf32>
  %z = tandem.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x2xf32>) -> tensor<2x?xf32>
  // expected-error @+1 {{'tandem.matmul' op mixes positions other than causally: it contracts the rows}}
  %q = tandem.matmul %z, %x : (tensor<2x?xf32>, tensor<?x2xf32>) -> tensor<2x2xf32>
  %y = tandem.matmul %x, %q : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  %l = tandem.matmul %y, %w {transpose_rhs} : (tensor<?x2xf32>, tensor<11x2xf32>) -> tensor<?x11xf32>
  return %l : tensor<?x11xf32>
}

// -----

// Rows of a fixed number, of which one is taken out.
tandem.parameter @w : tensor<11x2xf32>
func.func @f(%t: tensor<4xi32> {tandem.name = "tokens"}, %p: tensor<4xi32> {tandem.name = "positions"}) -> tensor<1x11xf32>
    attributes {tandem.program = #tandem.program<model, positions = 40>} {
  %w = tandem.weight @w : tensor<11x2xf32>
  %x = tandem.embedding %w, %t : (tensor<11x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  // expected-error @+1 {{'tandem.slice' op mixes positions other than causally: it takes a range of the rows}}
  %y = tandem.slice %x {dim = 0 : i64, offset = 3 : i64, size = 1 : i64} : (tensor<4x2xf32>) -> tensor<1x2xf32>
  %l = tandem.matmul %y, %w {transpose_rhs} : (tensor<1x2xf32>, tensor<11x2xf32>) -> tensor<1x11xf32>
  return %l : tensor<1x11xf32>
}

// -----

// Two rows become one.
tandem.parameter @w : tensor<11x2xf32>
func.func @f(%t: tensor<4xi32> {tandem.name = "tokens"}, %p: tensor<4xi32> {tandem.name = "positions"}) -> tensor<4x11xf32>
    attributes {tandem.program = #tandem.program<model, positions = 40>} {
  %w = tandem.weight @w : tensor<11x2xf32>
  %x = tandem.embedding %w, %t : (tensor<11x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  // expected-error @+1 {{'tandem.reshape' op mixes positions other than causally: it merges or splits the rows}}
  %z = tandem.reshape %x {shape = array<i64: 2, 4>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %y = tandem.reshape %z {shape = array<i64: 4, 2>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %l = tandem.matmul %y, %w {transpose_rhs} : (tensor<4x2xf32>, tensor<11x2xf32>) -> tensor<4x11xf32>
  return %l : tensor<4x11xf32>
}

// -----

// An op that the analysis cannot see through.
tandem.parameter @w : tensor<11x2xf32>
func.func @f(%t: tensor<?xi32> {tandem.name = "tokens"}, %p: tensor<?xi32> {tandem.name = "positions"}) -> tensor<?x11xf32>
    attributes {tandem.program = #tandem.program<model, positions = 40>} {
  %w = tandem.weight @w : tensor<11x2xf32>
  // expected-error @+1 {{'arith.addi' op mixes positions other than causally: the op is not known to the analysis}}
  %u = arith.addi %t, %p : tensor<?xi32>
  %x = tandem.embedding %w, %u : (tensor<11x2xf32>, tensor<?xi32>) -> tensor<?x2xf32>
  %l = tandem.matmul %x, %w {transpose_rhs} : (tensor<?x2xf32>, tensor<11x2xf32>) -> tensor<?x11xf32>
  return %l : tensor<?x11xf32>
}
