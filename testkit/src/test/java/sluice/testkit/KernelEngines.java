package sluice.testkit;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import sluice.loop.engine.Backend;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.server.Engines;

/// Opens the engines of this machine for the contracts. Any thread may call.
final class KernelEngines {
  private static final Map<Backend, Engines.Choice> CHOICES = new EnumMap<>(Backend.class);

  private KernelEngines() {}

  /// Opens an engine; if the machine refuses it, skips the test with the reason.
  static Engine open(Backend backend, EngineConfig config) throws IOException {
    return Engines.open(choice(backend), config);
  }

  /// Tries a backend once, because each trial of a ring sends a mebibyte.
  private static synchronized Engines.Choice choice(Backend backend) {
    Engines.Choice known = CHOICES.get(backend);
    if (known == null) {
      try {
        known = Engines.choose(backend);
      } catch (IOException e) {
        return abort("no " + backend + " here: " + e.getMessage());
      }
      CHOICES.put(backend, known);
    }
    return known;
  }
}
