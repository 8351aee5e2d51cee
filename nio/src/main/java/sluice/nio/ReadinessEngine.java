package sluice.nio;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import org.jspecify.annotations.Nullable;
import sun.nio.ch.DefaultSelectorProvider;
import sun.nio.ch.SelectorProviderImpl;

/// The JDK's own channels with selectors of ours. Every thread may use it.
///
/// Needs the package `sun.nio.ch` exported to this module: [EngineChoice] looks before it touches
/// this class.
final class ReadinessEngine implements NioEngine {
  private final Channels channels;

  /// @param threshold interest changes that wait for the next select, at least 1
  /// @param stats whether to print what was counted at the JVM's exit
  ReadinessEngine(int threshold, boolean stats) {
    this.channels = new Channels(threshold, stats);
    if (stats) {
      ReadinessCounts.printAtExit();
    }
  }

  /// Makes the JDK's channels, which report it as their provider: theirs is whatever object makes
  /// them, and only a subclass of the JDK's can.
  private static final class Channels extends SelectorProviderImpl {
    private final int threshold;
    private final boolean stats;

    Channels(int threshold, boolean stats) {
      this.threshold = threshold;
      this.stats = stats;
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
      ReadinessCounts counts = stats ? ReadinessCounts.listed() : new ReadinessCounts();
      return new ReadinessSelector(this, threshold, counts);
    }
  }

  @Override
  public String name() {
    return "readiness";
  }

  @Override
  public AbstractSelector openSelector() throws IOException {
    return channels.openSelector();
  }

  @Override
  public SocketChannel openSocketChannel(@Nullable ProtocolFamily family) throws IOException {
    return family == null ? channels.openSocketChannel() : channels.openSocketChannel(family);
  }

  @Override
  public ServerSocketChannel openServerSocketChannel(@Nullable ProtocolFamily family)
      throws IOException {
    return family == null
        ? channels.openServerSocketChannel()
        : channels.openServerSocketChannel(family);
  }

  @Override
  public DatagramChannel openDatagramChannel(@Nullable ProtocolFamily family) throws IOException {
    return family == null ? channels.openDatagramChannel() : channels.openDatagramChannel(family);
  }

  @Override
  public Pipe openPipe() throws IOException {
    return channels.openPipe();
  }

  @Override
  public @Nullable Channel inheritedChannel() throws IOException {
    return DefaultSelectorProvider.get().inheritedChannel();
  }
}
