package sluice.verify;

import sluice.verify.value.Values;

/// What the analysis of one method works with. Of one analysis.
///
/// @param info the method
/// @param code its instructions
/// @param graph its blocks
/// @param forest its loops
/// @param values makes ranges
record Method(MethodInfo info, Code code, FlowGraph graph, LoopForest forest, Values values) {}
