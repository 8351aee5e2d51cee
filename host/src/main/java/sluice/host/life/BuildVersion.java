package sluice.host.life;

/// The version and commit that this program was built from. Any thread may ask.
public final class BuildVersion {
  /// Set by the launcher, which asks git or the package.
  private static final String COMMIT = "SLUICE_COMMIT";

  private BuildVersion() {}

  /// Returns the version of the module; `(not packaged)` if it is in no jar.
  public static String version() {
    return BuildVersion.class.getModule().isNamed()
        ? BuildVersion.class.getModule().getDescriptor().rawVersion().orElse("(not packaged)")
        : "(not packaged)";
  }

  /// Returns the commit in hexadecimal digits, with `-dirty` if the tree had changes; `unknown` if
  /// the launcher did not say it.
  public static String commit() {
    String commit = System.getenv(COMMIT);
    return commit != null && commit.matches("[0-9a-f]{7,40}(-dirty)?") ? commit : "unknown";
  }
}
