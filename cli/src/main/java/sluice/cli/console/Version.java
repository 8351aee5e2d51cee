package sluice.cli.console;

import picocli.CommandLine;
import sluice.host.life.BuildVersion;

/// The information that is required in a bug report, which includes the version, the commit, the
/// Java version and the kernel. This class is thread-safe.
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
