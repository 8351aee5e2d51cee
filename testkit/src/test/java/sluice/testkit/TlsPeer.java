package sluice.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import sluice.testkit.sim.SimClient;
import sluice.testkit.sim.SimRandom;

/// The client's end of TLS over a [SimClient]. It sends its bytes in records of every size, ends
/// with `close_notify` and FIN, and collects the replies. Owned by the thread that runs the
/// simulation.
final class TlsPeer {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final SimClient client;
  private final SimRandom random;
  private final SSLEngine engine;
  private final byte[] outgoing;
  private final boolean says;
  private final ByteArrayOutputStream plain = new ByteArrayOutputStream();
  private final ByteBuffer room = ByteBuffer.allocate(33_000);
  private int sent;
  private int read;
  private boolean finished;
  private boolean updated;
  private boolean broken;

  /// @param says true if it sends `close_notify` before its FIN
  TlsPeer(SimClient client, SimRandom random, SSLContext context, byte[] outgoing, boolean says) {
    this.client = client;
    this.random = random;
    this.outgoing = outgoing;
    this.says = says;
    this.engine = context.createSSLEngine("localhost", 0);
    engine.setUseClientMode(true);
    if (random.chance(300)) {
      engine.setEnabledProtocols(new String[] {"TLSv1.2"});
    }
    client.listener(changed -> pump());
  }

  /// Starts the handshake.
  void start() {
    pump();
  }

  /// Returns the received bytes.
  byte[] received() {
    return plain.toByteArray();
  }

  int receivedBytes() {
    return plain.size();
  }

  /// Returns true if the server's `close_notify` was received.
  boolean toldTheEnd() {
    return engine.isInboundDone();
  }

  /// Returns true if the server or the network broke the TLS protocol for this client.
  boolean broken() {
    return broken;
  }

  boolean modern() {
    return engine.getSession().getProtocol().equals("TLSv1.3");
  }

  private void pump() {
    try {
      while (!broken && step()) {
        // each step may ask for another
      }
    } catch (SSLException e) {
      broken = true;
      client.reset();
    }
  }

  private boolean step() throws SSLException {
    return switch (engine.getHandshakeStatus()) {
      case NEED_TASK -> {
        Runnable task = engine.getDelegatedTask();
        while (task != null) {
          task.run();
          task = engine.getDelegatedTask();
        }
        yield true;
      }
      case NEED_WRAP -> wrap(NOTHING);
      case NEED_UNWRAP -> unwrap();
      default -> unwrap() || write();
    };
  }

  private boolean write() throws SSLException {
    if (finished) {
      return false;
    }
    if (sent < outgoing.length) {
      if (!updated && sent > outgoing.length / 2 && modern()) {
        updated = true;
        engine.beginHandshake(); // a KeyUpdate, which the server must answer
        return true;
      }
      int some = Math.min(outgoing.length - sent, random.skewed(20_000));
      ByteBuffer piece = ByteBuffer.wrap(outgoing, sent, some);
      boolean progress = wrap(piece);
      sent = piece.position();
      return progress;
    }
    finished = true;
    // TLS 1.2 knows no half-close: there the client waits for its answers before it says good-bye
    if (says && modern()) {
      engine.closeOutbound();
      while (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP && wrap(NOTHING)) {
        // the alert
      }
    }
    if (modern()) {
      client.finish();
    }
    return false;
  }

  /// Ends a TLS 1.2 conversation when everything has come back.
  void endAfter(int expected) {
    if (!modern() && finished && plain.size() == expected) {
      client.finish();
    }
  }

  private boolean wrap(ByteBuffer from) throws SSLException {
    room.clear();
    SSLEngineResult result = engine.wrap(from, room);
    if (result.bytesProduced() > 0) {
      client.send(Arrays.copyOf(room.array(), result.bytesProduced()));
    }
    return result.bytesProduced() > 0 || result.bytesConsumed() > 0;
  }

  private boolean unwrap() throws SSLException {
    int unread = client.receivedBytes() - read;
    if (unread == 0 || engine.isInboundDone()) {
      return false;
    }
    ByteBuffer from = ByteBuffer.wrap(client.received(), read, unread);
    room.clear();
    SSLEngineResult result = engine.unwrap(from, room);
    read += result.bytesConsumed();
    plain.write(room.array(), 0, result.bytesProduced());
    return result.bytesConsumed() > 0
        || result.getHandshakeStatus() == HandshakeStatus.NEED_TASK
        || result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP;
  }
}
