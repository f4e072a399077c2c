// What parameters, programs and destinations refuse.
// RUN: tandem-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'tandem.parameter' op type: got 'tensor<?x4xf32>', expected a tensor of static shape in f32, bf16, qint8 or qint4}}
tandem.parameter @w : tensor<?x4xf32>

// -----

// expected-error @+1 {{'tandem.parameter' op layout: got column_panels of 'tensor<4xf32>', expected plain, since the rank is not 2}}
tandem.parameter @w : tensor<4xf32> layout column_panels

// -----

tandem.parameter @w : tensor<4x4xf32> layout column_panels
func.func @f(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %w = tandem.weight @w : tensor<4x4xf32>
  // expected-error @+1 {{'tandem.linear' op operand 1: got @w in layout column_panels, expected one that the op can read}}
  %y = tandem.linear %x, %w {transpose_rhs} : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @f() {
  // expected-error @+1 {{'tandem.weight' op parameter: got @w, expected the name of a tandem.parameter}}
  %w = tandem.weight @w : tensor<4xf32>
  return
}

// -----

tandem.parameter @w : tensor<4xf32>
func.func @f() {
  // expected-error @+1 {{'tandem.weight' op result: got 'tensor<5xf32>', expected the shape of @w, 'tensor<4xf32>'}}
  %w = tandem.weight @w : tensor<5xf32>
  return
}

// -----

// expected-error @+1 {{'func.func' op attribute 'tandem.program': got 1 : i64, expected #tandem.program with 1 or more positions}}
func.func private @f() attributes {tandem.program = 1 : i64}

// -----

// expected-error @+1 {{expected #tandem.program with 1 or more positions}}
func.func private @f() attributes {tandem.program = #tandem.program<model, positions = 0>}

// -----

// expected-error @+1 {{'func.func' op attribute 'tandem.bucket': got it on 'func.func', expected only 'tandem.program' on a function}}
func.func private @f() attributes {tandem.bucket = 1 : i64}

// -----

// expected-error @+1 {{'builtin.module' op attribute 'tandem.program': got it on a module, expected one of 'tandem.stage', 'tandem.weights', 'tandem.threads' and 'tandem.eos_tokens'}}
module attributes {tandem.program = #tandem.program<model, positions = 4>} {}

// -----

// expected-error @+1 {{'builtin.module' op attribute 'tandem.stage': got 3 : i64, expected a string}}
module attributes {tandem.stage = 3 : i64} {}

// -----

// expected-error @+1 {{'builtin.module' op attribute 'tandem.threads': got 0 : i64, expected an i64 from 1 to 2147483647}}
module attributes {tandem.threads = 0 : i64} {}

// -----

// expected-error @+1 {{'builtin.module' op attribute 'tandem.threads': got 4294967298 : i64, expected an i64 from 1 to 2147483647}}
module attributes {tandem.threads = 4294967298 : i64} {}

// -----

// expected-error @+1 {{'builtin.module' op attribute 'tandem.eos_tokens': got array<i64: 3, -1>, expected array<i64: ...> of token ids}}
module attributes {tandem.eos_tokens = array<i64: 3, -1>} {}

// -----

// Programs of one module share one cache. What is no program may differ.
func.func private @other(!tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 16, positions = 64, f32>)
// expected-error @+1 {{'func.func' op KV cache: got '!tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>', expected '!tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 16, positions = 64, f32>' as in 'other'}}
func.func private @f(!tandem.kv_cache<layers = 3, heads = 4, head_size = 8, block = 32, positions = 64, f32>) attributes {tandem.program = #tandem.program<decode, positions = 64>}

// -----

func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{'tandem.softmax' op destinations: got 0 and 0 results, expected either 1 results or as many destinations}}
  tandem.softmax %x : (memref<4xf32>) -> ()
  return
}

// -----

func.func @f(%x: memref<4xf32>, %y: memref<5xf32>) {
  // expected-error @+1 {{'tandem.softmax' op destination: got 'memref<5xf32>', expected shape [4]}}
  tandem.softmax %x into %y : (memref<4xf32>, memref<5xf32>) -> ()
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'tandem.softmax' op destinations: got 1 and 1 results, expected either 1 results or as many destinations}}
  %z = tandem.softmax %x into %y : (tensor<4xf32>, memref<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{'tandem.softmax' op operand #0: got 'memref<4xf32>', expected a tensor, since there are results}}
  %z = tandem.softmax %x : (memref<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'tandem.add' op operand #1: got 'tensor<4xf32>', expected a memref, since there are destinations}}
  tandem.add %y, %x into %y : (memref<4xf32>, tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// expected-error @+1 {{'tandem.parameter' op parts: got @k, expected the name of a tandem.parameter}}
tandem.parameter @qk : tensor<4x8xf32> parts [@q, @k] dim 1
tandem.parameter @q : tensor<4x4xf32>

// -----

// expected-error @+1 {{'tandem.parameter' op parts: got @k of 'tensor<5x4xf32>', expected the shape of 'tensor<4x8xf32>' but for dimension 1}}
tandem.parameter @qk : tensor<4x8xf32> parts [@q, @k] dim 1
tandem.parameter @q : tensor<4x4xf32>
tandem.parameter @k : tensor<5x4xf32>

// -----

// expected-error @+1 {{'tandem.parameter' op parts: got 7 in dimension 1 together, expected 8}}
tandem.parameter @qk : tensor<4x8xf32> parts [@q, @k] dim 1
tandem.parameter @q : tensor<4x4xf32>
tandem.parameter @k : tensor<4x3xf32>

// -----

// expected-error @+1 {{'tandem.parameter' op parts: got @qk, which has parts, expected one without}}
tandem.parameter @qkv : tensor<4x12xf32> parts [@qk, @v] dim 1
tandem.parameter @qk : tensor<4x8xf32> parts [@q, @v] dim 1
tandem.parameter @q : tensor<4x4xf32>
tandem.parameter @v : tensor<4x4xf32>

// -----

// expected-error @+1 {{'tandem.parameter' op dim: got 1, expected a dimension of 'tensor<8xf32>'}}
tandem.parameter @bb : tensor<8xf32> parts [@b, @b] dim 1
tandem.parameter @b : tensor<4xf32>

// -----

// expected-error @+1 {{'tandem.parameter' op type: got 'tensor<2x2x2xf32>', expected rank 1 or 2, since it has parts}}
tandem.parameter @bb : tensor<2x2x2xf32> parts [@b, @b] dim 0
tandem.parameter @b : tensor<1x2x2xf32>

// -----

// expected-error @+1 {{'tandem.parameter' op parts: got none, or no dim, expected both or neither}}
"tandem.parameter"() <{sym_name = "qk", type = tensor<4x8xf32>, dim = 1 : i64}> : () -> ()

// -----

// expected-error @+1 {{'tandem.parameter' op offset: got 9, expected a multiple of 64}}
tandem.parameter @b : tensor<4xf32> at 9

// -----

// expected-error @+1 {{'tandem.parameter' op type: got 'tensor<4x4xi8>', expected a tensor of static shape in f32, bf16, qint8 or qint4}}
tandem.parameter @w : tensor<4x4xi8>

// -----

// expected-error @+1 {{'tandem.parameter' op layout: got plain of 'tensor<4x4x!tandem.qint4>', expected panels, in which narrow weights lie}}
tandem.parameter @w : tensor<4x4x!tandem.qint4>
