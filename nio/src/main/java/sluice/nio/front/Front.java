package sluice.nio.front;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import sluice.http.FrontServer;
import sluice.http.front.FrontSettings;
import sluice.http.site.Site;
import sluice.loop.server.Engines;
import sluice.nio.channels.AcceptPort;
import sluice.nio.channels.AcceptPorts;
import sluice.nio.channels.SluiceServerSocketChannel;
import sluice.nio.ring.SelectorLoop;

/// A front that serves the files of a directory before all listening channels of this JVM. Any
/// thread may call.
///
/// A *companion*, one thread for the process, turns the loop of most channels. The channels of a
/// server whose selecting thread runs no application code wait for that thread, the *owner* of
/// their loop ([FrontMode], [FrontOwner]). Such a server would not accept clients before it selects
/// either.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `companion`, `waiting` | any thread | under this object's lock | the same |
/// | `someWait` | any thread | volatile | under this object's lock |
/// | `owner` | opening threads, selecting threads | volatile | volatile |
///
/// Lifecycle: as long as the JVM, unless it is closed.
public final class Front implements AcceptPorts, AutoCloseable {
  private final Path directory;
  private final FrontSettings settings;
  private final FrontMode mode;
  private final boolean quiet;
  private @Nullable FrontServer companion;

  /// The listening channels without a loop.
  private final List<FrontListener> waiting = new ArrayList<>();

  private volatile boolean someWait;

  /// The owner that listening channels wait for.
  private volatile @Nullable FrontOwner owner;

  /// Creates a front.
  ///
  /// @param directory the directory whose files are served before the application is asked
  /// @param quiet true to report only problems on standard error
  public Front(Path directory, FrontSettings settings, FrontMode mode, boolean quiet) {
    this.directory = directory;
    this.settings = settings;
    this.mode = mode;
    this.quiet = quiet;
  }

  @Override
  public AcceptPort listening(SluiceServerSocketChannel channel) throws IOException {
    FrontListener listener = new FrontListener(channel, this);
    Optional<String> owns = mode.ownerOfListener();
    String what = "files of " + directory + " are answered in front of " + channel.localAddress();
    if (owns.isPresent()) {
      Engines.Choice engine = FrontServer.chooseEngine();
      await(listener);
      say(what + ", by the thread that selects (" + owns.get() + "), on " + engine.backend());
    } else {
      FrontServer started = companion();
      listener.start(started.listen(channel.core().fd(), listener));
      say(what + ", by a thread of their own on " + started.engine().backend());
    }
    return listener;
  }

  /// Returns the loop for the thread of a selector that is being opened; null if the thread only
  /// waits.
  public @Nullable SelectorLoop loop() {
    if (!mode.ownsBySelector()) {
      return null;
    }
    FrontOwner made = new FrontOwner(this);
    owner = made;
    return made;
  }

  private synchronized FrontServer companion() throws IOException {
    FrontServer running = companion;
    if (running == null) {
      running = FrontServer.start(Site.of(directory), settings, Front::complain);
      companion = running;
    }
    return running;
  }

  /// Ends the companion with all its connections. A channel that listens later gets a new one.
  @Override
  public void close() {
    FrontServer running;
    synchronized (this) {
      running = companion;
      companion = null;
    }
    if (running != null) {
      running.close();
    }
  }

  /// Opens a loop on the calling thread, which turns it.
  FrontServer openHere() throws IOException {
    return FrontServer.open(Site.of(directory), settings, Front::complain);
  }

  // ---- listening channels that wait for an owner ----------------------------------------------

  /// Queues a channel to be adopted by the next turn of an owner.
  void await(FrontListener listener) {
    synchronized (this) {
      waiting.add(listener);
      someWait = true;
    }
    FrontOwner turning = owner;
    if (turning != null) {
      turning.wake();
    }
  }

  synchronized void forget(FrontListener listener) {
    waiting.remove(listener);
  }

  /// Adopts all waiting channels. Called on the thread that turns `server`.
  ///
  /// @param into receives the channels
  void adoptWaiting(FrontServer server, List<FrontListener> into) {
    if (someWait) {
      for (FrontListener each : takeWaiting()) {
        into.add(each);
        each.adopt(server);
      }
    }
  }

  private synchronized List<FrontListener> takeWaiting() {
    List<FrontListener> taken = List.copyOf(waiting);
    waiting.clear();
    someWait = false;
    return taken;
  }

  /// Gives the waiting channels to the companion, because their owner cannot turn a loop.
  void doWithoutOwner(FrontOwner refused, String why) {
    if (owner == refused) {
      owner = null;
    }
    complain("files are answered by a thread of their own: " + why);
    for (FrontListener each : takeWaiting()) {
      try {
        each.adopt(companion());
      } catch (IOException e) {
        each.complain(e);
      }
    }
  }

  /// Prints a line of information.
  void say(String line) {
    if (!quiet) {
      complain(line);
    }
  }

  static void complain(String line) {
    System.err.println("sluice.nio: " + line);
  }
}
