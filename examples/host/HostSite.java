import java.nio.file.Path;
import java.util.List;
import sluice.host.Host;
import sluice.host.SiteServer;
import sluice.host.site.SiteOptions;

/// Hosts a site with a plug-in in a Java program.
///
/// Run: `./sluice example plugin hello.jar` makes the plug-in, and
/// `./sluice example host examples/site hello.jar` hosts both
/// Try: `curl -i localhost:8080/hello?you`; Ctrl-C ends the host
final class HostSite {
  public static void main(String[] args) throws Exception {
    if (args.length < 2) {
      throw new IllegalArgumentException("usage: sluice example host DIRECTORY JAR [PORT]");
    }
    SiteOptions options = new SiteOptions();
    options.serve(Path.of(args[0]));
    options.set("port", args.length > 2 ? args[2] : "8080");
    options.set("plugin", "/hello=" + args[1]);
    options.set("budget", "cpu=20%,threads=8");
    SiteServer site = SiteServer.start(options, System.err::println);
    try (Host host = new Host(List.of(site), System.err::println)) {
      host.listenToSignals(Host.Hangup.RELOADS);
      System.out.println(site.describe());
      host.awaitEnd();
    }
  }
}
