package sluice.host.site;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.http.handlers.HttpInterruptlet;
import sluice.http.handlers.HttpMessage;
import sluice.http.handlers.HttpReply;
import sluice.http.handlers.HttpResponder;
import sluice.http.handlers.Route;
import sluice.http.parse.HttpRequest;
import sluice.memory.View;

/// The handlers of `sluice serve --demo`. The first handler answers on the loop's thread. The
/// second handler takes longer and is executed on the slow path. This class is thread-safe.
final class DemoHandlers {
  private static final int MOST_LINES = 100_000_000;

  private DemoHandlers() {}

  /// Returns the routes `/demo/hello?name=…` and `/demo/report?lines=…`.
  static List<Route> routes() {
    return List.of(
        Route.at("/demo/hello")
            .withInterruptlet(Hello::new)
            .withSample("/demo/hello")
            .withSlowHandler((request, responder) -> responder.status(405).send("GET only\n")),
        Route.at("/demo/report").withSlowHandler(DemoHandlers::report));
  }

  /// Greets the client and counts the requests. Each loop has its own instance, so a plain field is
  /// sufficient.
  private static final class Hello implements HttpInterruptlet {
    private static final byte[] NAME = "name=".getBytes(StandardCharsets.US_ASCII);

    private long calls;

    @Override
    public boolean handle(HttpRequest request, HttpReply reply) {
      switch (request.method()) {
        case GET, HEAD -> {}
        default -> {
          return false; // passed to the slow handler
        }
      }
      reply
          .field("Content-Type", "text/plain; charset=utf-8")
          .field("X-Content-Type-Options", "nosniff")
          .text("hello ");
      View view = request.view();
      int from = request.queryFrom();
      if (view.startsWith(NAME, from)) {
        int and = view.indexOf((byte) '&', from, request.queryTo());
        reply.body(view, from + NAME.length, and < 0 ? request.queryTo() : and);
      } else {
        reply.text("world");
      }
      reply.text(", you are number ").number(++calls).text(" on this loop\n");
      return true;
    }
  }

  /// Writes the requested number of lines as fast as the client reads them.
  private static void report(HttpMessage request, HttpResponder responder) throws Exception {
    int lines = lines(request.query());
    if (lines < 0) {
      responder.status(400).send("lines=N, 1 to " + MOST_LINES + "\n");
      return;
    }
    responder.field("Content-Type", "text/plain; charset=utf-8");
    try (OutputStream out = responder.stream()) {
      for (int i = 1; i <= lines; i++) {
        out.write(("line " + i + " of " + lines + "\n").getBytes(StandardCharsets.US_ASCII));
      }
    }
  }

  private static int lines(@Nullable String query) {
    if (query == null) {
      return 1_000;
    }
    if (!query.matches("lines=[1-9][0-9]{0,8}")) {
      return -1;
    }
    int lines = Integer.parseInt(query.substring(query.indexOf('=') + 1));
    return lines <= MOST_LINES ? lines : -1;
  }
}
