package sluice.http.files;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import sluice.http.site.SitePath;
import sluice.sys.CacheStat;
import sluice.sys.Errno;

/// A file system with inotify in memory. Tests change it at chosen steps of a fill.
///
/// Single-threaded. Its clock moves a second with every change, so that nothing is ever fresh
/// unless [#fineTime] is set.
public final class FileMemory implements SiteFiles, WatchSource, FileClock {
  /// Moments at which a test may interfere, once each.
  public enum Step {
    BEFORE_OPEN,
    AFTER_OPEN,
    BEFORE_STATUS,
    BEFORE_READ,
    MID_READ,
    AFTER_READ,
    BEFORE_WATCH,
    PAUSE
  }

  public static final class Inode {
    final long number;
    final int kind;
    final Map<String, Inode> entries = new TreeMap<>();
    public byte[] content = {};
    public byte @Nullable [] coming;
    @Nullable String target;
    int links = 1;
    int mode = 0644;
    long modified;
    long changed;
    public boolean blind;

    Inode(long number, int kind) {
      this.number = number;
      this.kind = kind;
    }
  }

  private static final long SECOND_NANOS = 1_000_000_000L;

  record Event(int wd, int mask, String name) {}

  final Inode root = new Inode(1, FileStatus.DIRECTORY);
  final Map<Step, Queue<Runnable>> hooks = new EnumMap<>(Step.class);
  public final Map<Integer, Inode> open = new HashMap<>();
  final Map<Integer, Inode> watched = new LinkedHashMap<>();
  final Queue<Event> events = new ArrayDeque<>();
  public int mostWatches = 1000;
  public boolean blind;
  public boolean fineTime;

  /// Stamps are cut to seconds, as by ext4 with small inodes.
  boolean wholeSeconds;

  public BooleanSupplier residence = () -> true;

  /// Called at every step: here time may pass.
  public Runnable moment = () -> {};

  long now = 1_700_000_000L * 1_000_000_000L;
  long paused;
  int statusCalls;
  int reads;
  private long lastInode = 1;
  private int lastWatch;
  private int lastFd = 100;

  public void at(Step step, Runnable action) {
    hooks.computeIfAbsent(step, key -> new ArrayDeque<>()).add(action);
  }

  private void reach(Step step) {
    moment.run();
    Queue<Runnable> queue = hooks.get(step);
    Runnable action = queue == null ? null : queue.poll();
    if (action != null) {
      action.run();
    }
  }

  // Changes, each as one system call.

  Inode mkdirs(String path) {
    Inode at = root;
    for (String name : names(path)) {
      Inode next = at.entries.get(name);
      if (next == null) {
        next = create(at, name, FileStatus.DIRECTORY);
      }
      at = next;
    }
    return at;
  }

  public void write(String path, String content) {
    write(path, content.getBytes(StandardCharsets.UTF_8));
  }

  /// Creates the file or rewrites it in place.
  public void write(String path, byte[] content) {
    Inode directory = mkdirs(parent(path));
    Inode file = directory.entries.get(last(path));
    if (file == null) {
      file = create(directory, last(path), FileStatus.REGULAR);
    }
    finish(file);
    file.content = content.clone();
    stamp(file);
    emit(file, IN_MODIFY);
  }

  /// Begins to rewrite in place: times set, half of the bytes copied. Ends by [FileHandle#settle],
  /// as if the reader had waited for the writer's lock.
  public void beginWrite(String path, byte[] content) {
    Inode file = find(path);
    if (file == null || file.coming != null || file.content.length != content.length) {
      return;
    }
    stamp(file);
    file.coming = content.clone();
    file.content = file.content.clone();
    System.arraycopy(content, 0, file.content, 0, content.length / 2);
  }

  public void finish(Inode file) {
    byte[] coming = file.coming;
    if (coming != null) {
      file.coming = null;
      file.content = coming;
      emit(file, IN_MODIFY);
    }
  }

  public void rename(String from, String to) {
    Inode source = find(parent(from));
    Inode moved = find(from);
    Inode target = mkdirs(parent(to));
    if (source == null || moved == null) {
      return;
    }
    Inode replaced = target.entries.get(last(to));
    source.entries.remove(last(from));
    target.entries.put(last(to), moved);
    moved.changed = tick();
    emit(source, IN_MOVED_FROM, last(from));
    emit(target, IN_MOVED_TO, last(to));
    emit(moved, IN_MOVE_SELF);
    if (replaced != null) {
      unlinked(replaced);
    }
  }

  public void unlink(String path) {
    Inode directory = find(parent(path));
    Inode gone = directory == null ? null : directory.entries.remove(last(path));
    if (directory != null && gone != null) {
      emit(directory, IN_DELETE, last(path));
      unlinked(gone);
    }
  }

  public void link(String from, String to) {
    Inode file = find(from);
    Inode directory = mkdirs(parent(to));
    if (file != null) {
      file.links++;
      file.changed = tick();
      directory.entries.put(last(to), file);
      emit(file, IN_ATTRIB);
      emit(directory, IN_CREATE, last(to));
    }
  }

