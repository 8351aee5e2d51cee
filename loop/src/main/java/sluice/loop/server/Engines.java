package sluice.loop.server;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import sluice.loop.engine.Backend;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.readiness.EpollEngine;
import sluice.loop.readiness.JdkEngine;
import sluice.loop.readiness.PollEngine;
import sluice.loop.sockets.Log;
import sluice.loop.uring.IoUringEngine;
import sluice.loop.uring.IoUringSelfTest;

/// Chooses an engine and reports the reason for the choice. A fallback is never silent.
public final class Engines {
  /// The result of a choice.
  ///
  /// @param backend the chosen backend, which is never [Backend#AUTO]
  /// @param why the reason as readable text, with one line for each backend that was not used
  public record Choice(Backend backend, String why) {}

  /// An open engine and the reason for its choice.
  public record Opened(Engine engine, Choice choice) {}

  private static final EngineConfig TRIAL = new EngineConfig(1, 64, 16);

  /// The backends in order of preference. JDK channels are last and require no trial.
  private static final List<Backend> BEST_FIRST =
      List.of(Backend.IO_URING, Backend.EPOLL, Backend.POLL);

  private Engines() {}

  /// Tests if a backend works on this machine by opening the facility on which it is based.
  interface Trial {
    /// Tries a backend.
    ///
    /// @throws IOException if the backend does not work; the message states the reason and the fix
    void run(Backend backend) throws IOException;
  }

  /// Chooses a backend for this machine.
  ///
  /// @throws IOException if a backend was requested by name and is not available; the message
  ///   states the reason and the fix
  public static Choice choose(Backend wanted) throws IOException {
    if (wanted == Backend.AUTO) {
      return chooseBest(Engines::tryOut);
    }
    tryOut(wanted);
    return new Choice(wanted, "asked for");
  }

  /// Returns the first backend that works, together with the failures of the preceding ones.
  static Choice chooseBest(Trial trial) {
    return chooseFrom(0, new StringBuilder(), trial);
  }

  /// Returns the next backend that works, after a backend has passed its trial but was not
  /// available in the size or number required by a server.
  static Choice chooseAfter(Choice refused, Exception reason) {
    int place = BEST_FIRST.indexOf(refused.backend());
    StringBuilder why = new StringBuilder(place == 0 ? "" : refused.why());
    notUsed(why, refused.backend(), reason);
    return chooseFrom(place + 1, why, Engines::tryOut);
  }

  private static Choice chooseFrom(int place, StringBuilder why, Trial trial) {
    for (Backend backend : BEST_FIRST.subList(place, BEST_FIRST.size())) {
      try {
        trial.run(backend);
        return new Choice(backend, why.isEmpty() ? "available, self-test passed" : why.toString());
      } catch (IOException | RuntimeException | LinkageError e) {
        notUsed(why, backend, e);
      }
    }
    return new Choice(Backend.JDK, why.toString());
  }

  private static void notUsed(StringBuilder why, Backend backend, Throwable reason) {
    why.append(why.isEmpty() ? "" : "\n").append(backend).append(" not used: ");
    why.append(reason.getMessage() == null ? reason : reason.getMessage());
  }

  private static void tryOut(Backend backend) throws IOException {
    if (backend != Backend.JDK && !linux()) {
      throw new IOException(
          backend
              + " needs Linux. Why: this is "
              + System.getProperty("os.name")
              + ". Fix: use --backend jdk.");
    }
    if (backend == Backend.IO_URING) {
      IoUringSelfTest.run();
    } else if (backend != Backend.JDK) {
      try (Engine engine = open(new Choice(backend, "on trial"), TRIAL)) {
        engine.turn(0, (token, result, flags) -> {});
      }
    }
  }

  /// Opens an engine that is owned by the calling thread.
  public static Engine open(Choice choice, EngineConfig config) throws IOException {
    return switch (choice.backend()) {
      case AUTO -> open(choose(Backend.AUTO), config);
      case IO_URING -> IoUringEngine.open(config);
      case EPOLL -> EpollEngine.open(config);
      case POLL -> PollEngine.open(config);
      case JDK -> JdkEngine.open(config);
    };
  }

  /// Opens an engine for a component that requires Linux. If the best engine is not available in
  /// the required size, or not in addition to that many others, the next one is opened.
  ///
  /// @param wanted the requested backend; there is an alternative only for [Backend#AUTO]
  /// @param choice the backend chosen for it
  public static Opened open(Backend wanted, Choice choice, EngineConfig config) throws IOException {
    return open(wanted, choice, config, Engines::open);
  }

  static Opened open(
      Backend wanted, Choice choice, EngineConfig config, Server.EngineOpener engines)
      throws IOException {
    Choice tried = choice;
    while (true) {
      try {
        return new Opened(engines.open(tried, config), tried);
      } catch (IOException e) {
        Choice next = wanted == Backend.AUTO ? chooseAfter(tried, e) : tried;
        if (next == tried || next.backend() == Backend.JDK) {
          throw e;
        }
        Log.LOGGER.log(Level.WARNING, next.backend() + " is used: " + next.why());
        tried = next;
      }
    }
  }

  private static boolean linux() {
    return System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("linux");
  }
}
