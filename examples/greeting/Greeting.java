import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import sluice.http.plugin.ViewPlugin;
import sluice.http.plugin.ViewReply;
import sluice.http.plugin.ViewRequest;
import sluice.memory.View;

/// A plug-in for `sluice serve --plugin` that reads its request where it lies: a verifier finds a
/// bound for its work, so it answers on the loop's thread.
///
/// Run: `./sluice example greeting greeting.jar` packs it, and
/// `./sluice serve examples/site --plugin /greeting=greeting.jar` runs it
/// Try: `curl -i 'localhost:8080/greeting?name=you'`, then `./sluice stat | grep greeting`
public final class Greeting implements ViewPlugin {
  private static final byte[] NAME = "name=".getBytes(StandardCharsets.US_ASCII);

  @Override
  public void handle(ViewRequest request, ViewReply reply) {
    reply
        .field("Content-Type", "text/plain; charset=utf-8")
        .field("X-Content-Type-Options", "nosniff")
        .text("hello ");
    View view = request.view();
    int from = request.queryFrom();
    if (view.startsWith(NAME, from)) {
      int and = view.indexOf((byte) '&', from, request.queryTo());
      reply.put(view, from + NAME.length, and < 0 ? request.queryTo() : and);
    } else {
      reply.text("world");
    }
    reply.text(", from a view of ").number(view.length()).text(" bytes\n");
  }

  /// Packs this class, and the file that names it, into a jar.
  public static void main(String[] args) throws Exception {
    if (args.length != 1) {
      throw new IllegalArgumentException("usage: sluice example greeting JAR");
    }
    try (InputStream code = Greeting.class.getResourceAsStream("Greeting.class");
        JarOutputStream jar = new JarOutputStream(Files.newOutputStream(Path.of(args[0])))) {
      jar.putNextEntry(new JarEntry("Greeting.class"));
      code.transferTo(jar);
      jar.putNextEntry(new JarEntry("META-INF/services/" + ViewPlugin.class.getName()));
      jar.write("Greeting\n".getBytes(StandardCharsets.US_ASCII));
    }
    System.out.println("try: sluice serve DIR --plugin /greeting=" + args[0]);
  }
}
