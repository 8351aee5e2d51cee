package sluice.loop;

import java.util.concurrent.Executor;
import sluice.loop.input.PartialMemory;
import sluice.loop.output.OutputMemory;
import sluice.loop.turn.LoopTasks;
import sluice.loop.turn.Turn;

/// The parts of a loop that all its connections share, below the connections themselves. Created by
/// [Loop]; owned by its thread.
///
/// @param tasks runs tasks on the loop's thread
/// @param slowPath runs tasks that may block
/// @param partials the memory of unfinished input
/// @param outputMemory the memory of output
/// @param outputRoom decides how much output memory each connection may take
/// @param input the input being handled
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
