package sluice.loop;

import java.util.concurrent.Executor;
import sluice.loop.input.PartialMemory;
import sluice.loop.output.OutputMemory;
import sluice.loop.turn.LoopTasks;
import sluice.loop.turn.Turn;

/// What all connections of a loop have in common, below the connections themselves. Made by [Loop];
/// owned by its thread.
///
/// @param tasks runs tasks on the loop's thread
/// @param slowPath runs what may block
/// @param partials memory of unfinished input
/// @param outputMemory memory of output
/// @param outputRoom which connection may take of that how much
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
