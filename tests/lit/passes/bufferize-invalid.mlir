// What cannot become buffers.
// RUN: tandem-opt %s --bufferize --split-input-file --verify-diagnostics

func.func @open(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'tandem.softmax' op result: got 'tensor<?xf32>', expected a static shape to allocate}}
  %0 = tandem.softmax %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

!cache = !tandem.kv_cache<layers = 1, heads = 1, head_size = 2, block = 32, positions = 40, f32>
func.func @old_state(%c: !cache, %x: tensor<4x2xf32>, %p: tensor<4xi32>, %s: tensor<4xi32>, %b: tensor<1x2xi32>, %n: tensor<1xi32>) -> tensor<4x2xf32> {
  %d = tandem.kv_append %c, %x, %x rows(%p, %s, %b, %n) {layer = 0 : i64}
      : (!cache, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xi32>, tensor<4xi32>, tensor<1x2xi32>, tensor<1xi32>) -> !cache
  // expected-error @+1 {{'tandem.cached_attention' op cache: got a state that a kv_append before it overwrote, expected that append's result}}
  %y = tandem.cached_attention %x, %c rows(%p, %s, %b, %n) {layer = 0 : i64, scale = 1.0 : f64}
      : (tensor<4x2xf32>, !cache, tensor<4xi32>, tensor<4xi32>, tensor<1x2xi32>, tensor<1xi32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
