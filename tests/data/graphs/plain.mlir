// A transformer as a person would write it, of no family: queries, keys and values by
// weights of their own, the queries scaled before they meet the keys, keys without a
// bias, ReLU, no weight shared with the head.
// 61 tokens, 40 positions, 2 layers, 3 heads of 8, rows of 24, 40 wide inside.

!ids = tensor<?xi32>
!row = tensor<24xf32>
!rows = tensor<?x24xf32>
!wide = tensor<?x40xf32>
!square = tensor<24x24xf32>
!split = tensor<?x3x8xf32>
!heads = tensor<3x?x8xf32>
!scores = tensor<3x?x?xf32>

tandem.parameter @words : tensor<61x24xf32>
tandem.parameter @places : tensor<40x24xf32>
tandem.parameter @lower.calm.gain : !row
tandem.parameter @lower.calm.shift : !row
tandem.parameter @lower.ask : !square
tandem.parameter @lower.ask.bias : !row
tandem.parameter @lower.offer : !square
tandem.parameter @lower.give : !square
tandem.parameter @lower.give.bias : !row
tandem.parameter @lower.join : !square
tandem.parameter @lower.join.bias : !row
tandem.parameter @lower.settle.gain : !row
tandem.parameter @lower.settle.shift : !row
tandem.parameter @lower.widen : tensor<40x24xf32>
tandem.parameter @lower.widen.bias : tensor<40xf32>
tandem.parameter @lower.narrow : tensor<40x24xf32>
tandem.parameter @lower.narrow.bias : !row
tandem.parameter @upper.calm.gain : !row
tandem.parameter @upper.calm.shift : !row
tandem.parameter @upper.ask : !square
tandem.parameter @upper.ask.bias : !row
tandem.parameter @upper.offer : !square
tandem.parameter @upper.give : !square
tandem.parameter @upper.give.bias : !row
tandem.parameter @upper.join : !square
tandem.parameter @upper.join.bias : !row
tandem.parameter @upper.settle.gain : !row
tandem.parameter @upper.settle.shift : !row
tandem.parameter @upper.widen : tensor<40x24xf32>
tandem.parameter @upper.widen.bias : tensor<40xf32>
tandem.parameter @upper.narrow : tensor<40x24xf32>
tandem.parameter @upper.narrow.bias : !row
tandem.parameter @last.gain : !row
tandem.parameter @last.shift : !row
tandem.parameter @speak : tensor<24x61xf32>

