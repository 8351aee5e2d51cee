package sluice.domain.inside;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.security.Provider;
import java.util.Map;
import java.util.Objects;
import javax.management.MBeanServer;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.InsteadOf.Kind;

/// Substitutes for JVM-wide settings that are also changed by harmless code. A domain has its own
/// value, which it can read back, and the JVM's value does not change. Each domain defines a copy,
/// like [Substitutes]. Any thread may call.
public final class SettingSubstitutes {
  private static final Home HOME = Inside.home(SettingSubstitutes.class);
  private static final String LOG_WRITER = "DriverManager.setLogWriter";
  private static final String LOG_STREAM = "DriverManager.setLogStream";
  private static final String LOGIN_TIMEOUT = "DriverManager.setLoginTimeout";
  private static final String USE_CACHE = "ImageIO.setUseCache";
  private static final String CACHE_DIRECTORY = "ImageIO.setCacheDirectory";

  private SettingSubstitutes() {}

  private static void set(String name, @Nullable Object value) {
    if (value == null) {
      HOME.settings().remove(name);
    } else {
      HOME.settings().put(name, value);
    }
  }

  @InsteadOf("java/sql/DriverManager.setLogWriter")
  public static void logWriter(@Nullable PrintWriter writer) {
    set(LOG_WRITER, writer);
    set(LOG_STREAM, null);
  }

  @InsteadOf("java/sql/DriverManager.getLogWriter")
  public static @Nullable PrintWriter logWriter() {
    return (PrintWriter) HOME.settings().get(LOG_WRITER);
  }

  @InsteadOf("java/sql/DriverManager.setLogStream")
  public static void logStream(@Nullable PrintStream stream) {
    set(LOG_STREAM, stream);
    set(LOG_WRITER, stream == null ? null : new PrintWriter(stream, true, stream.charset()));
  }

  @InsteadOf("java/sql/DriverManager.getLogStream")
  public static @Nullable PrintStream logStream() {
    return (PrintStream) HOME.settings().get(LOG_STREAM);
  }

  @InsteadOf("java/sql/DriverManager.println")
  public static void log(String line) {
    PrintWriter to = logWriter();
    if (to != null) {
      to.println(line);
      to.flush();
    }
  }

  @InsteadOf("java/sql/DriverManager.setLoginTimeout")
  public static void loginTimeout(int seconds) {
    set(LOGIN_TIMEOUT, seconds);
  }

  @InsteadOf("java/sql/DriverManager.getLoginTimeout")
  public static int loginTimeout() {
    return (Integer) HOME.settings().getOrDefault(LOGIN_TIMEOUT, 0);
  }

  @InsteadOf("javax/imageio/ImageIO.setUseCache")
  public static void useCache(boolean use) {
    set(USE_CACHE, use);
  }

  @InsteadOf("javax/imageio/ImageIO.getUseCache")
  public static boolean useCache() {
    return (Boolean) HOME.settings().getOrDefault(USE_CACHE, true);
  }

  @InsteadOf("javax/imageio/ImageIO.setCacheDirectory")
  public static void cacheDirectory(@Nullable File directory) {
    if (directory != null && !directory.isDirectory()) {
      throw new IllegalArgumentException("Not a directory!");
    }
    set(CACHE_DIRECTORY, directory);
  }

  @InsteadOf("javax/imageio/ImageIO.getCacheDirectory")
  public static @Nullable File cacheDirectory() {
    return (File) HOME.settings().get(CACHE_DIRECTORY);
  }

  @InsteadOf("javax/management/MBeanServerFactory.releaseMBeanServer")
  public static void release(MBeanServer server) {
    Objects.requireNonNull(server);
  }

  /// Returns the provider if its class belongs to the domain. A provider of the JVM is a table to
  /// which any code may write, so a domain may only write to its own providers.
  private static Provider own(Provider provider) {
    if (!(provider.getClass().getClassLoader() instanceof InsideLoader)) {
      throw new SecurityException(
          "changing provider "
              + provider.getName()
              + ". Why: it is that of the whole JVM. Fix: give a provider of the domain's own class"
              + " to getInstance");
    }
    return provider;
  }

  @InsteadOf(value = "java/security/Provider.put", kind = Kind.RECEIVER)
  public static @Nullable Object put(Provider provider, Object key, Object value) {
    return own(provider).put(key, value);
  }

  @InsteadOf(value = "java/security/Provider.putIfAbsent", kind = Kind.RECEIVER)
  public static @Nullable Object putIfAbsent(Provider provider, Object key, Object value) {
    return own(provider).putIfAbsent(key, value);
  }

  @InsteadOf(value = "java/security/Provider.putAll", kind = Kind.RECEIVER)
  public static void putAll(Provider provider, Map<?, ?> values) {
    own(provider).putAll(values);
  }

  @InsteadOf(value = "java/security/Provider.replace", kind = Kind.RECEIVER)
  public static @Nullable Object replace(Provider provider, Object key, Object value) {
    return own(provider).replace(key, value);
  }

  @InsteadOf(value = "java/security/Provider.remove", kind = Kind.RECEIVER)
  public static @Nullable Object remove(Provider provider, Object key) {
    return own(provider).remove(key);
  }

  @InsteadOf(value = "java/security/Provider.clear", kind = Kind.RECEIVER)
  public static void clear(Provider provider) {
    own(provider).clear();
  }

  @InsteadOf(value = "java/security/Provider.load", kind = Kind.RECEIVER)
  public static void load(Provider provider, InputStream from) throws IOException {
    own(provider).load(from);
  }

  /// Prints to the domain's stream, because `java.lang.IO` would use the streams of the JVM.
  @InsteadOf("java/lang/IO.println")
  public static void println(@Nullable Object text) {
    HOME.out().println(text);
    HOME.out().flush();
  }

  @InsteadOf("java/lang/IO.println")
  public static void println() {
    HOME.out().println();
    HOME.out().flush();
  }

  @InsteadOf("java/lang/IO.print")
  public static void print(@Nullable Object text) {
    HOME.out().print(text);
    HOME.out().flush();
  }

  @InsteadOf("java/lang/IO.readln")
  public static @Nullable String readln(String prompt) throws IOException {
    print(prompt);
    return readln();
  }

  /// Reads a line byte by byte, so that the following bytes remain in the stream.
  @InsteadOf("java/lang/IO.readln")
  public static @Nullable String readln() throws IOException {
    InputStream in = HOME.in();
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int next = in.read();
    if (next < 0) {
      return null;
    }
    while (next >= 0 && next != '\n') {
      line.write(next);
      next = in.read();
    }
    String text = line.toString(Charset.defaultCharset());
    return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
  }
}
