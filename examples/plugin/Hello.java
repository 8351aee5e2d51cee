import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import sluice.http.plugin.HttpPlugin;
import sluice.http.plugin.PluginReply;
import sluice.http.plugin.PluginRequest;

/// A plug-in for `sluice serve --plugin`: greets, and on request misbehaves, to see what its budget
/// does.
///
/// Run: `./sluice example plugin hello.jar` packs it, and
/// `./sluice serve examples/site --plugin /hello=hello.jar --budget cpu=20%,alloc=50MB/s` runs it
/// Try: `curl -i localhost:8080/hello?you`, then `localhost:8080/hello?loop`
public final class Hello implements HttpPlugin {
  @Override
  public PluginReply handle(PluginRequest request) {
    String query = request.query() == null ? "world" : request.query();
    while (query.equals("loop")) {
      Thread.onSpinWait();
    }
    byte[][] garbage = new byte[16][];
    for (int i = 0; query.equals("allocate"); i++) {
      garbage[i & 15] = new byte[1 << 20];
    }
    return PluginReply.text("hello " + query + "\n").withHeader("Cache-Control", "no-store");
  }

  /// Packs this class, and the file that names it, into a jar.
  public static void main(String[] args) throws Exception {
    if (args.length != 1) {
      throw new IllegalArgumentException("usage: sluice example plugin JAR");
    }
    try (InputStream code = Hello.class.getResourceAsStream("Hello.class");
        JarOutputStream jar = new JarOutputStream(Files.newOutputStream(Path.of(args[0])))) {
      jar.putNextEntry(new JarEntry("Hello.class"));
      code.transferTo(jar);
      jar.putNextEntry(new JarEntry("META-INF/services/" + HttpPlugin.class.getName()));
      jar.write("Hello\n".getBytes());
    }
    System.out.println("try: sluice serve DIR --plugin /hello=" + args[0] + " --budget cpu=20%");
  }
}
