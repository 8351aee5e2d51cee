package sluice.nio;

import java.io.IOException;
import java.nio.channels.Channel;
import java.nio.channels.spi.AbstractSelector;
import org.jspecify.annotations.Nullable;
import sun.nio.ch.DefaultSelectorProvider;
import sun.nio.ch.SelectorProviderImpl;

/// The JDK's own channels with selectors of ours: the readiness engine. Every thread may use it.
///
/// Channels report the object that made them as their provider, and only a subclass of the JDK's
/// can make the JDK's, so this is a provider by itself. It needs the package `sun.nio.ch` exported
/// to this module: [EngineChoice] looks before it touches this class.
final class ReadinessChannels extends SelectorProviderImpl {
  static final String NAME = "readiness";

  private final int threshold;
  private final boolean stats;

  /// @param threshold interest changes that wait for the next select, at least 1
  /// @param stats whether to print what was counted at the JVM's exit
  ReadinessChannels(int threshold, boolean stats) {
    this.threshold = threshold;
    this.stats = stats;
    if (stats) {
      ReadinessCounts.printAtExit();
    }
  }

  /// As an engine.
  static NioEngine engine(int threshold, boolean stats) {
    return new DelegatingEngine(NAME, new ReadinessChannels(threshold, stats));
  }

  @Override
  public AbstractSelector openSelector() throws IOException {
    ReadinessCounts counts = stats ? ReadinessCounts.listed() : new ReadinessCounts();
    return new ReadinessSelector(this, threshold, counts);
  }

  @Override
  public @Nullable Channel inheritedChannel() throws IOException {
    return DefaultSelectorProvider.get().inheritedChannel();
  }
}
