// A program for each number of rows asked for. The head is the last matmul:
// prefill and forward end before it, head begins there, decode has both.
// RUN: tandem-opt %s --specialize-phases="prefill=16 decode=4 head=1 forward=8,-1" | FileCheck %s

tandem.parameter @table : tensor<11x6xf32>

// 40 positions are 2 blocks of 32.
// CHECK:      func.func @prefill_16(%{{.*}}: tensor<16xi32> {tandem.name = "tokens"}, %{{.*}}: tensor<16xi32> {tandem.name = "positions"},
// CHECK-SAME:     %{{.*}}: tensor<16xi32> {tandem.name = "sequences"}, %{{.*}}: tensor<1x2xi32> {tandem.name = "block_tables"}, %{{.*}}: tensor<1xi32> {tandem.name = "valid"})
// CHECK-SAME:     -> (tensor<16x6xf32> {tandem.name = "hidden"}) attributes {tandem.program = #tandem.program<prefill, positions = 40>}
// CHECK-NEXT:   tandem.weight
// CHECK-NEXT:   tandem.embedding {{.*}} -> tensor<16x6xf32>
// CHECK-NEXT:   return

// CHECK:      func.func @decode_4({{.*}}tensor<4x2xi32> {tandem.name = "block_tables"}
// CHECK-SAME:     -> (tensor<4x6xf32> {tandem.name = "hidden"}, tensor<4x11xf32> {tandem.name = "logits"})
// CHECK:        tandem.embedding
// CHECK:        tandem.matmul

// CHECK:      func.func @head_1(%[[HIDDEN:.*]]: tensor<1x6xf32> {tandem.name = "hidden"}) -> (tensor<1x11xf32> {tandem.name = "logits"})
// CHECK-NEXT:   %[[TABLE:.*]] = tandem.weight @table
// CHECK-NEXT:   tandem.matmul %[[HIDDEN]], %[[TABLE]] {transpose_rhs}

// CHECK:      func.func @forward_8(%{{.*}}: tensor<8xi32> {{.*}}) -> (tensor<8x6xf32> {tandem.name = "hidden"})
// CHECK:      func.func @forward_any(%{{.*}}: tensor<?xi32> {{.*}}) -> (tensor<?x6xf32> {tandem.name = "hidden"})

// CHECK-NOT:  model
func.func @anything(%t: tensor<?xi32> {tandem.name = "tokens"}, %p: tensor<?xi32> {tandem.name = "positions"})
    -> (tensor<?x11xf32> {tandem.name = "logits"})
    attributes {tandem.program = #tandem.program<model, positions = 40>} {
  %w = tandem.weight @table : tensor<11x6xf32>
  %x = tandem.embedding %w, %t : (tensor<11x6xf32>, tensor<?xi32>) -> tensor<?x6xf32>
  %y = tandem.matmul %x, %w {transpose_rhs} : (tensor<?x6xf32>, tensor<11x6xf32>) -> tensor<?x11xf32>
  return %y : tensor<?x11xf32>
}
