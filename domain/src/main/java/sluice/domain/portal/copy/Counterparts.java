package sluice.domain.portal.copy;

/// The receiver's classes of the same names as the sender's. A class of the JDK is its own. Any
/// thread may use it.
final class Counterparts {
  private final ClassLoader receiver;

  /// @param receiver defines the classes of the copies
  Counterparts(ClassLoader receiver) {
    this.receiver = receiver;
  }

  static boolean isOfJdk(Class<?> type) {
    ClassLoader loader = type.getClassLoader();
    return loader == null || loader == ClassLoader.getPlatformClassLoader();
  }

  /// The receiver's class of the same name.
  ///
  /// @throws CopyRefused if it has none
  Class<?> of(Class<?> type) {
    if (type.isPrimitive()) {
      return type;
    }
    if (type.isArray()) {
      return of(type.getComponentType()).arrayType();
    }
    try {
      return Class.forName(type.getName(), false, receiver);
    } catch (ClassNotFoundException | LinkageError e) {
      throw new CopyRefused(
          CopyRefused.Reason.MISMATCH,
          type.getTypeName(),
          "the receiver has no class of that name.",
          "put the class into the receiver's class path.",
          e);
    }
  }
}
