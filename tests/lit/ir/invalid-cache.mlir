// What the cache's type and ops refuse.
// RUN: tandem-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{kv_cache head_size: got 0, expected 1 or more}}
func.func private @f(!tandem.kv_cache<layers = 3, heads = 4, head_size = 0, block = 32, positions = 64, f32>)

// -----

// expected-error @+1 {{kv_cache element type: got 'f16', expected f32}}
func.func private @f(!tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f16>)

// -----

!cache = !tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>
func.func @f(%c: !cache, %k: tensor<2x31xf32>, %v: tensor<2x32xf32>, %p: tensor<2xi32>, %t: tensor<1x2xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{'tandem.kv_append' op operand 'keys': got 'tensor<2x31xf32>', expected shape [2, 32]}}
  %d = tandem.kv_append %c, %k, %v rows(%p, %p, %t, %n) {layer = 0 : i64}
    : (!cache, tensor<2x31xf32>, tensor<2x32xf32>, tensor<2xi32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1xi32>) -> !cache
  return
}

// -----

!cache = !tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>
func.func @f(%c: !cache, %k: tensor<2x32xf32>, %p: tensor<2xi32>, %t: tensor<1x2xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{'tandem.kv_append' op layer: got 3, expected less than the cache's 3}}
  %d = tandem.kv_append %c, %k, %k rows(%p, %p, %t, %n) {layer = 3 : i64}
    : (!cache, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2xi32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1xi32>) -> !cache
  return
}

// -----

!cache = !tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>
func.func @f(%c: !cache, %k: tensor<2x32xf32>, %p: tensor<2xi32>, %t: tensor<1x2xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{'tandem.kv_append' op result: got none, expected the cache, since values are tensors}}
  tandem.kv_append %c, %k, %k rows(%p, %p, %t, %n) {layer = 0 : i64}
    : (!cache, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2xi32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1xi32>) -> ()
  return
}

// -----

!cache = !tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>
func.func @f(%c: !cache, %k: memref<2x32xf32>, %p: memref<2xi32>, %t: memref<1x2xi32>, %n: memref<1xi32>) {
  // expected-error @+1 {{'tandem.kv_append' op result: got one, expected none, since values are memrefs}}
  %d = tandem.kv_append %c, %k, %k rows(%p, %p, %t, %n) {layer = 0 : i64}
    : (!cache, memref<2x32xf32>, memref<2x32xf32>, memref<2xi32>, memref<2xi32>, memref<1x2xi32>, memref<1xi32>) -> !cache
  return
}

// -----

!cache = !tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>
!other = !tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 16, positions = 64, f32>
func.func @f(%c: !cache, %k: tensor<2x32xf32>, %p: tensor<2xi32>, %t: tensor<1x2xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{'tandem.kv_append' op result: got '!tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 16, positions = 64, f32>', expected the cache operand's}}
  %d = tandem.kv_append %c, %k, %k rows(%p, %p, %t, %n) {layer = 0 : i64}
    : (!cache, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2xi32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1xi32>) -> !other
  return
}

// -----

!cache = !tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>
func.func @f(%c: !cache, %p: tensor<2xi32>, %s: tensor<3xi32>, %t: tensor<1x2xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{'tandem.kv_read' op operand 'sequences': got 'tensor<3xi32>', expected shape [2]}}
  %d = tandem.kv_read %c rows(%p, %s, %t, %n) {layer = 0 : i64, num_sequences = 1 : i64, part = #tandem<part key>}
    : (!cache, tensor<2xi32>, tensor<3xi32>, tensor<1x2xi32>, tensor<1xi32>) -> tensor<4x1x?x8xf32>
  return
}

// -----

!cache = !tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>
func.func @f(%c: !cache, %p: tensor<2xi32>, %t: tensor<2xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{'tandem.kv_read' op operand 'block_tables': got 'tensor<2xi32>', expected rank 2}}
  %d = tandem.kv_read %c rows(%p, %p, %t, %n) {layer = 0 : i64, num_sequences = 1 : i64, part = #tandem<part key>}
    : (!cache, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<1xi32>) -> tensor<4x1x?x8xf32>
  return
}

// -----

!cache = !tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>
func.func @f(%c: !cache, %p: tensor<2xi32>, %t: tensor<1x2xi32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'tandem.kv_read' op operand 'valid': got 'tensor<2xi32>', expected shape [1]}}
  %d = tandem.kv_read %c rows(%p, %p, %t, %n) {layer = 0 : i64, num_sequences = 1 : i64, part = #tandem<part key>}
    : (!cache, tensor<2xi32>, tensor<2xi32>, tensor<1x2xi32>, tensor<2xi32>) -> tensor<4x1x?x8xf32>
  return
}

// -----

!cache = !tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>
func.func @f(%c: !cache, %p: tensor<2xi32>, %t: tensor<1x2xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{'tandem.kv_read' op num_sequences: got 3, expected a divisor of the 2 rows}}
  %d = tandem.kv_read %c rows(%p, %p, %t, %n) {layer = 0 : i64, num_sequences = 3 : i64, part = #tandem<part key>}
    : (!cache, tensor<2xi32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1xi32>) -> tensor<4x3x?x8xf32>
  return
}

// -----

!cache = !tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>
func.func @f(%c: !cache, %q: tensor<2x16xf32>, %p: tensor<2xi32>, %t: tensor<1x2xi32>, %n: tensor<1xi32>) {
  // expected-error @+1 {{'tandem.cached_attention' op operand 'q': got 'tensor<2x16xf32>', expected shape [2, 32]}}
  %y = tandem.cached_attention %q, %c rows(%p, %p, %t, %n) {layer = 0 : i64, scale = 1.0 : f64}
    : (tensor<2x16xf32>, !cache, tensor<2xi32>, tensor<2xi32>, tensor<1x2xi32>, tensor<1xi32>) -> tensor<2x16xf32>
  return
}
