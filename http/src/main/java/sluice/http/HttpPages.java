package sluice.http;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import sluice.http.reply.ErrorPages;
import sluice.http.site.Site;
import sluice.sys.SysException;

/// The error pages of all sites of a server. Any thread may call.
final class HttpPages {
  private final ErrorPages main;
  private final List<ErrorPages> hosts = new ArrayList<>();

  /// @throws SysException if an error page cannot be read
  HttpPages(HttpConfig config) throws SysException {
    main = new ErrorPages(files(config.site()));
    for (VirtualHost host : config.hosts()) {
      hosts.add(new ErrorPages(files(host.site())));
    }
  }

  private static Map<Integer, Path> files(Site site) {
    Map<Integer, Path> files = new HashMap<>();
    site.errorPages()
        .forEach((status, path) -> {
          String beneath = path.startsWith("/") ? path.substring(1) : path;
          files.put(status, site.root().resolve(beneath));
        });
    return files;
  }

  ErrorPages main() {
    return main;
  }

  ErrorPages of(int host) {
    return hosts.get(host);
  }

  /// Reads the pages of all sites again, one site after another. See [ErrorPages#reload].
  void reload() throws SysException {
    main.reload();
    for (ErrorPages each : hosts) {
      each.reload();
    }
  }
}
