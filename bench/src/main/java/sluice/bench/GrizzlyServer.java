package sluice.bench;

import org.glassfish.grizzly.http.KeepAlive;
import org.glassfish.grizzly.http.server.HttpHandler;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.grizzly.http.server.NetworkListener;
import org.glassfish.grizzly.nio.transport.TCPNIOTransport;
import org.glassfish.grizzly.threadpool.ThreadPoolConfig;

/// Grizzly 4 with one selector and one handler; connections stay open. Called by a server's main
/// thread; the handler runs on Grizzly's workers.
final class GrizzlyServer {
  private GrizzlyServer() {}

  /// Serves until the process ends.
  ///
  /// @param threads workers that run the handler
  static void run(int port, int threads, HttpHandler handler) throws Exception {
    NetworkListener listener = new NetworkListener("http", "127.0.0.1", port);
    KeepAlive keepAlive = listener.getKeepAlive();
    keepAlive.setIdleTimeoutInSeconds(-1);
    keepAlive.setMaxRequestsCount(-1);
    TCPNIOTransport transport = listener.getTransport();
    transport.setSelectorRunnersCount(1);
    transport.setServerConnectionBackLog(4096);
    transport.setTcpNoDelay(true);
    transport.setWorkerThreadPoolConfig(
        ThreadPoolConfig.defaultConfig()
            .setPoolName(TomcatServer.WORKER)
            .setCorePoolSize(threads)
            .setMaxPoolSize(threads));
    HttpServer server = new HttpServer();
    server.addListener(listener);
    server.getServerConfiguration().addHttpHandler(handler, "/");
    server.start();
    Thread.currentThread().join(); // its threads are daemons
  }
}
