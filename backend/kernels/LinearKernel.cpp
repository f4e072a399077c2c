#include "backend/kernels/Factories.h"
#include "backend/kernels/LinearShape.h"
#include "backend/kernels/Scratch.h"
#include "backend/kernels/SpecReader.h"

namespace tandem {

/// in x [rows, depth], weight [depth, columns] or, with transpose_rhs,
///    [columns, depth], [bias [columns]], [residual like out]
///   -> out [rows, columns] f32 (may be the residual)
/// attrs transpose_rhs, has_bias, has_residual, activation
/// x and weight are f32 (rows of x may be apart), bf16 (the same), or x is
/// qint8 and the weight qint8 or qint4; a narrow weight lies in panels.
KernelResult createLinear(const KernelSpec &spec) {
  SpecReader reader("linear", spec);
  LinearShape shape = readLinear(reader);
  reader.expectOperands(2 + shape.hasBias + shape.hasResidual, 1);
  if (!reader.ok())
    return reader.failure();
  if (shape.hasBias)
    reader.expectShape("bias", reader.input(2, "bias", 1), {shape.columns});
  if (shape.hasResidual)
    reader.expectShape("residual",
                       reader.input(2 + shape.hasBias, "residual", 2),
                       {shape.rows, shape.columns});
  bool takesScratch = linearTakesScratch(shape.rows, shape.inPanels());
  if (takesScratch)
    reader.expectScratch(
        linearScratchBytesPerThread(shape.rows, shape.depth, shape.weightType));
  if (!reader.ok())
    return reader.failure();
  if (!takesScratch)
    return createPanelLinear(shape);
  auto tiled = createTileLinear(shape, spec.numThreads);
  if (!tiled && shape.weightType != ElementType::F32)
    return createPanelLinear(shape);
  return tiled;
}

int64_t unplannedScratchBytes(std::string_view name, const KernelSpec &spec) {
  if (name != "linear" || spec.inputs.size() < 2)
    return 0;
  const Value &x = spec.inputs[0], &weight = spec.inputs[1];
  if (x.shape.size() != 2 ||
      !linearTakesScratch(x.shape[0], weight.layout != Layout::Plain))
    return 0;
  return spec.numThreads *
         linearScratchBytesPerThread(x.shape[0], x.shape[1], weight.type);
}

} // namespace tandem
