package sluice.cli.console;

import picocli.CommandLine;

/// What a report of a fault has to say: version and commit, Java, kernel. Any thread may ask.
public final class Version implements CommandLine.IVersionProvider {
  /// Set by the launcher, which asks git or the package.
  private static final String COMMIT = "SLUICE_COMMIT";

  @Override
  public String[] getVersion() {
    String version =
        Version.class.getModule().getDescriptor().rawVersion().orElse("(not packaged)");
    String commit = System.getenv(COMMIT);
    boolean isKnown = commit != null && commit.matches("[0-9a-f]{7,40}(-dirty)?");
    return new String[] {
      "sluice " + version + (isKnown ? ", commit " + commit : ", commit unknown"),
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
