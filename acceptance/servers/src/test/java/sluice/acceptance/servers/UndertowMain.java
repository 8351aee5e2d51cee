package sluice.acceptance.servers;

import io.undertow.Undertow;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.BlockingHandler;
import java.io.IOException;
import java.net.InetSocketAddress;

/// Undertow on XNIO. The main thread of a process calls; handlers run in its pool.
final class UndertowMain {
  private UndertowMain() {}

  /// @param arguments those of [Launch]
  public static void main(String[] arguments) throws Exception {
    Launch launch = Launch.of(arguments);
    Undertow.Builder builder = Undertow.builder();
    if (launch.secure()) {
      builder.addHttpsListener(0, Launch.HOST, launch.context());
    } else {
      builder.addHttpListener(0, Launch.HOST);
    }
    Undertow server = builder.setHandler(new BlockingHandler(UndertowMain::handle)).build();
    server.start();
    InetSocketAddress address =
        (InetSocketAddress) server.getListenerInfo().getFirst().getAddress();
    Launch.ready(address.getPort(), server::stop);
  }

  private static void handle(HttpServerExchange exchange) throws IOException {
    byte[] body = exchange.getInputStream().readAllBytes();
    byte[] answer = Payload.answer(exchange.getRequestPath(), body);
    exchange.setResponseContentLength(answer.length);
    exchange.getOutputStream().write(answer);
  }
}