func.func @net(%tokens: !ids, %positions: !ids) -> tensor<?x61xf32> {
  %words = tandem.weight @words : tensor<61x24xf32>
  %places = tandem.weight @places : tensor<40x24xf32>
  %word = tandem.embedding %words, %tokens : (tensor<61x24xf32>, !ids) -> !rows
  %place = tandem.embedding %places, %positions : (tensor<40x24xf32>, !ids) -> !rows
  %lower.x = tandem.add %word, %place : (!rows, !rows) -> !rows

  %lower.calm.gain.w = tandem.weight @lower.calm.gain : !row
  %lower.calm.shift.w = tandem.weight @lower.calm.shift : !row
  %lower.calm = tandem.layer_norm %lower.x, %lower.calm.gain.w, %lower.calm.shift.w {epsilon = 1.0e-4 : f64} : (!rows, !row, !row) -> !rows
  %lower.ask.w = tandem.weight @lower.ask : !square
  %lower.ask.0 = tandem.matmul %lower.calm, %lower.ask.w : (!rows, !square) -> !rows
  %lower.ask.bias.w = tandem.weight @lower.ask.bias : !row
  %lower.ask.1 = tandem.add %lower.ask.0, %lower.ask.bias.w : (!rows, !row) -> !rows
  %lower.ask.2 = tandem.scale %lower.ask.1 {factor = 0.35 : f64} : (!rows) -> !rows
  %lower.ask.3 = tandem.reshape %lower.ask.2 {shape = array<i64: -1, 3, 8>} : (!rows) -> !split
  %lower.ask = tandem.transpose %lower.ask.3 {permutation = array<i64: 1, 0, 2>} : (!split) -> !heads
  %lower.offer.w = tandem.weight @lower.offer : !square
  %lower.offer.0 = tandem.matmul %lower.calm, %lower.offer.w : (!rows, !square) -> !rows
  %lower.offer.3 = tandem.reshape %lower.offer.0 {shape = array<i64: -1, 3, 8>} : (!rows) -> !split
  %lower.offer = tandem.transpose %lower.offer.3 {permutation = array<i64: 1, 0, 2>} : (!split) -> !heads
  %lower.give.w = tandem.weight @lower.give : !square
  %lower.give.0 = tandem.matmul %lower.calm, %lower.give.w : (!rows, !square) -> !rows
  %lower.give.bias.w = tandem.weight @lower.give.bias : !row
  %lower.give.1 = tandem.add %lower.give.0, %lower.give.bias.w : (!rows, !row) -> !rows
  %lower.give.3 = tandem.reshape %lower.give.1 {shape = array<i64: -1, 3, 8>} : (!rows) -> !split
  %lower.give = tandem.transpose %lower.give.3 {permutation = array<i64: 1, 0, 2>} : (!split) -> !heads
  %lower.scores = tandem.matmul %lower.ask, %lower.offer {transpose_rhs} : (!heads, !heads) -> !scores
  %lower.hidden = tandem.causal_mask %lower.scores, %positions : (!scores, !ids) -> !scores
  %lower.share = tandem.softmax %lower.hidden : (!scores) -> !scores
  %lower.mixed = tandem.matmul %lower.share, %lower.give : (!scores, !heads) -> !heads
  %lower.mixed.1 = tandem.transpose %lower.mixed {permutation = array<i64: 1, 0, 2>} : (!heads) -> !split
  %lower.mixed.2 = tandem.reshape %lower.mixed.1 {shape = array<i64: -1, 24>} : (!split) -> !rows
  %lower.join.w = tandem.weight @lower.join : !square
  %lower.join.bias.w = tandem.weight @lower.join.bias : !row
  %lower.joined.0 = tandem.matmul %lower.mixed.2, %lower.join.w : (!rows, !square) -> !rows
  %lower.joined = tandem.add %lower.joined.0, %lower.join.bias.w : (!rows, !row) -> !rows
  %lower.y = tandem.add %lower.x, %lower.joined : (!rows, !rows) -> !rows
  %lower.settle.gain.w = tandem.weight @lower.settle.gain : !row
  %lower.settle.shift.w = tandem.weight @lower.settle.shift : !row
  %lower.settle = tandem.layer_norm %lower.y, %lower.settle.gain.w, %lower.settle.shift.w {epsilon = 1.0e-4 : f64} : (!rows, !row, !row) -> !rows
  %lower.widen.w = tandem.weight @lower.widen : tensor<40x24xf32>
  %lower.widen.bias.w = tandem.weight @lower.widen.bias : tensor<40xf32>
  %lower.wide.0 = tandem.matmul %lower.settle, %lower.widen.w {transpose_rhs} : (!rows, tensor<40x24xf32>) -> !wide
  %lower.wide.1 = tandem.add %lower.wide.0, %lower.widen.bias.w : (!wide, tensor<40xf32>) -> !wide
  %lower.wide = tandem.activation %lower.wide.1 {kind = #tandem.activation<relu>} : (!wide) -> !wide
  %lower.narrow.w = tandem.weight @lower.narrow : tensor<40x24xf32>
  %lower.narrow.bias.w = tandem.weight @lower.narrow.bias : !row
  %lower.narrow.0 = tandem.matmul %lower.wide, %lower.narrow.w : (!wide, tensor<40x24xf32>) -> !rows
  %lower.narrow = tandem.add %lower.narrow.0, %lower.narrow.bias.w : (!rows, !row) -> !rows
  %upper.x = tandem.add %lower.y, %lower.narrow : (!rows, !rows) -> !rows

  %upper.calm.gain.w = tandem.weight @upper.calm.gain : !row
  %upper.calm.shift.w = tandem.weight @upper.calm.shift : !row
  %upper.calm = tandem.layer_norm %upper.x, %upper.calm.gain.w, %upper.calm.shift.w {epsilon = 1.0e-4 : f64} : (!rows, !row, !row) -> !rows
  %upper.ask.w = tandem.weight @upper.ask : !square
  %upper.ask.0 = tandem.matmul %upper.calm, %upper.ask.w : (!rows, !square) -> !rows
  %upper.ask.bias.w = tandem.weight @upper.ask.bias : !row
  %upper.ask.1 = tandem.add %upper.ask.0, %upper.ask.bias.w : (!rows, !row) -> !rows
  %upper.ask.2 = tandem.scale %upper.ask.1 {factor = 0.35 : f64} : (!rows) -> !rows
  %upper.ask.3 = tandem.reshape %upper.ask.2 {shape = array<i64: -1, 3, 8>} : (!rows) -> !split
  %upper.ask = tandem.transpose %upper.ask.3 {permutation = array<i64: 1, 0, 2>} : (!split) -> !heads
  %upper.offer.w = tandem.weight @upper.offer : !square
  %upper.offer.0 = tandem.matmul %upper.calm, %upper.offer.w : (!rows, !square) -> !rows
  %upper.offer.3 = tandem.reshape %upper.offer.0 {shape = array<i64: -1, 3, 8>} : (!rows) -> !split
  %upper.offer = tandem.transpose %upper.offer.3 {permutation = array<i64: 1, 0, 2>} : (!split) -> !heads
  %upper.give.w = tandem.weight @upper.give : !square
  %upper.give.0 = tandem.matmul %upper.calm, %upper.give.w : (!rows, !square) -> !rows
  %upper.give.bias.w = tandem.weight @upper.give.bias : !row
  %upper.give.1 = tandem.add %upper.give.0, %upper.give.bias.w : (!rows, !row) -> !rows
  %upper.give.3 = tandem.reshape %upper.give.1 {shape = array<i64: -1, 3, 8>} : (!rows) -> !split
  %upper.give = tandem.transpose %upper.give.3 {permutation = array<i64: 1, 0, 2>} : (!split) -> !heads
  %upper.scores = tandem.matmul %upper.ask, %upper.offer {transpose_rhs} : (!heads, !heads) -> !scores
  %upper.hidden = tandem.causal_mask %upper.scores, %positions : (!scores, !ids) -> !scores
  %upper.share = tandem.softmax %upper.hidden : (!scores) -> !scores
  %upper.mixed = tandem.matmul %upper.share, %upper.give : (!scores, !heads) -> !heads
  %upper.mixed.1 = tandem.transpose %upper.mixed {permutation = array<i64: 1, 0, 2>} : (!heads) -> !split
  %upper.mixed.2 = tandem.reshape %upper.mixed.1 {shape = array<i64: -1, 24>} : (!split) -> !rows
  %upper.join.w = tandem.weight @upper.join : !square
  %upper.join.bias.w = tandem.weight @upper.join.bias : !row
  %upper.joined.0 = tandem.matmul %upper.mixed.2, %upper.join.w : (!rows, !square) -> !rows
  %upper.joined = tandem.add %upper.joined.0, %upper.join.bias.w : (!rows, !row) -> !rows
  %upper.y = tandem.add %upper.x, %upper.joined : (!rows, !rows) -> !rows
  %upper.settle.gain.w = tandem.weight @upper.settle.gain : !row
  %upper.settle.shift.w = tandem.weight @upper.settle.shift : !row
  %upper.settle = tandem.layer_norm %upper.y, %upper.settle.gain.w, %upper.settle.shift.w {epsilon = 1.0e-4 : f64} : (!rows, !row, !row) -> !rows
  %upper.widen.w = tandem.weight @upper.widen : tensor<40x24xf32>
  %upper.widen.bias.w = tandem.weight @upper.widen.bias : tensor<40xf32>
  %upper.wide.0 = tandem.matmul %upper.settle, %upper.widen.w {transpose_rhs} : (!rows, tensor<40x24xf32>) -> !wide
  %upper.wide.1 = tandem.add %upper.wide.0, %upper.widen.bias.w : (!wide, tensor<40xf32>) -> !wide
  %upper.wide = tandem.activation %upper.wide.1 {kind = #tandem.activation<relu>} : (!wide) -> !wide
  %upper.narrow.w = tandem.weight @upper.narrow : tensor<40x24xf32>
  %upper.narrow.bias.w = tandem.weight @upper.narrow.bias : !row
  %upper.narrow.0 = tandem.matmul %upper.wide, %upper.narrow.w : (!wide, tensor<40x24xf32>) -> !rows
  %upper.narrow = tandem.add %upper.narrow.0, %upper.narrow.bias.w : (!rows, !row) -> !rows
  %top.x = tandem.add %upper.y, %upper.narrow : (!rows, !rows) -> !rows

  %last.gain.w = tandem.weight @last.gain : !row
  %last.shift.w = tandem.weight @last.shift : !row
  %last = tandem.layer_norm %top.x, %last.gain.w, %last.shift.w {epsilon = 1.0e-4 : f64} : (!rows, !row, !row) -> !rows
  %speak = tandem.weight @speak : tensor<24x61xf32>
  %logits = tandem.matmul %last, %speak : (!rows, tensor<24x61xf32>) -> tensor<?x61xf32>
  return %logits : tensor<?x61xf32>
}
