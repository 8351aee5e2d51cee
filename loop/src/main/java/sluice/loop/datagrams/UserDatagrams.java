package sluice.loop.datagrams;

import java.lang.foreign.MemorySegment;
import sluice.loop.Loop;
import sluice.memory.Account;
import sluice.memory.block.Block;

/// A datagram port on a socket of our own network stack, on a loop that runs the stack. Owned by
/// the loop's thread.
///
/// A datagram is built in one block and copied to frames when it is sent. A received datagram is
/// passed to the handler in the frame in which it arrived.
public final class UserDatagrams extends HandledDatagrams {
  /// The space in front of a datagram's bytes for the headers of the stack.
  public static final int HEADROOM_BYTES = 64;

  private final UserDatagramSocket socket;
  private final Block block;
  private final DatagramOutput output;

  /// Creates a port on the loop's thread. The port is closed with the loop at the latest.
  ///
  /// @param socket the socket, which is closed with this port
  /// @param handler handles the datagrams passed to [#received]
  public UserDatagrams(Loop loop, UserDatagramSocket socket, DatagramHandler handler) {
    super(loop, socket.address(), handler);
    this.socket = socket;
    Account account = new Account(loop.name() + " datagrams", Long.MAX_VALUE / 2);
    Block made = Block.allocate(account, HEADROOM_BYTES + MOST_BYTES);
    if (made == null) {
      throw new IllegalStateException("no room for datagrams: " + account);
    }
    this.block = made;
    this.output = new DatagramOutput(this::stage, made);
    closeWithLoop();
  }

  /// Handles a received datagram.
  ///
  /// @param memory contains the bytes at `[at, at + length)`, which are not used after this method
  ///   returns
  /// @param sender the IPv4 address, in host order
  public void received(MemorySegment memory, long at, int length, int sender, int port) {
    if (closed) {
      return;
    }
    received++;
    from.set(sender, port);
    handling = true;
    try {
      handle(binder.bind(memory, at, length));
    } finally {
      handling = false;
      if (closed) {
        block.release();
      }
    }
  }

  @Override
  DatagramOutput output() {
    return output;
  }

  @Override
  public DatagramOutput to(DatagramPeer peer) {
    checkOpen();
    to = peer;
    return output.begin(HEADROOM_BYTES);
  }

  private void stage(int bytes) {
    if (closed) {
      return;
    }
    boolean taken =
        socket.send(block.segment(), HEADROOM_BYTES, bytes, to.internetAddress(), to.port());
    sent += taken ? 1 : 0;
    dropped += taken ? 0 : 1;
    noteStaged();
  }

  @Override
  public void flush() {
    if (!closed) {
      output.discard();
      socket.flush();
    }
  }

  @Override
  void end() {
    socket.close();
    if (!handling) {
      block.release();
    }
  }
}
