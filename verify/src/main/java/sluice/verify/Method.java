package sluice.verify;

import sluice.verify.value.Values;

/// The data structures for the analysis of one method.
///
/// @param info the method
/// @param code its instructions
/// @param graph its basic blocks
/// @param forest its loops
/// @param values the factory of values
record Method(MethodInfo info, Code code, FlowGraph graph, LoopForest forest, Values values) {}
