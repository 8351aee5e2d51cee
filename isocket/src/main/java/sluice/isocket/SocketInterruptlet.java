package sluice.isocket;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import sluice.loop.Framing;
import sluice.loop.HandlerGuard;
import sluice.loop.Interruptlet;
import sluice.loop.Output;
import sluice.loop.server.WarmUp;
import sluice.loop.verdict.Judged;
import sluice.loop.verdict.Judges;
import sluice.loop.verdict.Verdict;
import sluice.memory.View;

/// An interruptlet as the paper has it (*Improving Java Server Performance with Interruptlets*,
/// section 3.3): a subclass says what becomes of a message, and its constructor registers it with a
/// server socket. The loop's thread calls [#handleInterrupt]; any thread may call the rest.
///
/// ```java
/// IServerSocket server = new IServerSocket(7000);
/// new SocketInterruptlet(server) {
///   @Override
///   public byte[] handleInterrupt(byte[] data) {
///     return cache.get(new String(data)); // null: the thread that accepts answers
///   }
/// };
/// ```
///
/// A message is copied into the array, and the reply out of one. Handlers that cannot afford that
/// implement [Interruptlet], which sees the message where it lies ([IServerSocket#admit]).
public abstract class SocketInterruptlet implements AutoCloseable {
  private final IServerSocket server;
  private final Framing framing;
  private final Duration limit;
  private volatile HandlerGuard guard;

  /// Registers for whatever arrives, instead of the interruptlet before.
  protected SocketInterruptlet(IServerSocket server) {
    this(server, Framing.NONE, IServerSocket.DEFAULT_LIMIT);
  }

  /// Registers for messages, instead of the interruptlet before.
  ///
  /// @param framing where they end
  /// @param limit longest run, at least 1 ms, see [IServerSocket#admit]
  @SuppressWarnings("this-escape") // the paper's constructor registers
  protected SocketInterruptlet(IServerSocket server, Framing framing, Duration limit) {
    this.server = server;
    this.framing = framing;
    this.limit = limit;
    this.guard = admit();
  }

  /// As above, once the interruptlet is warm ([IServerSocket#admit(String, Framing, Supplier,
  /// Duration, byte[])]): it sees the sample many times before the constructor has ended.
  ///
  /// @param sample a whole message, which the handler must bear to see often
  /// @throws IOException when the sample is no whole message
  @SuppressWarnings("this-escape") // the paper's constructor registers
  protected SocketInterruptlet(IServerSocket server, Framing framing, Duration limit, byte[] sample)
      throws IOException {
    this.server = server;
    this.framing = framing;
    this.limit = limit;
    this.guard = server.admit(getClass().getName(), framing, () -> new Bytes(this), limit, sample);
  }

  private HandlerGuard admit() {
    return server.admit(getClass().getName(), framing, () -> new Bytes(this), limit);
  }

  /// Answers a message. Must not block and not take long. What it throws ends the connection. It
  /// may be called before the constructor of the subclass has ended: fields that it needs are
  /// static, or set before in a Java 25 constructor.
  ///
  /// @param data the message; the handler's own
  /// @return the reply, sent as it is; null: the message comes to the ISocket, untouched
  public abstract byte @Nullable [] handleInterrupt(byte[] data);

  /// Runs [#handleInterrupt] on the calling thread until the JVM has compiled it, so that no client
  /// pays for that: before a server socket is bound, or while another interruptlet serves.
  ///
  /// @param sample a whole message, which the handler must bear to see often
  /// @return how long the first run took, and the later ones
  public final WarmUp.Report warmUp(byte[] sample) throws IOException {
    return WarmUp.run(framing, () -> new Bytes(this), sample);
  }

  /// Registers again, instead of the interruptlet that is registered now.
  public final synchronized void register() {
    guard = admit();
  }

  /// Messages come to the ISockets from now on, unless another interruptlet has taken this one's
  /// place.
  public final void unregister() {
    server.evict(guard);
  }

  /// As [#unregister].
  @Override
  public final void close() {
    unregister();
  }

  /// Says whether it overran and was disabled.
  public final HandlerGuard guard() {
    return guard;
  }

  private record Bytes(SocketInterruptlet called) implements Interruptlet, Judged {
    /// Of what is called: the two copies take as long as the message and the reply are.
    @Override
    public Verdict verdict() {
      return Judges.of(called).verdict();
    }

    @Override
    public boolean handle(View message, Output reply) {
      byte[] data = new byte[message.length()];
      message.copyTo(0, data, 0, data.length);
      byte[] answer = called.handleInterrupt(data);
      if (answer == null) {
        return PASS;
      }
      reply.put(answer);
      return DONE;
    }
  }
}
