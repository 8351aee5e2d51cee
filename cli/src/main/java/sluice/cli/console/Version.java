package sluice.cli.console;

import picocli.CommandLine;
import sluice.host.life.BuildVersion;

/// What a report of a fault has to say: version and commit, Java, kernel. Any thread may ask.
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
