package sluice.loop;

import java.io.IOException;
import java.util.Locale;
import sluice.sys.Epoll;

/// Chooses an engine and says why. A fallback is never silent.
public final class Engines {
  /// What was chosen.
  ///
  /// @param backend never [Backend#AUTO]
  /// @param why one line for people
  public record Choice(Backend backend, String why) {}

  private Engines() {}

  /// Settles on a backend for this machine.
  ///
  /// @throws IOException when a backend was asked for by name and is not to be had, with the reason
  ///   and the fix
  public static Choice choose(Backend wanted) throws IOException {
    return switch (wanted) {
      case AUTO -> chooseBest();
      case IO_URING -> {
        IoUringSelfTest.run();
        yield new Choice(Backend.IO_URING, "asked for");
      }
      case EPOLL, POLL -> {
        if (!linux()) {
          throw new IOException(
              wanted
                  + " needs Linux. Why: this is "
                  + System.getProperty("os.name")
                  + ". Fix: use --backend jdk.");
        }
        yield new Choice(wanted, "asked for");
      }
      case JDK -> new Choice(Backend.JDK, "asked for");
    };
  }

  private static Choice chooseBest() {
    if (!linux()) {
      return new Choice(Backend.JDK, "no io_uring or epoll on " + System.getProperty("os.name"));
    }
    try {
      IoUringSelfTest.run();
      return new Choice(Backend.IO_URING, "available, self-test passed");
    } catch (IOException e) {
      return withoutIoUring("io_uring not used: " + e.getMessage());
    }
  }

  private static Choice withoutIoUring(String why) {
    try (Epoll _ = Epoll.create()) {
      return new Choice(Backend.EPOLL, why);
    } catch (IOException e) {
      return new Choice(Backend.POLL, why + "\nepoll not used: " + e.getMessage());
    }
  }

  /// Opens an engine on the calling thread, which will own it.
  public static Engine open(Choice choice, EngineConfig config) throws IOException {
    return switch (choice.backend()) {
      case AUTO -> open(choose(Backend.AUTO), config);
      case IO_URING -> IoUringEngine.open(config);
      case EPOLL -> EpollEngine.open(config);
      case POLL -> PollEngine.open(config);
      case JDK -> JdkEngine.open(config);
    };
  }

  private static boolean linux() {
    return System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("linux");
  }
}
