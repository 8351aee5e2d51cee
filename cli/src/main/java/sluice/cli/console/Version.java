package sluice.cli.console;

import picocli.CommandLine;
import sluice.host.life.BuildVersion;

/// The data that a bug report needs: version and commit, Java, kernel. Thread-safe.
public final class Version implements CommandLine.IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {
      "sluice " + BuildVersion.version() + ", commit " + BuildVersion.commit(),
      "Java "
          + Runtime.version()
          + ", "
          + System.getProperty("java.vendor")
          + ", "
          + System.getProperty("java.home"),
      System.getProperty("os.name")
          + " "
          + System.getProperty("os.version")
          + ", "
          + System.getProperty("os.arch")
    };
  }
}
