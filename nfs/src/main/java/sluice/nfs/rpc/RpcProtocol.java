package sluice.nfs.rpc;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import sluice.loop.Connection;
import sluice.loop.Loop;
import sluice.loop.Protocol;
import sluice.memory.View;
import sluice.memory.ViewBinder;
import sluice.nfs.RpcLimits;

/// Implements ONC RPC over TCP. It splits the input into records, dispatches the calls, and sends
/// the replies in the order of their completion. Instances are owned by one loop's thread.
///
/// A call that its program can answer immediately is decoded in the receive buffer, and its reply
/// is staged in the same turn. A call for a worker is copied unless it has already been assembled
/// in a buffer. The connection then continues to receive calls until workers are processing
/// [RpcLimits#callsPerConnection] of them.
final class RpcProtocol implements Protocol {
  private static final int LAST_FRAGMENT = 0x8000_0000;

  private final Loop loop;
  private final RpcWorkers workers;
  private final RpcDispatcher dispatcher;
  private final RpcLimits limits;
  private final RpcCounters counts;
  private final AtomicLong numbers;
  private final Predicate<InetAddress> allowed;
  private final RpcCall call = new RpcCall();
  private final XdrReader reader = new XdrReader();
  private final XdrWriter writer;
  private final ViewBinder binder;

  /// The streams with an incomplete record, in the order in which their records were started.
  private final Set<RpcStream> assembling = new LinkedHashSet<>();

  /// Creates the protocol of one loop.
  ///
  /// @param numbers the counter of connections, shared by all loops
  /// @param allowed a predicate that tests whether an address may connect
  RpcProtocol(Loop loop, RpcWorkers workers, AtomicLong numbers, Predicate<InetAddress> allowed) {
    this.loop = loop;
    this.workers = workers;
    this.dispatcher = workers.dispatcher();
    this.limits = workers.limits();
    this.counts = workers.counts();
    this.numbers = numbers;
    this.allowed = allowed;
    this.writer = new XdrWriter(limits.messageBytes());
    this.binder = new ViewBinder(Thread.currentThread());
  }

  // ---- connections -----------------------------------------------------------------------------

  @Override
  public void opened(Connection connection) {
    if (!(connection.remoteAddress() instanceof InetSocketAddress from)
        || !allowed.test(from.getAddress())) {
      counts.refusedConnections++;
      connection.abort();
      return;
    }
    counts.connections++;
    RpcConnection identity =
        new RpcConnection(numbers.incrementAndGet(), from.getAddress(), from.getPort(), false);
    connection.attach(new RpcStream(this, connection, identity, from.getPort()));
    connection.deadline(limits.idleNanos());
  }

  private static @Nullable RpcStream stream(Connection connection) {
    return (RpcStream) connection.attachment();
  }

  @Override
  public void ended(Connection connection, int leftover) {
    draining(connection);
  }

  @Override
  public void draining(Connection connection) {
    RpcStream stream = stream(connection);
    if (stream == null) {
      connection.abort();
    } else {
      stream.endWhenAnswered();
    }
  }

  @Override
  public void timedOut(Connection connection) {
    RpcStream stream = stream(connection);
    if (stream == null) {
      connection.abort();
    } else if (stream.passed() > 0 || stream.whole()) {
      connection.deadline(limits.idleNanos());
    } else if (stream.waits()) {
      connection.deadline(limits.messageNanos()); // the server delays the record
    } else if (stream.assembling()) {
      counts.unfinished++;
      connection.abort();
    } else {
      connection.close();
    }
  }

  @Override
  public void closed(Connection connection) {
    RpcStream stream = stream(connection);
    if (stream != null) {
      stream.closed();
    }
  }

  // ---- records ---------------------------------------------------------------------------------

  @Override
  public int received(Connection connection, View input) {
    RpcStream stream = stream(connection);
    if (stream == null) {
      return input.length();
    }
    int end = input.length();
    int used = 0;
    while (used < end && wants(connection)) {
      int taken = take(stream, input, used, end);
      if (taken == 0) {
        break;
      }
      used += taken;
    }
    moveDeadline(stream);
    return used;
  }

  private void moveDeadline(RpcStream stream) {
    if (!stream.assembling()) {
      stream.connection.deadline(limits.idleNanos());
    } else if (!stream.hurried) {
      stream.hurried = true;
      stream.connection.deadline(limits.messageNanos());
    }
  }

  @Override
  public void caughtUp(Connection connection) {
    RpcStream stream = stream(connection);
    if (stream == null || stream.fragmentLeft() == 0) {
      return;
    }
    if (!stream.receive()) {
      counts.heldForMemory++;
      stream.hold(true);
    } else if (stream.whole() && connection.isOpen()) {
      handleWhole(stream);
    }
    moveDeadline(stream);
  }

  private static boolean wants(Connection connection) {
    return connection.isOpen() && !connection.outputFull() && !connection.inputHeld();
  }

