package sluice.loop;

import java.util.function.Consumer;
import sluice.loop.turn.BatchQueue;

/// What the connections of a loop work with, and where they queue. Made by [Loop]; owned by its
/// thread.
///
/// @param loop what is no connection's
/// @param calls calls protocols
/// @param dirty connections whose output the turn flushes
/// @param resumes connections whose held input is shown in the next turn
/// @param idle connections that wait for the next message, the longest first, see [Admission]
/// @param gone is told a connection that has ended, once nothing is in flight on its socket
record ConnectionParts(
    LoopParts loop,
    ProtocolCalls calls,
    BatchQueue<Connection> dirty,
    BatchQueue<Connection> resumes,
    ConnectionList idle,
    Consumer<Connection> gone) {}
