package sluice.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import sluice.bench.cases.BenchCase;
import sluice.bench.cases.HttpProbe;
import sluice.bench.cases.RequestMix;
import sluice.bench.run.LoadSpec;
import sluice.bench.run.Peers;
import sluice.bench.run.ServerSpec;
import sluice.bench.run.Systems;
import sluice.http.clients.ClientLimits;
import sluice.testbase.FreePort;

/// The cases of `sluice bench site`: a hit of a site with 200 rules, another host and limits of
/// addresses, beside the same folder without a configuration. Stateless.
final class SiteCases {
  private static final int CONNECTIONS = 64;
  private static final String FILE = "1k.txt";
  private static final String RULES = "sluice/rules";
  private static final String LIMITS = "sluice/limits";
  private static final String PLAIN = "sluice/plain";

  private SiteCases() {}

  static List<BenchCase> all() {
    return List.of(of("1KB c64 d1", 1, true), of("1KB c64 d16", 16, false));
  }

  private static BenchCase of(String name, int depth, boolean quick) {
    return new BenchCase(
        name,
        new Servers(),
        quick,
        0,
        0,
        sites -> {
          Path root = Files.createDirectories(sites.cache().resolve("site-rules"));
          Files.writeString(root.resolve(FILE), "x".repeat(1 << 10));
          return root;
        },
        (server, root, harness) -> {
          RequestMix mix = new RequestMix();
          mix.add(1, HttpProbe.request("/" + FILE), 200, Files.readAllBytes(root.resolve(FILE)));
          return LoadSpec.http(
              CONNECTIONS, depth, mix.write(harness.workspace().temporary("mix-rules")));
        });
  }

  /// Returns a configuration with 100 rules for header fields, 60 redirects and 40 access rules;
  /// one of them matches the file.
  static String rules(Path root) {
    StringBuilder text = new StringBuilder("directory = '" + root + "'\nclean-urls = true\n");
    text.append("[[header]]\npath = '/*'\nset = { X-Content-Type-Options = 'nosniff' }\n");
    for (int i = 1; i < 100; i++) {
      text.append("[[header]]\npath = '/h").append(i).append("/*'\n");
      text.append("set = { Cache-Control = 'max-age=").append(i).append("' }\n");
    }
    for (int i = 0; i < 60; i++) {
      text.append("[[redirect]]\nfrom = '/r").append(i).append("/*'\nto = '/to/*'\n");
    }
    for (int i = 0; i < 40; i++) {
      text.append("[[access]]\npath = '/a").append(i).append("'\nallow = ['10.0.0.0/8']\n");
    }
    text.append("[[host]]\nnames = ['other.example']\ndirectory = '").append(root).append("'\n");
    return text.toString();
  }

  private static final class Servers implements Peers {
    @Override
    public List<String> names() {
      return List.of(RULES, LIMITS, PLAIN);
    }

    @Override
    public ServerSpec spec(Systems systems, String system, Path root) throws IOException {
      List<String> what =
          switch (system) {
            case RULES -> {
              Path file = root.resolveSibling("site-rules.toml");
              yield List.of("--config", Files.writeString(file, rules(root)).toString());
            }
            case LIMITS ->
                List.of(
                    root.toString(),
                    "--connections-per-address",
                    String.valueOf(ClientLimits.MOST),
                    "--requests-per-address",
                    String.valueOf(ClientLimits.MOST)); // more than a pipelining client sends
            default -> List.of(root.toString());
          };
      return systems.site(system, what, FreePort.find());
    }
  }
}
