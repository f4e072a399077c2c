// What each op's shape rule refuses: it names operand, got, expected.
// RUN: tandem-opt %s --split-input-file --verify-diagnostics

func.func @f(%t: tensor<97x32xf32>, %i: tensor<2x4xi32>) {
  // expected-error @+1 {{'tandem.embedding' op operand 'ids': got 'tensor<2x4xi32>', expected rank 1}}
  %y = tandem.embedding %t, %i : (tensor<97x32xf32>, tensor<2x4xi32>) -> tensor<2x32xf32>
  return
}

// -----

func.func @f(%t: tensor<97x32xf32>, %i: tensor<4xi32>, %u: tensor<9x31xf32>) {
  // expected-error @+1 {{'tandem.add_embedding' op operand 'rhs_table': got 'tensor<9x31xf32>', expected shape [9, 32]}}
  %y = tandem.add_embedding %t, %i, %u, %i : (tensor<97x32xf32>, tensor<4xi32>, tensor<9x31xf32>, tensor<4xi32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @f(%t: tensor<97x32xf32>, %i: tensor<4xi32>, %j: tensor<5xi32>) {
  // expected-error @+1 {{'tandem.add_embedding' op operand 'rhs_ids': got 'tensor<5xi32>', expected shape [4]}}
  %y = tandem.add_embedding %t, %i, %t, %j : (tensor<97x32xf32>, tensor<4xi32>, tensor<97x32xf32>, tensor<5xi32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @f(%x: tensor<4x32xf32>, %s: tensor<31xf32>, %b: tensor<32xf32>) {
  // expected-error @+1 {{'tandem.layer_norm' op operand 'scale': got 'tensor<31xf32>', expected shape [32]}}
  %y = tandem.layer_norm %x, %s, %b {epsilon = 0.1 : f64} : (tensor<4x32xf32>, tensor<31xf32>, tensor<32xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @f(%x: tensor<4x32xf32>, %s: tensor<32xf32>, %b: tensor<4x32xf32>) {
  // expected-error @+1 {{'tandem.layer_norm' op operand 'bias': got 'tensor<4x32xf32>', expected shape [32]}}
  %y = tandem.layer_norm %x, %s, %b {epsilon = 0.1 : f64} : (tensor<4x32xf32>, tensor<32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @f(%a: tensor<4x32xf32>, %b: tensor<31x8xf32>) {
  // expected-error @+1 {{'tandem.matmul' op operand 'rhs': got 'tensor<31x8xf32>', expected shape [32, 8]}}
  %y = tandem.matmul %a, %b : (tensor<4x32xf32>, tensor<31x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x4x32xf32>, %b: tensor<3x8x32xf32>) {
  // expected-error @+1 {{'tandem.matmul' op operand 'rhs': got 'tensor<3x8x32xf32>', expected shape [2, 8, 32]}}
  %y = tandem.matmul %a, %b {transpose_rhs} : (tensor<2x4x32xf32>, tensor<3x8x32xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<32xf32>, %b: tensor<32x8xf32>) {
  // expected-error @+1 {{'tandem.matmul' op operand 'lhs': got 'tensor<32xf32>', expected rank 2 or more}}
  %y = tandem.matmul %a, %b : (tensor<32xf32>, tensor<32x8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x32xf32>, %b: tensor<2x32x8xf32>) {
  // expected-error @+1 {{'tandem.matmul' op operand 'rhs': got 'tensor<2x32x8xf32>', expected rank 2 or 2}}
  %y = tandem.matmul %a, %b : (tensor<4x32xf32>, tensor<2x32x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x32xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{'tandem.add' op operand 'rhs': got 'tensor<4xf32>', expected shape [32]}}
  %y = tandem.add %a, %b : (tensor<4x32xf32>, tensor<4xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @f(%a: tensor<32xf32>, %b: tensor<4x32xf32>) {
  // expected-error @+1 {{'tandem.mul' op operand 'rhs': got 'tensor<4x32xf32>', expected shape [32]}}
  %y = tandem.mul %a, %b : (tensor<32xf32>, tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{'tandem.softmax' op operand 'x': got 'tensor<f32>', expected rank 1 or more}}
  %y = tandem.softmax %x : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x6x9xf32>, %p: tensor<5xi32>) {
  // expected-error @+1 {{'tandem.causal_mask' op operand 'positions': got 'tensor<5xi32>', expected one a row of 'tensor<4x6x9xf32>'}}
  %y = tandem.causal_mask %x, %p : (tensor<4x6x9xf32>, tensor<5xi32>) -> tensor<4x6x9xf32>
  return
}

// -----

func.func @f(%x: tensor<9xf32>, %p: tensor<1xi32>) {
  // expected-error @+1 {{'tandem.causal_mask' op operand 'scores': got 'tensor<9xf32>', expected rank 2 or more}}
  %y = tandem.causal_mask %x, %p : (tensor<9xf32>, tensor<1xi32>) -> tensor<9xf32>
  return
}

// -----

func.func @f(%x: tensor<6x32xf32>) {
  // expected-error @+1 {{'tandem.reshape' op operand 'x': got 'tensor<6x32xf32>', expected as many elements as shape [5, -1]}}
  %y = tandem.reshape %x {shape = array<i64: 5, -1>} : (tensor<6x32xf32>) -> tensor<5x38xf32>
  return
}

// -----

func.func @f(%x: tensor<6x32xf32>) {
  // expected-error @+1 {{'tandem.reshape' op shape: got [-1, -1], expected positive sizes and at most one -1}}
  %y = tandem.reshape %x {shape = array<i64: -1, -1>} : (tensor<6x32xf32>) -> tensor<6x32xf32>
  return
}

// -----

func.func @f(%x: tensor<6x32xf32>) {
  // expected-error @+1 {{'tandem.transpose' op permutation: got [0, 0], expected each of 0 to 1 once}}
  %y = tandem.transpose %x {permutation = array<i64: 0, 0>} : (tensor<6x32xf32>) -> tensor<6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<6x32xf32>) {
  // expected-error @+1 {{'tandem.slice' op dim: got 2, expected a dimension of 'tensor<6x32xf32>'}}
  %y = tandem.slice %x {dim = 2 : i64, offset = 0 : i64, size = 1 : i64} : (tensor<6x32xf32>) -> tensor<6x32xf32>
  return
}

// -----

func.func @f(%x: tensor<6x32xf32>) {
  // expected-error @+1 {{'tandem.slice' op range: got 24 to 40, expected within dimension 1 of 'tensor<6x32xf32>'}}
  %y = tandem.slice %x {dim = 1 : i64, offset = 24 : i64, size = 16 : i64} : (tensor<6x32xf32>) -> tensor<6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<4x32xf32>, %w: tensor<16x32xf32>) {
  // expected-error @+1 {{'tandem.linear' op operand 'weight': got 'tensor<16x32xf32>', expected shape [32, 32]}}
  %y = tandem.linear %x, %w : (tensor<4x32xf32>, tensor<16x32xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @f(%x: tensor<4x32xf32>, %w: tensor<32x16xf32>, %b: tensor<32xf32>) {
  // expected-error @+1 {{'tandem.linear' op operand 'bias': got 'tensor<32xf32>', expected shape [16]}}
  %y = tandem.linear %x, %w bias(%b) : (tensor<4x32xf32>, tensor<32x16xf32>, tensor<32xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @f(%x: tensor<4x32xf32>, %w: tensor<32x16xf32>) {
  // expected-error @+1 {{'tandem.linear' op operand 'residual': got 'tensor<4x32xf32>', expected shape [4, 16]}}
  %y = tandem.linear %x, %w residual(%x) : (tensor<4x32xf32>, tensor<32x16xf32>, tensor<4x32xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @f(%x: tensor<4x32xf32>, %k: tensor<5x32xf32>, %p: tensor<4xi32>) {
  // expected-error @+1 {{'tandem.attention' op operand 'k': got 'tensor<5x32xf32>', expected shape [4, 32]}}
  %y = tandem.attention %x, %k, %x, %p {heads = 4 : i64, scale = 1.0 : f64} : (tensor<4x32xf32>, tensor<5x32xf32>, tensor<4x32xf32>, tensor<4xi32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @f(%x: tensor<4x32xf32>, %p: tensor<4xi32>) {
  // expected-error @+1 {{'tandem.attention' op heads: got 5, expected a divisor of the width 32}}
  %y = tandem.attention %x, %x, %x, %p {heads = 5 : i64, scale = 1.0 : f64} : (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4xi32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @f(%x: tensor<4x32xf32>, %r: tensor<3x32xf32>, %d: tensor<32xf32>) {
  // expected-error @+1 {{'tandem.add_layer_norm' op operand 'rhs': got 'tensor<3x32xf32>', expected shape [4, 32]}}
  %y:2 = tandem.add_layer_norm %x, %r, %d, %d {epsilon = 0.1 : f64} : (tensor<4x32xf32>, tensor<3x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<4x32xf32>, tensor<4x32xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x32xf32>) {
  // expected-error @+1 {{'tandem.softmax' op result: got 'tensor<32x4xf32>', expected 'tensor<4x32xf32>'}}
  %y = tandem.softmax %x : (tensor<4x32xf32>) -> tensor<32x4xf32>
  return
}

// -----

// `?` agrees with any size: this one is fine.
func.func @f(%a: tensor<?x32xf32>, %b: tensor<4x32xf32>) -> tensor<?x32xf32> {
  %y = tandem.add %a, %b : (tensor<?x32xf32>, tensor<4x32xf32>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// -----

func.func @f(%x: tensor<4x32xbf16>, %w: tensor<32x16xf32>) {
  // expected-error @+1 {{'tandem.linear' op operand 'x': got 'tensor<4x32xbf16>', expected elements that multiply those of 'tensor<32x16xf32>'}}
  %y = tandem.linear %x, %w : (tensor<4x32xbf16>, tensor<32x16xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @f(%x: tensor<4x32xf32>) {
  // expected-error @+1 {{'tandem.cast' op to: got 'f16', expected bf16 or !tandem.qint8}}
  %y = tandem.cast %x {to = f16} : (tensor<4x32xf32>) -> tensor<4x32xbf16>
  return
}

// -----

func.func @f(%x: memref<4x32xf32>, %y: memref<4x32xbf16>) {
  // expected-error @+1 {{'tandem.cast' op destination: got 'memref<4x32xbf16>', expected elements '!tandem.qint8'}}
  tandem.cast %x into %y {to = !tandem.qint8} : (memref<4x32xf32>, memref<4x32xbf16>) -> ()
  return
}
