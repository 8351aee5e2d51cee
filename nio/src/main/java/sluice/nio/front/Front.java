package sluice.nio.front;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import sluice.http.FrontServer;
import sluice.http.front.FrontTimes;
import sluice.http.site.Site;
import sluice.nio.channels.AcceptPort;
import sluice.nio.channels.AcceptPorts;
import sluice.nio.channels.SluiceServerSocketChannel;

/// The files of a directory in front of all listening channels of this JVM. Any thread may call.
public final class Front implements AcceptPorts {
  private final Path directory;
  private final FrontTimes times;
  private final boolean quiet;
  private @Nullable FrontServer server;

  /// @param directory its files are answered before the application is asked
  /// @param quiet tells on standard error only what does not work
  public Front(Path directory, FrontTimes times, boolean quiet) {
    this.directory = directory;
    this.times = times;
    this.quiet = quiet;
  }

  @Override
  public AcceptPort listening(SluiceServerSocketChannel channel) throws IOException {
    FrontServer started = server();
    FrontListener listener = new FrontListener(channel, this);
    listener.start(started.listen(channel.core().fd(), listener));
    say(
        "files of "
            + directory
            + " are answered in front of "
            + channel.localAddress()
            + ", by a thread of their own on "
            + started.engine().backend());
    return listener;
  }

  private synchronized FrontServer server() throws IOException {
    FrontServer running = server;
    if (running == null) {
      running = FrontServer.start(Site.of(directory), times, Front::complain);
      server = running;
    }
    return running;
  }

  /// Tells what there is to know, in a line.
  void say(String line) {
    if (!quiet) {
      complain(line);
    }
  }

  private static void complain(String line) {
    System.err.println("sluice.nio: " + line);
  }
}
