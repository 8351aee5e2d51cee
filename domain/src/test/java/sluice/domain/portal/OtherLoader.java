package sluice.domain.portal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.function.Predicate;

/// Defines test classes again, as a plug-in's loader does with classes of the same name.
public final class OtherLoader extends ClassLoader {
  private final Predicate<String> own;

  /// @param own returns true for classes that it defines itself
  public OtherLoader(Predicate<String> own) {
    super(OtherLoader.class.getClassLoader());
    this.own = own;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      if (!own.test(name)) {
        return super.loadClass(name, resolve);
      }
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        byte[] code = in.readAllBytes();
        return defineClass(name, code, 0, code.length);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
