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
/// The loop of most channels is run by the *companion*, a single thread per process. If the
/// selecting thread of a server runs no application code, the server's channels wait for that
/// thread instead, which becomes the *owner* of their loop ([FrontMode], [FrontOwner]). This causes
/// no delay, because the server would not accept clients before it selects in any case.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `companion`, `waiting` | any thread | under this object's lock | the same |
/// | `someWait` | any thread | volatile | under this object's lock |
/// | `owner` | opening threads, selecting threads | volatile | volatile |
///
/// Lifecycle: open until it is closed, or until the JVM exits.
public final class Front implements AcceptPorts, AutoCloseable {
  private final Path directory;
  private final FrontSettings settings;
  private final FrontMode mode;
  private final boolean quiet;
  private @Nullable FrontServer companion;

  /// The listening channels that do not have a loop yet.
  private final List<FrontListener> waiting = new ArrayList<>();

  private volatile boolean someWait;

  /// The owner for which listening channels are waiting.
  private volatile @Nullable FrontOwner owner;

  /// Creates a front.
  ///
  /// @param directory the directory whose files are served without asking the application
  /// @param quiet true to print only problems on standard error
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

  /// Returns the loop to run on the thread of a selector that is being opened, or null if that
  /// thread should only wait.
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

  /// Terminates the companion and closes all its connections. If a channel starts to listen later,
  /// a new companion is started for it.
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

  /// Opens a loop that is run by the calling thread.
  FrontServer openHere() throws IOException {
    return FrontServer.open(Site.of(directory), settings, Front::complain);
  }

  // ---- listening channels that wait for an owner ----------------------------------------------

  /// Queues a channel, which will be adopted in the next turn of an owner.
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

  /// Adopts all waiting channels. Called on the thread that runs `server`.
  ///
  /// @param into the list to which the adopted channels are added
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

  /// Passes the waiting channels to the companion because their owner cannot run a loop.
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

  /// Prints an informational message unless the front is quiet.
  void say(String line) {
    if (!quiet) {
      complain(line);
    }
  }

  static void complain(String line) {
    System.err.println("sluice.nio: " + line);
  }
}
