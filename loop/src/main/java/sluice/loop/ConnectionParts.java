package sluice.loop;

import java.util.function.Consumer;
import sluice.loop.turn.BatchQueue;

/// The objects that the connections of a loop share, and the queues in which they wait. Created by
/// [Loop] and owned by its thread.
///
/// @param loop the parts that are independent of connections
/// @param calls invokes protocols
/// @param dirty the connections whose output is flushed by the turn
/// @param resumes the connections whose held input is shown in the next turn
/// @param idle the connections waiting for the next message, longest first, see [Admission]
/// @param gone invoked with an ended connection once no operation is in flight on its socket
record ConnectionParts(
    LoopParts loop,
    ProtocolCalls calls,
    BatchQueue<Connection> dirty,
    BatchQueue<Connection> resumes,
    ConnectionList idle,
    Consumer<Connection> gone) {}
