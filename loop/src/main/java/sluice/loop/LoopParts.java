package sluice.loop;

import java.util.concurrent.Executor;
import sluice.loop.input.PartialMemory;
import sluice.loop.output.OutputMemory;
import sluice.loop.turn.LoopTasks;
import sluice.loop.turn.Turn;

/// The parts of a loop that are shared by all of its connections but do not depend on them. Created
/// by [Loop] and owned by its thread.
///
/// @param tasks runs tasks on the loop's thread
/// @param slowPath runs tasks that may block
/// @param partials the memory of unfinished input
/// @param outputMemory the memory of output
/// @param outputRoom determines how much output memory each connection may allocate
/// @param input the input that is being handled
record LoopParts(
    LoopConfig config,
    LoopCounters counters,
    Turn turn,
    LoopTasks tasks,
    Executor slowPath,
    TimerWheel timers,
    PartialMemory partials,
    OutputMemory outputMemory,
    OutputRoom outputRoom,
    HandledInput input) {}
