package sluice.nfs.rpc;

import org.jspecify.annotations.Nullable;
import sluice.loop.Connection;
import sluice.memory.View;

/// The state of one TCP connection, which consists of the record that is being assembled (RFC 5531,
/// section 11) and the number of calls that workers are processing. Instances are owned by the
/// loop's thread.
///
/// A record that arrives complete in one chunk is not assembled. The buffer of any other record
/// grows as data are received. Its size is 2 KiB at first, then 64 KiB, and then the length that
/// the last fragment announces. Before the last fragment, the size is doubled each time. A client
/// that announces a long record but sends only a small part of it therefore uses little memory. The
/// full memory of a record is allocated immediately only if the previous long record was completed.
/// A long record is copied once, or received directly into its buffer, see [Connection#expectLong].
final class RpcStream implements ReplyPath, RpcWorkers.Waiter, RpcLeases.Debtor {
  private static final int FIRST_BYTES = 2 << 10;
  private static final int SECOND_BYTES = 64 << 10;

  /// A fragment of this length is received directly into its buffer, without a copy. This mode ends
  /// after [#MANY_SHORT] records that each arrived complete in one chunk.
  private static final int LONG_BYTES = 256 << 10;

  private static final int MANY_SHORT = 64;

  private final RpcProtocol protocol;
  final Connection connection;
  final RpcConnection identity;
  final int clientPort;

  private @Nullable MessageBuffer message;
  private int fragmentLeft;
  private boolean lastFragment;
  private boolean whole;
  private int passed;

  /// The maximum number of bytes that the replies in progress may lease.
  private long reserved;

  /// The number of bytes leased by staged replies, including replies that the client has received
  /// since the last [#settle].
  private long owed;

  private boolean held;
  private boolean ending;
  private boolean gone;

  /// The data rate of [#message].
  private final MinimumDataRate rate = new MinimumDataRate();

  /// True if the last assembled record was long and was completed. The memory of the next record is
  /// then allocated at once.
  private boolean proven;

  /// The number of records that arrived complete in one chunk since the last long record.
  private int shortRecords;

  /// True if the deadline of the connection is the deadline of [#message].
  boolean hurried;

  RpcStream(RpcProtocol protocol, Connection connection, RpcConnection identity, int clientPort) {
    this.protocol = protocol;
    this.connection = connection;
    this.identity = identity;
    this.clientPort = clientPort;
  }

  // ---- assembling records ----------------------------------------------------------------------

  /// Returns true if a part of a record has been received.
  boolean assembling() {
    return message != null;
  }

  /// Returns true if the record is complete and is waiting for a worker.
  boolean whole() {
    return whole;
  }

  /// Returns true if the record is waiting for the server rather than for the client.
  boolean waits() {
    return held || whole;
  }

  /// Returns true if the client sends the record too slowly while other clients are waiting for
  /// memory.
  boolean late(long now) {
    return rate.late(now, assembledBytes());
  }

  /// Returns the number of bytes of the current fragment that have not been received yet.
  int fragmentLeft() {
    return fragmentLeft;
  }

  /// Returns the number of bytes of the record that have been received.
  int assembledBytes() {
    MessageBuffer held = message;
    return held == null ? 0 : held.length();
  }

  /// Starts a new fragment.
  ///
  /// @param last true if it is the last fragment of the record
  /// @return false if there is not enough memory
  boolean begin(int fragmentBytes, boolean last) {
    if (message == null) {
      MessageBuffer first = protocol.takePart(Math.min(fragmentBytes, FIRST_BYTES), this);
      if (first == null) {
        return false;
      }
      message = first;
      rate.begin(connection.now());
      protocol.assembling(this);
    }
    fragmentLeft = fragmentBytes;
    if (fragmentBytes >= LONG_BYTES) {
      shortRecords = 0;
      connection.expectLong(true);
    }
    lastFragment = last;
    whole = last && fragmentBytes == 0;
    return true;
  }

  /// Counts a record that arrived complete in one chunk.
  void wasShort() {
    if (++shortRecords == MANY_SHORT) {
      connection.expectLong(false);
    }
  }

  /// Appends the available bytes of the fragment.
  ///
  /// @return the number of bytes that were appended, or 0 if there is not enough memory
  int append(View input, int from, int available) {
    int bytes = Math.min(fragmentLeft, available);
    MessageBuffer into = room(bytes);
    if (into == null) {
      return 0;
    }
    into.append(input, from, bytes);
    fragmentLeft -= bytes;
    whole = lastFragment && fragmentLeft == 0;
    return bytes;
  }

  /// Receives the available bytes of the fragment directly into the record's buffer.
  ///
  /// @return false if there is not enough memory
  boolean receive() {
    int asked;
    int taken;
    do {
      MessageBuffer into = room(1);
      if (into == null) {
        return false;
      }
      asked = Math.min(fragmentLeft, into.capacity() - into.length());
      taken = into.receive(connection, asked);
      fragmentLeft -= taken;
    } while (taken == asked && fragmentLeft > 0);
    whole = lastFragment && fragmentLeft == 0;
    return true;
  }

