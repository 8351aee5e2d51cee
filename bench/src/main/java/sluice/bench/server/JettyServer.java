package sluice.bench.server;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/// Jetty 12 with one selector and a handler that answers from memory; connections stay open. Called
/// by a server's main thread; handlers run on Jetty's own threads.
///
/// Several of its threads change the interest of keys while another selects, so a selector of the
/// completion engine works without its ring.
final class JettyServer {
  private static final int HOUR_MILLIS = 3_600_000;

  /// The number of Jetty's own threads: one accepts, one selects.
  private static final int OWN_THREADS = 2;

  private JettyServer() {}

  /// Serves until the process ends.
  ///
  /// @param threads the number of threads that run the handler
  /// @param files the folder that Jetty's own handler serves from its cache, except for `/dynamic`;
  ///   null for none
  static void run(int port, int threads, byte[] body, @Nullable Path files) throws Exception {
    int all = threads + OWN_THREADS;
    Server server = new Server(new QueuedThreadPool(all, all));
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    ServerConnector connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
    connector.setHost("127.0.0.1");
    connector.setPort(port);
    connector.setAcceptQueueSize(4096);
    connector.setIdleTimeout(HOUR_MILLIS);
    server.addConnector(connector);
    server.setHandler(files == null ? new Fixed(body) : beside(files, new Fixed(body), server));
    server.start();
  }

  private static Handler beside(Path files, Handler dynamic, Server server) {
    ResourceHandler resources = new ResourceHandler();
    resources.setBaseResource(ResourceFactory.of(server).newResource(files));
    resources.setDirAllowed(false);
    return new Handler.Sequence(new OnlyBelow("/dynamic", dynamic), resources);
  }

  /// Passes requests for one path on.
  private static final class OnlyBelow extends Handler.Wrapper {
    private final String path;

    OnlyBelow(String path, Handler handler) {
      super(handler);
      this.path = path;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      return path.equals(Request.getPathInContext(request))
          && super.handle(request, response, callback);
    }
  }

  /// Answers every request with the same bytes.
  private static final class Fixed extends Handler.Abstract.NonBlocking {
    private final byte[] body;

    Fixed(byte[] body) {
      this.body = body;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain");
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
      response.write(true, ByteBuffer.wrap(body), callback);
      return true;
    }
  }
}
