package sluice.nfs;

import org.jspecify.annotations.Nullable;
import sluice.loop.Connection;
import sluice.memory.View;

/// One TCP connection's calls: the record that is being put together (RFC 5531, section 11), and
/// how many are with workers. Owned by the loop's thread.
///
/// A record that is whole in one chunk never comes here. Of one that is not, the length of its last
/// fragment says how much memory it needs; before that is known the memory doubles.
final class RpcStream implements ReplyPath {
  private final RpcProtocol protocol;
  final Connection connection;
  final RpcConnection identity;
  final int clientPort;

  private @Nullable MessageBuffer message;
  private int fragmentLeft;
  private boolean lastFragment;
  private boolean whole;
  private int passed;
  private boolean held;
  private boolean ending;
  private boolean gone;

  /// When the first byte of [#message] came.
  private long begunNanos;

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

  long begunNanos() {
    return begunNanos;
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

  /// Makes room for a fragment.
  ///
  /// @param last no other follows it
  /// @return false when there is no memory
  boolean begin(int fragmentBytes, boolean last) {
    MessageBuffer before = message;
    int most = protocol.limits().messageBytes();
    int have = assembledBytes();
    int need = have + fragmentBytes;
    if (before == null || before.capacity() < need) {
      int wanted = last ? need : (int) Math.min(most, 2L * need);
      MessageBuffer room = protocol.takeMemory(wanted, this);
      if (room == null) {
        return false;
      }
      if (before != null) {
        room.append(before);
        protocol.giveMemory(before);
      } else {
        begunNanos = connection.loop().now();
        protocol.assembling(this);
      }
      message = room;
    }
    fragmentLeft = fragmentBytes;
    lastFragment = last;
    whole = last && fragmentBytes == 0;
    return true;
  }

  /// Takes what there is of the fragment.
  ///
  /// @return bytes taken
  int append(View input, int from, int available) {
    MessageBuffer into = message;
    int bytes = Math.min(fragmentLeft, available);
    if (into == null) {
      throw new IllegalStateException("no record has begun");
    }
    into.append(input, from, bytes);
    fragmentLeft -= bytes;
    whole = lastFragment && fragmentLeft == 0;
    return bytes;
  }

  /// The whole record, which somebody else holds from now on.
  MessageBuffer takeWhole() {
    MessageBuffer taken = message;
    if (taken == null || !whole) {
      throw new IllegalStateException("the record is not whole");
    }
    message = null;
    whole = false;
    hurried = false;
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

  @Override
  public void answered(XdrWriter reply) {
    passed--;
    if (gone || !connection.isOpen()) {
      return;
    }
    reply.stageRecord(connection.output());
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
  void tryAgain() {
    if (!held || gone || !connection.isOpen()) {
      return;
    }
    held = false;
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
    if (held) {
      protocol.workers().forget(this);
    }
    dropRecord();
  }
}
