package sluice.nio.readiness;

import java.io.IOException;
import java.nio.channels.Channel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import org.jspecify.annotations.Nullable;
import sun.nio.ch.DefaultSelectorProvider;
import sun.nio.ch.SelectorProviderImpl;

/// The readiness engine: the JDK's own channels with Sluice's selectors. Any thread may use it.
///
/// This is a separate provider because channels report the object that created them as their
/// provider, and only a subclass of the JDK's provider can create the JDK's channels. The class
/// requires that `sun.nio.ch` is exported to this module, so callers must check
/// [sluice.nio.descriptors.JdkExport] before they refer to it.
public final class ReadinessChannels extends SelectorProviderImpl {
  public static final String NAME = "readiness";

  private final ReadinessSettings settings;

  private ReadinessChannels(ReadinessSettings settings) {
    this.settings = settings;
    if (settings.stats()) {
      ReadinessCounters.printAtExit();
    }
  }

  /// Returns a new provider. The return type is `SelectorProvider` so that a class can refer to
  /// this method without loading this class.
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
