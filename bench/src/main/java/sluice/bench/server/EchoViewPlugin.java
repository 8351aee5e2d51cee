package sluice.bench.server;

import sluice.http.plugin.ViewPlugin;
import sluice.http.plugin.ViewReply;
import sluice.http.plugin.ViewRequest;

/// A plug-in that answers with the body of the request.
public final class EchoViewPlugin implements ViewPlugin {
  @Override
  public void handle(ViewRequest request, ViewReply reply) {
    reply.field("Content-Type", "text/plain");
    reply.put(request.view(), request.bodyFrom(), request.bodyTo());
  }
}