  /// Processes a record mark or a part of a record.
  ///
  /// @return the number of bytes that were consumed, or 0 if more input or more memory is needed
  private int take(RpcStream stream, View input, int from, int end) {
    int available = end - from;
    if (stream.fragmentLeft() > 0) {
      int taken = stream.append(input, from, available);
      if (taken == 0) {
        counts.heldForMemory++;
        stream.hold(true);
      } else if (stream.whole()) {
        handleWhole(stream);
      }
      return taken;
    }
    if (available < XdrWriter.MARK_BYTES) {
      return 0;
    }
    int mark = Integer.reverseBytes(input.getInt(from));
    int bytes = mark & ~LAST_FRAGMENT;
    boolean last = (mark & LAST_FRAGMENT) != 0;
    if (bytes > limits.messageBytes() - stream.assembledBytes()) {
      malformed(stream.connection);
      return available;
    }
    if (last && !stream.assembling() && bytes <= available - XdrWriter.MARK_BYTES) {
      int at = from + XdrWriter.MARK_BYTES;
      if (!handle(stream, input, at, bytes, null)) {
        return 0;
      }
      stream.wasShort();
      return XdrWriter.MARK_BYTES + bytes;
    }
    if (!stream.begin(bytes, last)) {
      counts.heldForMemory++;
      stream.hold(true);
      return 0;
    }
    if (stream.whole()) {
      handleWhole(stream);
    }
    return XdrWriter.MARK_BYTES;
  }

  /// Processes an assembled record.
  ///
  /// @return false if the record has to wait
  boolean handleWhole(RpcStream stream) {
    MessageBuffer record = stream.takeWhole();
    View view = record.show(binder);
    if (!handle(stream, view, 0, record.length(), record)) {
      stream.putBack(record);
      return false;
    }
    counts.assembled++;
    assembled(stream);
    return true;
  }

  /// Processes a record.
  ///
  /// @param record the buffer of the message, or null if the message is in the receive buffer
  /// @return false if the record has to wait
  private boolean handle(
      RpcStream stream, View message, int from, int bytes, @Nullable MessageBuffer record) {
    call.from(stream.identity, stream.clientPort);
    reader.open(message, from, bytes);
    workers.leases().bound(writer, loop.now());
    try {
      int how = dispatcher.tryCall(call, reader, writer);
      if (how == RpcDispatcher.PASSED) {
        return pass(stream, message, from, bytes, record);
      }
      if (how == RpcDispatcher.ANSWERED) {
        counts.answered++;
        stream.stage(writer);
      } else {
        malformed(stream.connection);
      }
      if (record != null) {
        giveMemory(record);
      }
      return true;
    } finally {
      writer.clear();
      reader.close();
    }
  }

  private boolean pass(
      RpcStream stream, View message, int from, int bytes, @Nullable MessageBuffer record) {
    if (stream.full() || workers.full()) {
      counts.heldForCalls++;
      stream.hold(!stream.full());
      return false;
    }
    int leased = leases();
    if (stream.overdraws(leased)) {
      counts.heldForLeases++;
      stream.holdForOutput();
      return false;
    }
    MessageBuffer kept = record;
    if (kept == null) {
      kept = takeMemory(bytes, stream);
      if (kept == null) {
        counts.heldForMemory++;
        stream.hold(true);
        return false;
      }
      kept.append(message, from, bytes);
    }
    stream.passedOne();
    stream.reserve(leased);
    workers.pass(call, kept, leased, stream);
    return true;
  }

  private int leases() {
    try {
      return Math.min(limits.messageBytes(), call.program().leases(call, call.rewound()));
    } catch (XdrException _) {
      return 0; // the worker reports the error
    }
  }

  private void malformed(Connection connection) {
    counts.malformed++;
    connection.abort();
  }

  @Override
  public void sent(Connection connection) {
    RpcStream stream = stream(connection);
    if (stream != null) {
      stream.tryAgain();
    }
  }

  // ---- memory of streams -----------------------------------------------------------------------

  RpcLimits limits() {
    return limits;
  }

  RpcWorkers workers() {
    return workers;
  }

  /// Acquires memory for a message. If there is not enough memory, the records of the oldest
  /// streams whose clients send too slowly ([MinimumDataRate]) are discarded.
  ///
  /// @return null if no memory is available
  @Nullable MessageBuffer takeMemory(int bytes, RpcStream asking) {
    MessageBuffer taken = workers.pool().take(bytes);
    while (taken == null && dropSlowest(asking)) {
      taken = workers.pool().take(bytes);
    }
    return taken;
  }

  /// Acquires memory for a part of a message, in the same way as [#takeMemory].
  @Nullable MessageBuffer takePart(int bytes, RpcStream asking) {
    MessageBuffer taken = workers.pool().takePart(bytes);
    while (taken == null && dropSlowest(asking)) {
      taken = workers.pool().takePart(bytes);
    }
    return taken;
  }

  private boolean dropSlowest(RpcStream asking) {
    for (RpcStream slow : assembling) {
      if (slow != asking && !slow.waits() && slow.late(loop.now())) {
        counts.unfinished++;
        slow.dropRecord();
        slow.connection.abort();
        return true;
      }
    }
    return false;
  }

  void giveMemory(MessageBuffer message) {
    workers.give(message);
  }

  void assembling(RpcStream stream) {
    assembling.add(stream);
  }

  /// Removes a stream from the set of streams with an incomplete record.
  void assembled(RpcStream stream) {
    assembling.remove(stream);
  }
}
