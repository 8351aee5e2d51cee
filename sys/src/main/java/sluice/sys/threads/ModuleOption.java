package sluice.sys.threads;

/// Options of the JVM that name a module, as messages advise them. Stateless: any thread may call.
public final class ModuleOption {
  private ModuleOption() {}

  /// Returns an option that opens, exports or grants something to the module of a class. On the
  /// class path a class belongs to no named module, and the option takes `ALL-UNNAMED`.
  ///
  /// @param option with what it opens, such as `--add-opens java.base/java.lang`
  /// @param user the class that needs it
  public static String to(String option, Class<?> user) {
    return option + "=" + moduleOf(user);
  }

  /// Returns the name by which options of the JVM name the module of a class.
  public static String moduleOf(Class<?> user) {
    Module module = user.getModule();
    return module.isNamed() ? module.getName() : "ALL-UNNAMED";
  }
}
