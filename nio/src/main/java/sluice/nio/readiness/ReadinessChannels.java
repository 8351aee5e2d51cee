package sluice.nio.readiness;

import java.io.IOException;
import java.nio.channels.Channel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import org.jspecify.annotations.Nullable;
import sun.nio.ch.DefaultSelectorProvider;
import sun.nio.ch.SelectorProviderImpl;

/// The JDK's own channels with selectors of ours: the readiness engine. Every thread may use it.
///
/// Channels report the object that made them as their provider, and only a subclass of the JDK's
/// can make the JDK's, so this is a provider by itself. It needs the package `sun.nio.ch` exported
/// to this module: look at [sluice.nio.descriptors.JdkExport] before touching this class.
public final class ReadinessChannels extends SelectorProviderImpl {
  public static final String NAME = "readiness";

  private final ReadinessSettings settings;

  private ReadinessChannels(ReadinessSettings settings) {
    this.settings = settings;
    if (settings.stats()) {
      ReadinessCounters.printAtExit();
    }
  }

  /// Makes a provider. As `SelectorProvider`, so that a class can name this one without having it
  /// loaded.
  public static SelectorProvider open(ReadinessSettings settings) {
    return new ReadinessChannels(settings);
  }

  @Override
  public AbstractSelector openSelector() throws IOException {
    ReadinessCounters counts =
        settings.stats() ? ReadinessCounters.listed() : new ReadinessCounters();
    return new ReadinessSelector(this, settings, counts);
  }

  @Override
  public @Nullable Channel inheritedChannel() throws IOException {
    return DefaultSelectorProvider.get().inheritedChannel();
  }
}
