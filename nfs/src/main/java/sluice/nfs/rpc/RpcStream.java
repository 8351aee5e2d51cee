package sluice.nfs.rpc;

import org.jspecify.annotations.Nullable;
import sluice.loop.Connection;
import sluice.memory.View;

/// One TCP connection's calls: the record that is being put together (RFC 5531, section 11), and
/// how many are with workers. Owned by the loop's thread.
///
/// A record that is whole in one chunk never comes here. Any other record gets memory as it comes:
/// a little, then 64 KiB, then all that its last fragment has announced; before that is known,
/// twice as much each time. So a client that announces much and sends little holds little, unless
/// the record before was as long and came. A large record is copied once, or received where it is
/// kept: see [Connection#expectLong].
final class RpcStream implements ReplyPath, RpcWorkers.Waiter, RpcLeases.Debtor {
  private static final int FIRST_BYTES = 2 << 10;
  private static final int SECOND_BYTES = 64 << 10;

  /// A fragment of so many bytes is received where it is kept, not copied out of chunks; after so
  /// many records that were whole in one chunk no more such are expected.
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

  /// Bytes that replies which workers are making would lease.
  private long reserved;

  /// Bytes of staged replies that are leased, those included that have been taken since [#settle].
  private long owed;

  private boolean held;
  private boolean ending;
  private boolean gone;

  /// How fast [#message] comes.
  private final MinimumDataRate rate = new MinimumDataRate();

  /// The last record that had to be put together was long, and came: the next one's memory is taken
  /// at once.
  private boolean proven;

  /// Records that were whole in one chunk, since the last long one.
  private int shortRecords;

  /// The deadline is that of [#message].
  boolean hurried;

  RpcStream(RpcProtocol protocol, Connection connection, RpcConnection identity, int clientPort) {
    this.protocol = protocol;
    this.connection = connection;
    this.identity = identity;
    this.clientPort = clientPort;
  }

  // ---- putting a record together ---------------------------------------------------------------

  /// Whether part of a record has come.
  boolean assembling() {
    return message != null;
  }

  /// Whether the record is complete, and only a worker is missing.
  boolean whole() {
    return whole;
  }

  /// Whether it is not the client that the record waits for.
  boolean waits() {
    return held || whole;
  }

  /// Whether the client, for which it waits, sends the record too slowly for others to wait for it.
  boolean late(long now) {
    return rate.late(now, assembledBytes());
  }

  /// Bytes that the fragment still needs.
  int fragmentLeft() {
    return fragmentLeft;
  }

  /// Bytes of the record so far.
  int assembledBytes() {
    MessageBuffer held = message;
    return held == null ? 0 : held.length();
  }

  /// Begins a fragment.
  ///
  /// @param last no other follows it
  /// @return false when there is no memory
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

  /// A record was whole in one chunk.
  void wasShort() {
    if (++shortRecords == MANY_SHORT) {
      connection.expectLong(false);
    }
  }

  /// Takes what there is of the fragment.
  ///
  /// @return bytes taken; 0 when there is no memory
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

  /// Takes what has come of the fragment, to where the record is kept.
  ///
  /// @return false when there is no memory
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

  /// The record's memory, with room for more of it.
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

  /// The whole record, which the caller holds from now on.
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

  /// The handling of the record that [#takeWhole] gave out is to be tried again.
  void putBack(MessageBuffer record) {
    message = record;
    whole = true;
  }

  /// Drops what has come of a record.
  void dropRecord() {
    MessageBuffer dropped = message;
    if (dropped != null) {
      message = null;
      whole = false;
      protocol.assembled(this);
      protocol.giveMemory(dropped);
    }
  }

  // ---- calls with workers ----------------------------------------------------------------------

  /// Whether it has as many calls with workers as it may have.
  boolean full() {
    return passed >= protocol.limits().callsPerConnection();
  }

  int passed() {
    return passed;
  }

  void passedOne() {
    passed++;
  }

  // ---- what its replies keep of caches ---------------------------------------------------------

  /// Stages a reply.
  void stage(XdrWriter reply) {
    reply.stageRecord(connection.output());
    int leased = reply.leasedBytes();
    if (leased > 0) {
      owed += leased;
      protocol.workers().leases().staged(this, leased);
    }
  }

  /// A worker is to make a reply that would lease so much.
  void reserve(int bytes) {
    reserved += bytes;
  }

  @Override
  public long settle() {
    owed = Math.min(owed, connection.output().queuedBytes());
    return owed;
  }

  /// Whether a reply that would lease so much must wait until others have been taken: there is one
  /// at a time when the loop's share is gone.
  boolean overdraws(int bytes) {
    long has = bytes == 0 ? 0 : reserved + connection.output().queuedBytes();
    if (has == 0) {
      return false;
    }
    boolean gone = !protocol.workers().leases().has(bytes, connection.now());
    return gone || has + bytes > protocol.limits().leasedBytesPerConnection();
  }

  /// Shows no more input until a call was answered, or the client has taken its replies.
  void holdForOutput() {
    hold(false);
    if (connection.output().queuedBytes() > 0) {
      connection.awaitSent(connection.stagedBytes());
    }
  }

  // ---- answers ---------------------------------------------------------------------------------

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
      connection.close(); // what comes behind half a reply is none
      throw e;
    }
    if (ending) {
      endWhenAnswered();
    } else if (held) {
      tryAgain();
    }
  }

  /// Shows no more input until [#tryAgain].
  ///
  /// @param anyCall whether any connection's answered call, not only an own one, ends it
  void hold(boolean anyCall) {
    held = true;
    connection.holdInput();
    if (anyCall) {
      protocol.workers().await(this);
    }
  }

  /// Handles what waits, if there is room for it now.
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

  // ---- end -------------------------------------------------------------------------------------

  /// Closes the connection when its calls have been answered; takes no others.
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
