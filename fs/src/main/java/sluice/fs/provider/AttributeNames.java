package sluice.fs.provider;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import sluice.fs.AttributeChange;

/// Reads and sets file attributes by name, using the syntax `view:name,name` or `view:*`. This
/// class is stateless and thread-safe.
final class AttributeNames {
  private static final Map<String, Function<TreeAttributes, Object>> BASIC = new LinkedHashMap<>();
  private static final Map<String, Function<TreeAttributes, Object>> POSIX;
  private static final Map<String, Function<TreeAttributes, Object>> UNIX;

  static {
    BASIC.put("size", TreeAttributes::size);
    BASIC.put("creationTime", TreeAttributes::creationTime);
    BASIC.put("lastAccessTime", TreeAttributes::lastAccessTime);
    BASIC.put("lastModifiedTime", TreeAttributes::lastModifiedTime);
    BASIC.put("isDirectory", TreeAttributes::isDirectory);
    BASIC.put("isRegularFile", TreeAttributes::isRegularFile);
    BASIC.put("isSymbolicLink", TreeAttributes::isSymbolicLink);
    BASIC.put("isOther", TreeAttributes::isOther);
    BASIC.put("fileKey", TreeAttributes::fileKey);
    POSIX = new LinkedHashMap<>(BASIC);
    POSIX.put("permissions", TreeAttributes::permissions);
    POSIX.put("owner", TreeAttributes::owner);
    POSIX.put("group", TreeAttributes::group);
    UNIX = new LinkedHashMap<>(POSIX);
    UNIX.put("mode", a -> a.file().mode());
    UNIX.put("ino", a -> a.file().inode());
    UNIX.put("dev", TreeAttributes::device);
    UNIX.put("rdev", a -> (long) a.file().deviceMajor() << 8 | a.file().deviceMinor());
    UNIX.put("nlink", a -> a.file().links());
    UNIX.put("uid", a -> a.file().uid());
    UNIX.put("gid", a -> a.file().gid());
    UNIX.put("ctime", a -> TreeAttributes.time(a.file().changeNanos()));
  }

  private AttributeNames() {}

  /// A parsed attribute string, which consists of a view and the names of one or more of its
  /// attributes.
  private record Parsed(String view, String names) {
    static Parsed of(String text) {
      int colon = text.indexOf(':');
      String view = colon < 0 ? "basic" : text.substring(0, colon);
      if (!TreeFileSystem.VIEWS.contains(view)) {
        throw new UnsupportedOperationException("there is no view '" + view + "'");
      }
      return new Parsed(view, text.substring(colon + 1));
    }

    IllegalArgumentException unknown(String name) {
      return new IllegalArgumentException("view '" + view + "' has no '" + name + "'");
    }

    Set<String> each(Set<String> all) {
      Set<String> each = new LinkedHashSet<>();
      for (String name : names.split(",", -1)) {
        if (name.isEmpty()) {
          throw new IllegalArgumentException("no attribute is named in '" + names + "'");
        }
        if (name.equals("*")) {
          each.addAll(all);
        } else {
          each.add(name);
        }
      }
      return each;
    }
  }

  static Map<String, Object> read(PathAt place, String text, boolean follow) throws IOException {
    Parsed parsed = Parsed.of(text);
    if (parsed.view.equals("user")) {
      return readUser(new UserAttributes(place, follow), parsed);
    }
    Map<String, Function<TreeAttributes, Object>> known =
        switch (parsed.view) {
          case "unix" -> UNIX;
          case "posix" -> POSIX;
          case "owner" -> Map.of("owner", TreeAttributes::owner);
          default -> BASIC;
        };
    Set<String> names = parsed.each(known.keySet());
    names.stream()
        .filter(name -> !known.containsKey(name))
        .findFirst()
        .ifPresent(name -> {
          throw parsed.unknown(name);
        });
    TreeAttributes attributes = new AttributeView("posix", place, follow).readAttributes();
    Map<String, Object> values = new LinkedHashMap<>();
    for (String name : names) {
      Function<TreeAttributes, Object> value = known.get(name);
      if (value != null) {
        values.put(name, value.apply(attributes));
      }
    }
    return values;
  }

  private static Map<String, Object> readUser(UserAttributes view, Parsed parsed)
      throws IOException {
    Map<String, Object> values = new LinkedHashMap<>();
    for (String name : parsed.each(new LinkedHashSet<>(view.list()))) {
      values.put(name, view.value(name));
    }
    return values;
  }

  /// Sets an attribute.
  ///
  /// @throws ClassCastException if the value has the wrong type
  static void set(PathAt place, String text, @Nullable Object value, boolean follow)
      throws IOException {
    Parsed parsed = Parsed.of(text);
    if (value == null) {
      throw new NullPointerException("the value of " + text);
    }
    if (parsed.view.equals("user")) {
      ByteBuffer bytes =
          value instanceof byte[] array ? ByteBuffer.wrap(array) : (ByteBuffer) value;
      int written = new UserAttributes(place, follow).write(parsed.names, bytes);
      assert written >= 0;
      return;
    }
    AttributeView view = new AttributeView(parsed.view, place, follow);
    String allowed =
        switch (parsed.view) {
          case "basic" -> "lastModifiedTime lastAccessTime creationTime";
          case "owner" -> "owner";
          case "posix" -> "lastModifiedTime lastAccessTime creationTime owner group permissions";
          default ->
              "lastModifiedTime lastAccessTime creationTime owner group permissions mode uid gid";
        };
    if (!Set.of(allowed.split(" ", -1)).contains(parsed.names)) {
      throw parsed.unknown(parsed.names);
    }
    set(view, parsed.names, value);
  }

  private static void set(AttributeView view, String name, Object value) throws IOException {
    AttributeChange none = AttributeChange.NONE;
    switch (name) {
      case "lastModifiedTime" -> view.setTimes((FileTime) value, null, null);
      case "lastAccessTime" -> view.setTimes(null, (FileTime) value, null);
      case "creationTime" -> view.setTimes(null, null, (FileTime) value);
      case "owner" -> view.setOwner((UserPrincipal) value);
      case "group" -> view.setGroup((GroupPrincipal) value);
      case "permissions" -> view.change(none.withMode(NewAttributes.bits((Set<?>) value)));
      case "mode" -> view.change(none.withMode((Integer) value));
      case "uid" -> view.change(none.withOwner((Integer) value));
      default -> view.change(none.withGroup((Integer) value));
    }
  }
}