  void chmod(String path, int mode) {
    Inode inode = find(path);
    Inode directory = find(parent(path));
    if (inode != null && directory != null) {
      inode.mode = mode;
      inode.changed = tick();
      emit(inode, IN_ATTRIB);
      emit(directory, IN_ATTRIB, last(path));
    }
  }

  void symlink(String path, String target) {
    create(mkdirs(parent(path)), last(path), FileStatus.SYMLINK).target = target;
  }

  void fifo(String path) {
    create(mkdirs(parent(path)), last(path), FileStatus.OTHER);
  }

  public void overflow() {
    events.clear();
    events.add(new Event(-1, IN_Q_OVERFLOW, ""));
  }

  private Inode create(Inode directory, String name, int kind) {
    Inode made = new Inode(++lastInode, kind);
    made.blind = directory.blind;
    stamp(made);
    directory.entries.put(name, made);
    emit(directory, IN_CREATE, name);
    return made;
  }

  private void unlinked(Inode inode) {
    inode.links--;
    inode.changed = tick();
    emit(inode, IN_ATTRIB);
    if (inode.links == 0 || inode.kind == FileStatus.DIRECTORY) {
      emit(inode, IN_DELETE_SELF);
      emit(inode, IN_IGNORED);
      watched.values().removeIf(other -> other == inode);
    }
  }

  private void stamp(Inode inode) {
    inode.modified = tick();
    if (wholeSeconds) {
      inode.modified -= inode.modified % 1_000_000_000L;
    }
    inode.changed = inode.modified;
  }

  private long tick() {
    now += fineTime ? 1_000 : 1_000_000_000L;
    return now;
  }

  private void emit(Inode inode, int mask) {
    emit(inode, mask, "");
  }

  private void emit(Inode inode, int mask, String name) {
    for (Map.Entry<Integer, Inode> watch : watched.entrySet()) {
      int wanted =
          inode.kind == FileStatus.DIRECTORY ? WatchSource.DIRECTORY_MASK : WatchSource.FILE_MASK;
      if (watch.getValue() == inode && (mask & (wanted | IN_IGNORED)) != 0) {
        events.add(new Event(watch.getKey(), mask, name));
      }
    }
  }

  public @Nullable Inode find(String path) {
    Inode at = root;
    for (String name : names(path)) {
      at = at == null ? null : at.entries.get(name);
    }
    return at;
  }

  private static List<String> names(String path) {
    return Arrays.stream(path.split("/")).filter(name -> !name.isEmpty()).toList();
  }

