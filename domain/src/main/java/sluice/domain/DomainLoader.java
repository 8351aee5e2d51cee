package sluice.domain;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MutableCallSite;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.Home;
import sluice.domain.inside.Inside;
import sluice.domain.inside.InsideLoader;
import sluice.domain.schedule.Scheduler;
import sluice.domain.translate.Translator;

/// The class loader of one domain, which defines translated classes. Any thread may call.
///
/// Classes of the JDK are loaded by the platform loader. The shared classes, and the classes of
/// this module that are called by translated code, are loaded by the host. All other classes are
/// loaded from the domain's class path.
final class DomainLoader extends InsideLoader {
  static {
    registerAsParallelCapable();
  }

  private static final Translator TRANSLATOR = new Translator();
  private static final ClassLoader PLATFORM = ClassLoader.getPlatformClassLoader();
  private static final String OWN = "sluice.domain.own.";
  private static final String INSIDE = Inside.class.getPackageName() + ".";
  private static final String SCHEDULE = Scheduler.class.getPackageName() + ".";
  private static final ClassLoader HOST = DomainLoader.class.getClassLoader();

  private final ClassPath path;
  private final List<String> shared;
  private final @Nullable TranslationCache cache;
  private final MutableCallSite gate;
  private final Throttle throttle;
  private final Home home;
  private final ClassLoader sharedFrom;
  private volatile boolean usesDrivers;
  private volatile boolean hasGate;

  DomainLoader(
      DomainConfig config, ClassPath path, MutableCallSite gate, Throttle throttle, Home home)
      throws IOException {
    super("domain-" + config.name(), PLATFORM);
    this.path = path;
    this.shared = config.shared();
    byte[] hash = config.cache() == null ? null : path.hash();
    cache =
        config.cache() == null || hash == null ? null : new TranslationCache(config.cache(), hash);
    this.gate = gate;
    this.throttle = throttle;
    this.home = home;
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    sharedFrom = context == null ? HOST : context;
  }

  @Override
  protected MutableCallSite gate() {
    return gate;
  }

  @Override
  protected Runnable look() {
    return throttle;
  }

  @Override
  protected Home home() {
    return home;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (name.startsWith(SCHEDULE) || (name.startsWith(INSIDE) && !name.endsWith("Substitutes"))) {
      return Class.forName(name, false, HOST);
    }
    for (String each : shared) {
      if (name.startsWith(each)) {
        return Class.forName(name, false, sharedFrom);
      }
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      if (known == null) {
        // Cached classes are never JDK classes, so the platform loader does not have to be asked
        // again.
        byte[] kept = cache == null ? null : cache.find(name.replace('.', '/'));
        known = kept == null ? ofJdk(name) : withGate(name, kept);
        JdkThreads.startFor(name);
        usesDrivers |= known != null && name.equals("java.sql.DriverManager");
      }
      return known == null ? findClass(name) : known;
    }
  }

  /// Returns a class of the JDK, or null. The platform loader also knows modules of the host, which
  /// must not be visible to a domain.
  private static @Nullable Class<?> ofJdk(String name) {
    try {
      Class<?> found = PLATFORM.loadClass(name);
      ClassLoader by = found.getClassLoader();
      return by == null || by == PLATFORM ? found : null;
    } catch (ClassNotFoundException e) {
      return null;
    }
  }

  boolean usesDrivers() {
    return usesDrivers;
  }

  /// Deregisters the domain's JDBC drivers. Called after the domain has ended.
  void deregisterDrivers() throws ReflectiveOperationException {
    loadClass(OWN + "Drivers").getMethod("deregister").invoke(null);
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    String internal = name.replace('.', '/');
    byte[] bytes = name.startsWith(OWN) ? own(internal) : component(internal);
    if (bytes == null) {
      throw new ClassNotFoundException(name);
    }
    return name.startsWith(OWN) ? defineClass(name, bytes, 0, bytes.length) : withGate(name, bytes);
  }

  /// Defines a class. The gate is initialized before the first class that calls it is defined,
  /// because there is enough stack space here, but possibly not at the first call of the gate.
  private Class<?> withGate(String name, byte[] bytes) throws ClassNotFoundException {
    if (!hasGate) {
      Class.forName(OWN + "Gate", true, this);
      hasGate = true;
    }
    return defineClass(name, bytes, 0, bytes.length);
  }

  private byte @Nullable [] own(String internal) {
    return OwnClasses.get(internal, TRANSLATOR::own);
  }

  private byte @Nullable [] component(String internal) {
    byte[] bytes = read(internal);
    if (bytes == null) {
      return null;
    }
    byte[] made = TRANSLATOR.translate(bytes, this::read);
    if (cache != null) {
      cache.keep(internal, made);
    }
    return made;
  }

  private byte @Nullable [] read(String internal) {
    return path.read(internal + ".class");
  }

  @Override
  protected @Nullable URL findResource(String name) {
    List<URL> found = path.find(name);
    return found.isEmpty() ? null : found.getFirst();
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    return Collections.enumeration(path.find(name));
  }

  @Override
  public @Nullable InputStream getResourceAsStream(String name) {
    // A URL is not used, because the URL connection cache would keep the jar open.
    byte[] bytes = path.read(name);
    return bytes == null ? super.getResourceAsStream(name) : new ByteArrayInputStream(bytes);
  }
}
