package sluice.nio;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Backend;
import sluice.loop.server.Engines;
import sluice.nio.channels.AcceptPorts;
import sluice.nio.channels.InheritedSocket;
import sluice.nio.channels.SluiceDatagramChannel;
import sluice.nio.channels.SluicePipe;
import sluice.nio.channels.SluiceServerSocketChannel;
import sluice.nio.channels.StreamChannels;
import sluice.nio.front.Front;
import sluice.nio.ring.CompletionSelector;
import sluice.nio.ring.RingBudget;
import sluice.nio.ring.RingStart;
import sluice.nio.ring.SelectorLoop;

/// The engine that uses Sluice's own channels and selectors, which may move the bytes of these
/// channels through a ring. Any thread may call it.
final class CompletionEngine implements NioEngine {
  /// The setting for selectors that start a ring before their first wait.
  static final int AT_ONCE = 0;

  /// The setting for selectors without rings.
  static final int NEVER = -1;

  private final SelectorProvider provider;
  private final int ringAfter;
  private final AcceptPorts ports;
  private final Supplier<@Nullable SelectorLoop> loops;

  /// @param provider the provider that channels and selectors report
  CompletionEngine(SelectorProvider provider) {
    this(
        provider,
        RingBudget.mib(System::getProperty) > 0 && unavailable() == null
            ? RingStart.REPORTS
            : NEVER);
  }

  /// @param ringAfter the number of ready channels a selector reports before it starts a ring, or
  ///   [#NEVER]
  CompletionEngine(SelectorProvider provider, int ringAfter) {
    this(provider, ringAfter, channel -> null, () -> null);
  }

  private CompletionEngine(
      SelectorProvider provider,
      int ringAfter,
      AcceptPorts ports,
      Supplier<@Nullable SelectorLoop> loops) {
    this.provider = provider;
    this.ringAfter = ringAfter;
    this.ports = ports;
    this.loops = loops;
  }

  /// Creates an engine for channels behind a front. It uses no rings, because a connection belongs
  /// to at most one ring and is already served by the ring of the front's loop.
  static CompletionEngine behind(Front front, SelectorProvider provider) {
    return new CompletionEngine(provider, NEVER, front, front::loop);
  }

  /// Returns the reason why no ring can be used in this process, together with a way to fix it, or
  /// null if rings are available.
  static @Nullable String unavailable() {
    return Availability.REASON;
  }

  /// The availability of rings, determined once per JVM.
  private static final class Availability {
    static final @Nullable String REASON = reason();
  }

  /// Tests whether a ring can be created. The test runs on a platform thread because a ring belongs
  /// to a platform thread, but the first thread that needs a channel may be virtual.
  static @Nullable String reason() {
    return Thread.currentThread().isVirtual()
        ? CompletableFuture.supplyAsync(
                CompletionEngine::tryOut, task -> Thread.ofPlatform().daemon().start(task))
            .join()
        : tryOut();
  }

  private static @Nullable String tryOut() {
    try {
      Engines.choose(Backend.IO_URING);
      return null;
    } catch (IOException refused) {
      return refused.getMessage();
    }
  }

  @Override
  public String name() {
    return "completion";
  }

  @Override
  public AbstractSelector openSelector() throws IOException {
    return new CompletionSelector(provider, ringAfter, loops.get());
  }

  @Override
  public SocketChannel openSocketChannel(@Nullable ProtocolFamily family) throws IOException {
    return StreamChannels.open(provider, family);
  }

  @Override
  public ServerSocketChannel openServerSocketChannel(@Nullable ProtocolFamily family)
      throws IOException {
    return new SluiceServerSocketChannel(provider, family, ports);
  }

  @Override
  public DatagramChannel openDatagramChannel(@Nullable ProtocolFamily family) throws IOException {
    return new SluiceDatagramChannel(provider, family);
  }

  @Override
  public Pipe openPipe() throws IOException {
    return new SluicePipe(provider);
  }

  @Override
  public @Nullable Channel inheritedChannel() throws IOException {
    return InheritedSocket.channel(provider);
  }
}
