#pragma once

#include "backend/kernels/Kernel.h"

/// One factory a kernel; Registry.cpp gives them their names. Operands and
/// attributes are documented beside the definitions.
namespace tandem {

using KernelResult = Result<std::unique_ptr<Kernel>>;

// Elementwise and over rows: RowKernels.cpp
KernelResult createAdd(const KernelSpec &spec);
KernelResult createMul(const KernelSpec &spec);
KernelResult createScale(const KernelSpec &spec);
KernelResult createActivation(const KernelSpec &spec);
KernelResult createSoftmax(const KernelSpec &spec);
KernelResult createCausalMask(const KernelSpec &spec);
KernelResult createLayerNorm(const KernelSpec &spec);
KernelResult createAddLayerNorm(const KernelSpec &spec);

// CastKernel.cpp
KernelResult createCast(const KernelSpec &spec);

// Rows picked from tables, and sums of two: EmbeddingKernels.cpp
KernelResult createEmbedding(const KernelSpec &spec);
KernelResult createAddEmbedding(const KernelSpec &spec);

// Copies: MovementKernels.cpp
KernelResult createReshape(const KernelSpec &spec);
KernelResult createTranspose(const KernelSpec &spec);
KernelResult createSlice(const KernelSpec &spec);

// The cache: CacheKernels.cpp
KernelResult createKvAppend(const KernelSpec &spec);
KernelResult createKvRead(const KernelSpec &spec);

// Products: MatmulKernel.cpp, LinearKernel.cpp
KernelResult createMatmul(const KernelSpec &spec);
KernelResult createLinear(const KernelSpec &spec);

// AttentionKernels.cpp
KernelResult createAttention(const KernelSpec &spec);
KernelResult createCachedAttention(const KernelSpec &spec);

} // namespace tandem
