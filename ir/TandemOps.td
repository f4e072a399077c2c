#ifndef TANDEM_OPS_TD
#define TANDEM_OPS_TD

// Every op of the dialect, by kind.

include "ir/FusedOps.td"
include "ir/GraphOps.td"
include "ir/KvCacheOps.td"
include "ir/MovementOps.td"
include "ir/ParameterOps.td"

#endif
