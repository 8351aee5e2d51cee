package sluice.host.life;

/// The version and commit of this build. Thread-safe.
public final class BuildVersion {
  /// The environment variable set by the launcher, which gets the commit from git or the package.
  private static final String COMMIT = "SLUICE_COMMIT";

  private BuildVersion() {}

  /// Returns the version of the module; `(not packaged)` if it is not in a jar.
  public static String version() {
    return BuildVersion.class.getModule().isNamed()
        ? BuildVersion.class.getModule().getDescriptor().rawVersion().orElse("(not packaged)")
        : "(not packaged)";
  }

  /// Returns the commit as hexadecimal digits, with `-dirty` if the tree had changes; `unknown` if
  /// the launcher has not set it.
  public static String commit() {
    String commit = System.getenv(COMMIT);
    return commit != null && commit.matches("[0-9a-f]{7,40}(-dirty)?") ? commit : "unknown";
  }
}
