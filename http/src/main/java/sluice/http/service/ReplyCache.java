package sluice.http.service;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import sluice.http.reply.Resource;
import sluice.memory.View;

/// A cache of one loop's ready replies by request path and content coding, with eviction of the
/// least recently used. Owned by the loop's thread.
///
/// All entries of one path have the same set of available codings.
///
/// Keys are paths as they were sent, so a lookup decodes nothing. Hashes are seeded per cache, so
/// that a client cannot choose colliding paths. A lookup allocates nothing.
final class ReplyCache {
  private static final long MIX = 0x9e37_79b9_7f4a_7c15L;

  private final long seed = ThreadLocalRandom.current().nextLong();
  private final long limitBytes;
  private @Nullable Resource[] table = new Resource[256];
  private int count;
  private int openFiles;
  private long usedBytes;
  private @Nullable Resource newest;
  private @Nullable Resource oldest;
  private long evictions;

  /// @param limitBytes bodies, heads and keys together; 0 keeps nothing
  ReplyCache(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /// Returns the number of kept resources that hold a file open.
  int openFiles() {
    return openFiles;
  }

  int count() {
    return count;
  }

  long usedBytes() {
    return usedBytes;
  }

  long evictions() {
    return evictions;
  }

  /// Returns the hash of the bytes `[from, to)` of a view. The view has at least eight more bytes,
  /// as every request line has after its path.
  long hash(View view, int from, int to) {
    long h = seed ^ (to - from);
    int i = from;
    for (; i + Long.BYTES <= to; i += Long.BYTES) {
      h = mix(h ^ view.getLong(i));
    }
    if (i < to) {
      h = mix(h ^ tail(view, i, to));
    }
    return h;
  }

  /// Returns any resource that is kept for a path, or null.
  @Nullable Resource lookup(View view, int from, int to) {
    long hash = hash(view, from, to);
    Resource resource = table[slot(hash)];
    while (resource != null) {
      if (resource.hash == hash && resource.pathEquals(view, from, to)) {
        return resource;
      }
      resource = resource.chain;
    }
    return null;
  }

  /// Returns the resource that is kept for the path of `like` in a coding, or null.
  @Nullable Resource find(Resource like, int coding) {
    Resource resource = table[slot(like.hash)];
    while (resource != null) {
      if (resource.coding == coding && samePath(resource, like)) {
        return resource;
      }
      resource = resource.chain;
    }
    return null;
  }

  private static boolean samePath(Resource one, Resource other) {
    return one.hash == other.hash && Arrays.equals(one.path, other.path);
  }

  /// Keeps a resource. It replaces the one for its path and coding, and all of its path with
  /// another set of codings. The cache's lease on its reply ends when it is evicted. A resource
  /// larger than an eighth of the cache is refused.
  ///
  /// @param hash of its path
  /// @return true if it is kept
  boolean insert(Resource resource, long hash) {
    resource.hash = hash;
    long bytes = resource.chargedBytes();
    if (bytes > limitBytes / 8) {
      return false;
    }
    removeOutdated(resource);
    while (usedBytes + bytes > limitBytes && oldest != null) {
      evictions++;
      remove(oldest);
    }
    if (count >= table.length) {
      grow();
    }
    int slot = slot(resource.hash);
    resource.chain = table[slot];
    table[slot] = resource;
    resource.cached = true;
    count++;
    openFiles += resource.streamed() ? 1 : 0;
    usedBytes += bytes;
    linkNewest(resource);
    return true;
  }

  /// Removes a resource and ends the cache's lease on it. Does nothing if it is not kept.
  void remove(Resource resource) {
    if (!resource.cached) {
      return;
    }
    resource.cached = false;
    int slot = slot(resource.hash);
    Resource at = table[slot];
    if (at == resource) {
      table[slot] = resource.chain;
    } else {
      while (at != null && at.chain != resource) {
        at = at.chain;
      }
      if (at != null) {
        at.chain = resource.chain;
      }
    }
    resource.chain = null;
    count--;
    openFiles -= resource.streamed() ? 1 : 0;
    usedBytes -= resource.chargedBytes();
    unlink(resource);
    resource.release();
  }

  void clear() {
    while (oldest != null) {
      remove(oldest);
    }
  }

  private void removeOutdated(Resource by) {
    Resource resource = table[slot(by.hash)];
    while (resource != null) {
      Resource next = resource.chain;
      boolean outdated = resource.coding == by.coding || resource.codings != by.codings;
      if (outdated && samePath(resource, by)) {
        remove(resource);
      }
      resource = next;
    }
  }

  /// Marks a kept resource as used, so that it is evicted last.
  void use(Resource resource) {
    if (newest != resource) {
      unlink(resource);
      linkNewest(resource);
    }
  }

  private void linkNewest(Resource resource) {
    resource.older = newest;
    resource.newer = null;
    if (newest != null) {
      newest.newer = resource;
    } else {
      oldest = resource;
    }
    newest = resource;
  }

  private void unlink(Resource resource) {
    Resource older = resource.older;
    Resource newer = resource.newer;
    if (older == null) {
      oldest = newer;
    } else {
      older.newer = newer;
    }
    if (newer == null) {
      newest = older;
    } else {
      newer.older = older;
    }
    resource.older = null;
    resource.newer = null;
  }

  private int slot(long hash) {
    return (int) (hash >>> 32) & (table.length - 1);
  }

  private void grow() {
    @Nullable Resource[] before = table;
    table = new Resource[before.length * 2];
    for (Resource first : before) {
      Resource resource = first;
      while (resource != null) {
        Resource next = resource.chain;
        int slot = slot(resource.hash);
        resource.chain = table[slot];
        table[slot] = resource;
        resource = next;
      }
    }
  }

  /// Returns the bytes `[from, to)`, fewer than eight, as the low bytes of a long.
  private static long tail(View view, int from, int to) {
    return view.getLong(from) & (-1L >>> (Long.SIZE - ((to - from) << 3)));
  }

  private static long mix(long x) {
    long h = x * MIX;
    return h ^ (h >>> 32);
  }
}
