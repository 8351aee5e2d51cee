package sluice.bench.server;

import jakarta.servlet.http.HttpServlet;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardThreadExecutor;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.webresources.StandardRoot;
import org.jspecify.annotations.Nullable;

/// Tomcat 11 with one servlet and its NIO connector, configured as an expert would: connections
/// stay open, no access log, no scan for annotations. Called by a server's main thread.
public final class TomcatServer {
  /// The prefix of the workers' names.
  public static final String WORKER = "worker-";

  /// The size of the cache for a site's small files; large ones are sent by sendfile.
  private static final int CACHE_KILOBYTES = 64 << 10;

  private static final int CACHE_MILLIS = 60_000;

  private TomcatServer() {}

  /// Serves until the process ends.
  ///
  /// @param threads workers that run the servlet
  public static void run(int port, int threads, HttpServlet servlet) throws Exception {
    run(port, threads, servlet, null);
  }

  /// Serves the servlet and files until the process ends.
  ///
  /// @param files the folder that Tomcat's own servlet serves, except for `/dynamic`; null for none
  static void run(int port, int threads, HttpServlet servlet, @Nullable Path files)
      throws Exception {
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
    Context context = tomcat.addContext("", files == null ? null : files.toString());
    Tomcat.addServlet(context, "servlet", servlet).setLoadOnStartup(1);
    if (files == null) {
      context.addServletMappingDecoded("/*", "servlet");
    } else {
      StandardRoot resources = new StandardRoot(context);
      resources.setCacheMaxSize(CACHE_KILOBYTES);
      resources.setCacheTtl(CACHE_MILLIS);
      context.setResources(resources);
      Tomcat.addServlet(context, "default", new DefaultServlet()).setLoadOnStartup(1);
      context.addServletMappingDecoded("/", "default");
      context.addServletMappingDecoded("/dynamic", "servlet");
    }
    tomcat.start();
    tomcat.getServer().await();
  }

  private static void set(Connector connector, String name, String value) {
    if (!connector.setProperty(name, value)) {
      throw new IllegalStateException("Tomcat knows no " + name);
    }
  }
}
