package sluice.bench.poller;

import java.io.IOException;
import java.util.List;

/// The command `sluice bench demo`: the servers of the Poller paper and their client. The main
/// thread starts the program; the class of each program says which threads work.
public final class PollerDemo {
  private static final String USAGE =
      """
      usage: sluice bench demo NAME [OPTIONS]

        PollingServer        one thread polls; a gang of workers serves all that is ready, and the
                             next poll waits until the last of them is done
        AsyncPollingServer   one thread polls, another accepts; a ready connection is disabled by
                             being reported, and enabled by the worker that has served it
        SimpleServer         one thread per connection
        VirtualServer        one virtual thread per connection
        BusyServer           one thread reads all connections in turn, ready or not
        Client               connections that send messages and wait for the echo; tells the time

        --port N             where the server listens, or the client connects to (9000)
        --backend B          epoll, poll or io_uring, for the polling servers (epoll)
        --workers N          their worker threads (processors)
        --http FILE          answer HTTP requests with this file instead of echoing
        --connections N      of the client (1000)
        --messages N         of the client, on each connection (100)
        --bytes N            of each message (64)

      Many connections need many descriptors: ulimit -n.
      """;

  private PollerDemo() {}

  /// A server or the client.
  interface Program {
    void run(PollerDemoOptions options) throws IOException, InterruptedException;
  }

  /// Runs a program in a process of its own.
  public static void main(String[] args) {
    System.exit(run(List.of(args)));
  }

  /// Runs a program.
  ///
  /// @param arguments as after `sluice bench demo`
  /// @return the process's exit status
  public static int run(List<String> arguments) {
    if (arguments.isEmpty() || arguments.contains("--help") || arguments.contains("-h")) {
      System.out.print(USAGE);
      return arguments.isEmpty() ? 2 : 0;
    }
    try {
      Program program = program(arguments.getFirst());
      program.run(PollerDemoOptions.parse(arguments.subList(1, arguments.size())));
      return 0;
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage() + "\n" + USAGE);
      return 2;
    } catch (IOException e) {
      System.err.println(arguments.getFirst() + ": " + e.getMessage());
      return 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    }
  }

  private static Program program(String name) {
    return switch (name) {
      case "PollingServer" -> options -> new PollingServer(options).run();
      case "AsyncPollingServer" -> options -> new AsyncPollingServer(options).run();
      case "SimpleServer" -> options -> SimpleServer.run(options, Thread.ofPlatform());
      case "VirtualServer" -> options -> SimpleServer.run(options, Thread.ofVirtual());
      case "BusyServer" -> BusyServer::run;
      case "Client" -> PollerDemoClient::run;
      default -> throw new IllegalArgumentException("no demo is called " + name);
    };
  }
}