  /// Returns the buffer of the record with space for at least `bytes` more bytes, or null if there
  /// is not enough memory.
  private @Nullable MessageBuffer room(int bytes) {
    MessageBuffer before = message;
    if (before == null) {
      throw new IllegalStateException("no record has begun");
    }
    int need = before.length() + bytes;
    if (need <= before.capacity()) {
      return before;
    }
    int announced = before.length() + fragmentLeft;
    MessagePool pool = protocol.workers().pool();
    MessageBuffer atOnce = proven && lastFragment ? pool.takePart(announced) : null;
    if (atOnce != null) {
      return moved(before, atOnce);
    }
    int wanted = Math.min(announced, SECOND_BYTES);
    if (need > SECOND_BYTES) {
      int twice = Math.min(protocol.limits().messageBytes(), 2 * need);
      wanted = lastFragment ? announced : Math.max(announced, twice);
    }
    MessageBuffer more =
        wanted > SECOND_BYTES || wanted == announced
            ? protocol.takeMemory(wanted, this)
            : protocol.takePart(wanted, this);
    return more == null ? null : moved(before, more);
  }

  private MessageBuffer moved(MessageBuffer before, MessageBuffer more) {
    more.append(before);
    protocol.giveMemory(before);
    message = more;
    return more;
  }

  /// Returns the complete record and transfers its ownership to the caller.
  MessageBuffer takeWhole() {
    MessageBuffer taken = message;
    if (taken == null || !whole) {
      throw new IllegalStateException("the record is not whole");
    }
    message = null;
    whole = false;
    hurried = false;
    proven = taken.length() >= LONG_BYTES;
    return taken;
  }

  /// Restores a record that was returned by [#takeWhole] but could not be processed yet.
  void putBack(MessageBuffer record) {
    message = record;
    whole = true;
  }

  /// Discards an incomplete record.
  void dropRecord() {
    MessageBuffer dropped = message;
    if (dropped != null) {
      message = null;
      whole = false;
      protocol.assembled(this);
      protocol.giveMemory(dropped);
    }
  }

  // ---- calls of workers ------------------------------------------------------------------------

  /// Returns true if workers are processing the maximum number of calls.
  boolean full() {
    return passed >= protocol.limits().callsPerConnection();
  }

  int passed() {
    return passed;
  }

  void passedOne() {
    passed++;
  }

  // ---- leases of replies -----------------------------------------------------------------------

  /// Stages the given reply.
  void stage(XdrWriter reply) {
    reply.stageRecord(connection.output());
    int leased = reply.leasedBytes();
    if (leased > 0) {
      owed += leased;
      protocol.workers().leases().staged(this, leased);
    }
  }

  /// Reserves the leases of a reply that a worker is going to write.
  void reserve(int bytes) {
    reserved += bytes;
  }

  @Override
  public long settle() {
    owed = Math.min(owed, connection.output().queuedBytes());
    return owed;
  }

  /// Returns true if a call that leases `bytes` must wait until the client has received earlier
  /// replies. When the share of the loop is exhausted, each connection may have only one such reply
  /// at a time.
  boolean overdraws(int bytes) {
    long has = bytes == 0 ? 0 : reserved + connection.output().queuedBytes();
    if (has == 0) {
      return false;
    }
    boolean gone = !protocol.workers().leases().has(bytes, connection.now());
    return gone || has + bytes > protocol.limits().leasedBytesPerConnection();
  }

  /// Suspends reading until a call has been answered or the client has received its replies.
  void holdForOutput() {
    hold(false);
    if (connection.output().queuedBytes() > 0) {
      connection.awaitSent(connection.stagedBytes());
    }
  }

  // ---- replies ---------------------------------------------------------------------------------

  @Override
  public void answered(XdrWriter reply, int leased) {
    passed--;
    reserved -= leased;
    if (gone || !connection.isOpen()) {
      return;
    }
    try {
      stage(reply);
    } catch (RuntimeException | Error e) {
      connection.close(); // no valid reply can be sent after this
      throw e;
    }
    if (ending) {
      endWhenAnswered();
    } else if (held) {
      tryAgain();
    }
  }

  /// Suspends reading until [#tryAgain] is called.
  ///
  /// @param anyCall true if an answered call of any connection resumes this stream, false if only a
  ///   call of this connection resumes it
  void hold(boolean anyCall) {
    held = true;
    connection.holdInput();
    if (anyCall) {
      protocol.workers().await(this);
    }
  }

  /// Processes the waiting record if that is possible now, and then resumes reading.
  @Override
  public void tryAgain() {
    if (!held || gone || !connection.isOpen()) {
      return;
    }
    held = false;
    rate.resume(connection.now(), assembledBytes());
    protocol.workers().forget(this);
    if (!whole || protocol.handleWhole(this)) {
      connection.resumeInput();
    }
  }

  // ---- closing ---------------------------------------------------------------------------------

  /// Closes the connection as soon as its pending calls have been answered. No more input is read.
  void endWhenAnswered() {
    ending = true;
    if (passed == 0) {
      connection.close();
    } else {
      connection.holdInput();
    }
  }

  void closed() {
    gone = true;
    identity.ended();
    protocol.workers().leases().ended(this);
    if (held) {
      protocol.workers().forget(this);
    }
    dropRecord();
  }
}
