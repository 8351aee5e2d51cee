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

/// An interruptlet in the style of the paper (*Improving Java Server Performance with
/// Interruptlets*, section 3.3): a subclass decides how to answer a message, and its constructor
/// registers it with a server socket. The loop's thread calls [#handleInterrupt]; any thread may
/// call the other methods.
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
/// Messages and replies are copied to and from arrays. A handler that cannot afford these copies
/// should implement [Interruptlet], which reads the message in place ([IServerSocket#admit]).
public abstract class SocketInterruptlet implements AutoCloseable {
  private final IServerSocket server;
  private final Framing framing;
  private final Duration limit;
  private volatile HandlerGuard guard;

  /// Registers an interruptlet for all input as it arrives, replacing the current one.
  protected SocketInterruptlet(IServerSocket server) {
    this(server, Framing.NONE, IServerSocket.DEFAULT_LIMIT);
  }

  /// Registers an interruptlet for framed messages, replacing the current one.
  ///
  /// @param framing determines where a message ends
  /// @param limit the maximum time of one run, at least 1 ms, see [IServerSocket#admit]
  @SuppressWarnings("this-escape") // the paper's constructor registers
  protected SocketInterruptlet(IServerSocket server, Framing framing, Duration limit) {
    this.server = server;
    this.framing = framing;
    this.limit = limit;
    this.guard = admit();
  }

  /// Registers an interruptlet after warming it up ([IServerSocket#admit(String, Framing, Supplier,
  /// Duration, byte[])]). The interruptlet receives the sample many times before the constructor
  /// has completed.
  ///
  /// @param sample a complete message; the handler must tolerate receiving it many times
  /// @throws IOException if the sample is not a complete message
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

  /// Answers a message. This method must not block and must return quickly. An exception closes the
  /// connection. The method may be invoked before the constructor of the subclass has completed, so
  /// the fields that it needs must be static or initialized early in a Java 25 constructor.
  ///
  /// @param data the message; the handler owns the array
  /// @return the reply, which is sent unchanged, or null to pass the unchanged message to the
  ///   ISockets
  public abstract byte @Nullable [] handleInterrupt(byte[] data);

  /// Runs [#handleInterrupt] on the calling thread until the JVM has compiled it, so that no client
  /// has to wait for the compilation. It should be called before a server socket is bound or while
  /// another interruptlet is in use.
  ///
  /// @param sample a complete message; the handler must tolerate receiving it many times
  /// @return the durations of the first run and of later runs
  /// @throws IOException if the sample is not a complete message
  public final WarmUp.Report warmUp(byte[] sample) throws IOException {
    return WarmUp.run(framing, () -> new Bytes(this), sample);
  }

  /// Registers this interruptlet again, replacing the current one.
  public final synchronized void register() {
    guard = admit();
  }

  /// Passes all subsequent messages to the ISockets, unless another interruptlet has replaced this
  /// one.
  public final void unregister() {
    server.evict(guard);
  }

  /// Unregisters the interruptlet, as [#unregister] does.
  @Override
  public final void close() {
    unregister();
  }

  /// Returns the guard, which indicates if the interruptlet exceeded its limit and was disabled.
  public final HandlerGuard guard() {
    return guard;
  }

  private record Bytes(SocketInterruptlet called) implements Interruptlet, Judged {
    /// Returns the verdict on the wrapped interruptlet. The two copies take time proportional to
    /// the sizes of the message and the reply.
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
