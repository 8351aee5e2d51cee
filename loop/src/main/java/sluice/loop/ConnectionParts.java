package sluice.loop;

import java.util.function.Consumer;
import sluice.loop.turn.BatchQueue;

/// The objects that the connections of a loop share, and the queues they wait in. Created by
/// [Loop]; owned by its thread.
///
/// @param loop the parts that do not depend on connections
/// @param calls calls protocols
/// @param dirty the connections whose output the turn flushes
/// @param resumes the connections whose held input is shown in the next turn
/// @param idle the connections that wait for the next message, longest first, see [Admission]
/// @param gone called with an ended connection once nothing is in flight on its socket
record ConnectionParts(
    LoopParts loop,
    ProtocolCalls calls,
    BatchQueue<Connection> dirty,
    BatchQueue<Connection> resumes,
    ConnectionList idle,
    Consumer<Connection> gone) {}
