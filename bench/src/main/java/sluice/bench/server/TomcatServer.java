package sluice.bench.server;

import jakarta.servlet.http.HttpServlet;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardThreadExecutor;
import org.apache.catalina.startup.Tomcat;

/// Tomcat 11 with one servlet and its NIO connector, set as an expert would: connections stay open,
/// no access log, no scan for annotations. Called by a server's main thread.
public final class TomcatServer {
  /// How the names of the workers begin.
  public static final String WORKER = "worker-";

  private TomcatServer() {}

  /// Serves until the process ends.
  ///
  /// @param threads workers that run the servlet
  public static void run(int port, int threads, HttpServlet servlet) throws Exception {
    Path base = Files.createTempDirectory("sluice-tomcat");
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(base.toString());
    tomcat.setSilent(true);
    Connector connector = new Connector("org.apache.coyote.http11.Http11NioProtocol");
    connector.setPort(port);
    set(connector, "address", "127.0.0.1");
    set(connector, "acceptCount", "4096");
    set(connector, "maxConnections", "20000");
    set(connector, "maxKeepAliveRequests", "-1");
    set(connector, "keepAliveTimeout", "-1");
    StandardThreadExecutor workers = new StandardThreadExecutor();
    workers.setNamePrefix(WORKER);
    workers.setMaxThreads(threads);
    workers.setMinSpareThreads(threads);
    workers.start();
    connector.getProtocolHandler().setExecutor(workers);
    tomcat.setConnector(connector);
    Context context = tomcat.addContext("", null);
    Tomcat.addServlet(context, "servlet", servlet).setLoadOnStartup(1);
    context.addServletMappingDecoded("/*", "servlet");
    tomcat.start();
    tomcat.getServer().await();
  }

  private static void set(Connector connector, String name, String value) {
    if (!connector.setProperty(name, value)) {
      throw new IllegalStateException("Tomcat knows no " + name);
    }
  }
}
