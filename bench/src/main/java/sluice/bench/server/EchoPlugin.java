package sluice.bench.server;

import sluice.http.plugin.HttpPlugin;
import sluice.http.plugin.PluginReply;
import sluice.http.plugin.PluginRequest;

/// A plug-in that answers with the body of the request.
public final class EchoPlugin implements HttpPlugin {
  @Override
  public PluginReply handle(PluginRequest request) {
    return PluginReply.of(200, "text/plain", request.body());
  }
}
