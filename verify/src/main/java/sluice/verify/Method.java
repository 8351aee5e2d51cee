package sluice.verify;

import sluice.verify.value.Values;

/// The data structures for the analysis of one method.
///
/// @param info the method
/// @param code the instructions of the method
/// @param graph the basic blocks of the method
/// @param forest the loops of the method
/// @param values the factory of values
record Method(MethodInfo info, Code code, FlowGraph graph, LoopForest forest, Values values) {}