  private static String parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash < 0 ? "" : path.substring(0, slash);
  }

  private static String last(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  // SiteFiles

  private record Found(int errno, @Nullable Inode inode, boolean symlink) {}

  private Found follow(SitePath path) {
    Inode at = root;
    boolean symlink = false;
    for (int i = 0; i < path.names(); i++) {
      if (at.kind != FileStatus.DIRECTORY) {
        return new Found(Errno.ENOTDIR, null, symlink);
      }
      Inode next = at.entries.get(new String(path.name(i), StandardCharsets.UTF_8));
      if (next != null && next.target != null) {
        symlink = true;
        if (next.target.startsWith("..")) {
          return new Found(Errno.EXDEV, null, true);
        }
        next = find(next.target);
      }
      if (next == null) {
        return new Found(Errno.ENOENT, null, symlink);
      }
      at = next;
    }
    return new Found(0, at, symlink);
  }

  @Override
  public Opened open(SitePath path) {
    reach(Step.BEFORE_OPEN);
    Found found = follow(path);
    Inode inode = found.inode();
    if (inode == null) {
      return Opened.failed(found.errno(), found.symlink());
    }
    if (inode.mode == 0) {
      return Opened.failed(Errno.EACCES, found.symlink());
    }
    if (inode.kind == FileStatus.OTHER) {
      return Opened.failed(ENXIO, found.symlink());
    }
    open.put(++lastFd, inode);
    Handle handle = new Handle(lastFd, inode);
    FileStatus status = new FileStatus();
    describe(inode, status);
    reach(Step.AFTER_OPEN);
    return new Opened(0, handle, found.symlink(), status);
  }

  @Override
  public int status(SitePath path, FileStatus into) {
    statusCalls++;
    Found found = follow(path);
    Inode inode = found.inode();
    if (inode == null) {
      return -found.errno();
    }
    describe(inode, into);
    return 0;
  }

  @Override
  public int entryStatus(SitePath path, FileStatus into) {
    byte[] last = path.name(path.names() - 1);
    Inode directory = path.names() == 1 ? root : follow(path.prefix(path.names() - 1)).inode();
    Inode inode =
        directory == null ? null : directory.entries.get(new String(last, StandardCharsets.UTF_8));
    if (inode == null) {
      return -Errno.ENOENT;
    }
    describe(inode, into);
    into.kind = inode.target != null ? FileStatus.SYMLINK : inode.kind;
    return 0;
  }

  private static void describe(Inode inode, FileStatus into) {
    into.kind = inode.kind;
    into.mode = inode.mode;
    into.links = inode.links;
    into.inode = inode.number;
    into.sizeBytes = inode.content.length;
    into.modifiedSeconds = Math.floorDiv(inode.modified, SECOND_NANOS);
    into.modifiedNanos = (int) Math.floorMod(inode.modified, SECOND_NANOS);
    into.changedSeconds = Math.floorDiv(inode.changed, SECOND_NANOS);
    into.changedNanos = (int) Math.floorMod(inode.changed, SECOND_NANOS);
  }

  @Override
  public Listed list(SitePath directory, int limit, Filter filter) {
    Inode inode = follow(directory).inode();
    if (inode == null) {
      return Listed.failed(Errno.ENOENT);
    }
    FirstEntries first = new FirstEntries(limit, filter);
    inode.entries.forEach(
        (name, each) -> first.offer(name.getBytes(StandardCharsets.UTF_8), each.kind));
    List<Entry> entries = new ArrayList<>();
    for (FirstEntries.Name each : first.sorted()) {
      FileStatus status = new FileStatus();
      describe(
          Objects.requireNonNull(
              inode.entries.get(new String(each.name(), StandardCharsets.UTF_8))),
          status);
      entries.add(new Entry(each.name(), status));
    }
    return new Listed(0, entries, first.more());
  }

  @Override
  public @Nullable String shortcoming() {
    return null;
  }

  private final class Handle implements FileHandle {
    private final int fd;
    private final Inode inode;

    Handle(int fd, Inode inode) {
      this.fd = fd;
      this.inode = inode;
    }

    @Override
    public int fd() {
      return fd;
    }

    @Override
    public int status(FileStatus into) {
      reach(Step.BEFORE_STATUS);
      describe(inode, into);
      return 0;
    }

    @Override
    public int read(MemorySegment target, long offset, int length, long position) {
      reads++;
      reach(Step.BEFORE_READ);
      int half = copy(target, offset, Math.max(1, length / 2), position);
      reach(Step.MID_READ);
      int rest = half == 0 ? 0 : copy(target, offset + half, length - half, position + half);
      reach(Step.AFTER_READ);
      return half + rest;
    }

    private int copy(MemorySegment target, long offset, int length, long position) {
      int count = (int) Math.max(0, Math.min(length, inode.content.length - position));
      if (count == 0) {
        return 0; // perhaps from behind the end
      }
      MemorySegment.copy(
          inode.content, (int) position, target, ValueLayout.JAVA_BYTE, offset, count);
      return count;
    }

    @Override
    public boolean resident(long position, long length, CacheStat scratch) {
      return residence.getAsBoolean();
    }

    @Override
    public void settle() {
      finish(inode);
    }

    @Override
    public void close() {
      if (open.remove(fd) == null) {
        throw new AssertionError("closed twice: " + fd);
      }
    }
  }

  // WatchSource

  private Sink sink = (wd, mask, name, from, length) -> {};

  @Override
  public void deliverTo(Sink to) {
    sink = to;
  }

  @Override
  public int openRoot(Above above) {
    return 0;
  }

  @Override
  public int openDirectory(SitePath directory) {
    Found found = follow(directory);
    Inode inode = found.inode();
    if (found.symlink()) {
      return -Errno.ELOOP;
    }
    if (inode == null || inode.kind != FileStatus.DIRECTORY) {
      reach(Step.BEFORE_WATCH);
      return inode == null ? -found.errno() : -Errno.ENOTDIR;
    }
    open.put(++lastFd, inode);
    int fd = lastFd;
    reach(Step.BEFORE_WATCH);
    return fd;
  }

  @Override
  public void closeDirectory(int fd) {
    if (open.remove(fd) == null) {
      throw new AssertionError("closed twice: " + fd);
    }
  }

  @Override
  public boolean sees(int fd) {
    Inode inode = open.get(fd);
    return !blind && inode != null && !inode.blind;
  }

  @Override
  public int add(int fd, int mask) {
    Inode inode = open.get(fd);
    for (Map.Entry<Integer, Inode> watch : watched.entrySet()) {
      if (watch.getValue() == inode) {
        return watch.getKey();
      }
    }
    if (inode == null || watched.size() >= mostWatches) {
      return -Errno.ENOSPC;
    }
    watched.put(++lastWatch, inode);
    return lastWatch;
  }

  @Override
  public void remove(int wd) {
    if (watched.remove(wd) != null) {
      events.add(new Event(wd, IN_IGNORED, ""));
    }
  }

  @Override
  public int read() {
    int count = 0;
    for (Event event = events.poll(); event != null; event = events.poll()) {
      byte[] name = event.name().getBytes(StandardCharsets.UTF_8);
      sink.event(event.wd(), event.mask(), name, 0, name.length);
      count++;
    }
    return count;
  }

  @Override
  public void close() {}

  // FileClock

  @Override
  public long nowNanos() {
    return fineTime ? now : now + 10_000_000_000L;
  }

  @Override
  public void pause(long nanos) {
    reach(Step.PAUSE);
    paused += nanos;
    now += nanos;
  }
}
