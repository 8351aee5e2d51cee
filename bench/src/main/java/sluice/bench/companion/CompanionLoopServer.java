package sluice.bench.companion;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TransferQueue;
import sluice.loop.Connection;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.Protocol;
import sluice.loop.ReplyTicket;
import sluice.loop.engine.Backend;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.NanoClock;
import sluice.loop.server.Engines;
import sluice.loop.server.Server;
import sluice.memory.View;

/// The real loop, turned by the application's thread between its work, or by a companion that hands
/// the work over. The loop's thread calls the protocol; the application's thread does the work.
final class CompanionLoopServer extends CompanionServer {
  /// A message for the application, and the right to answer it.
  private static final class Request {
    final ReplyTicket ticket;
    final byte[] message;

    Request(ReplyTicket ticket, byte[] message) {
      this.ticket = ticket;
      this.message = message;
    }
  }

  private final boolean companion;
  private final int port;
  private final ArrayDeque<Request> own = new ArrayDeque<>();
  private final TransferQueue<Request> handedOver = new LinkedTransferQueue<>();
  private volatile Thread application = Thread.currentThread();
  private volatile Runnable wake = () -> {};

  CompanionLoopServer(Backend backend, boolean companion, long workNanos)
      throws InterruptedException {
    super(workNanos);
    this.companion = companion;
    this.port =
        start(
            companion ? "companion" : "application",
            ready -> {
              Engines.Choice choice = Engines.choose(backend);
              try (Loop loop =
                  new Loop(
                      "companion",
                      Engines.open(choice, EngineConfig.DEFAULT),
                      LoopConfig.DEFAULT,
                      NanoClock.SYSTEM,
                      Server.VIRTUAL_THREADS)) {
                wake = () -> loop.execute(() -> {});
                InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
                var bound = loop.listen(any, ListenOptions.DEFAULT, new Messages()).localAddress();
                ready.complete(((InetSocketAddress) bound).getPort());
                turn(loop);
              }
            });
    if (companion) {
      start(
          "application",
          ready -> {
            application = Thread.currentThread();
            ready.complete(0);
            while (!stopping) {
              Request request = handedOver.take();
              work();
              request.ticket.complete(c -> c.output().put(request.message));
            }
          });
    }
  }

  private void turn(Loop loop) {
    while (!stopping) {
      loop.turn(-1);
      Request request = own.poll();
      while (request != null) {
        byte[] message = request.message;
        work();
        request.ticket.completeHere(c -> c.output().put(message));
        request = own.poll();
      }
    }
  }

  @Override
  int port() {
    return port;
  }

  @Override
  void wakeAll() {
    wake.run();
    if (companion) {
      application.interrupt();
    }
  }

  private final class Messages implements Protocol {
    @Override
    public int received(Connection connection, View input) {
      int used = 0;
      while (input.length() - used >= MESSAGE_BYTES) {
        if (input.get(used + KIND) != 0) {
          byte[] message = new byte[MESSAGE_BYTES];
          input.copyTo(used, message, 0, MESSAGE_BYTES);
          Request request = new Request(connection.defer(), message);
          if (companion) {
            handedOver.add(request);
          } else {
            own.add(request);
          }
          return used + MESSAGE_BYTES;
        }
        connection.output().append(input, used, MESSAGE_BYTES);
        used += MESSAGE_BYTES;
      }
      return used;
    }
  }
}
