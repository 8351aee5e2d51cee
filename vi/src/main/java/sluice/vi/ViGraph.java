package sluice.vi;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;

/// A view of a [ViBuffer] for graphs of objects: records whose components are primitives, strings,
/// arrays of primitives, records, and lists of these. Only one thread at a time may use it.
///
/// A graph is written into the buffer and read from it object by object, without an intermediate
/// array. An object that is reachable by two paths is stored once, and is restored as a single
/// object when it is read. The classes are determined only by the declared types, never by bytes
/// from a peer.
///
/// ```
///  reference: 0 null · 1 a new object, its content behind · -k the k-th object that was complete
///  record: its components in order · string, array, list: how many, then the elements
/// ```
///
/// Limits: the maximum depth is [#MAX_DEPTH], so cycles are not supported. The memory that reading
/// a graph requires is proportional to the number of its bytes.
public final class ViGraph<R extends Record> {
  /// The maximum length of a path of objects from the root.
  public static final int MAX_DEPTH = 64;

  private final ViewStorage storage;
  private final GraphShape shape;

  ViGraph(ViewStorage storage, Class<R> type) {
    this.storage = storage;
    shape = GraphShape.of(type, new HashMap<>());
  }

  /// Writes a graph.
  ///
  /// @param offset the offset in the buffer, in bytes
  /// @return the number of bytes written, which can be used to post a send
  /// @throws IndexOutOfBoundsException if the graph does not fit, in which case a part of it has
  ///   been written
  /// @throws IllegalArgumentException if the graph is too deep
  public int write(int offset, R root) {
    IdentityHashMap<Object, Integer> known = new IdentityHashMap<>();
    return (int) (shape.write(storage.use(), offset, root, known, 0) - offset);
  }

  /// Reads a graph.
  ///
  /// @throws ViException if the bytes are not a value of this type
  public R read(int offset) throws ViException {
    List<GraphShape.Known> known = new ArrayList<>();
    GraphCursor cursor = new GraphCursor(storage.use(), offset);
    try {
      @SuppressWarnings("unchecked")
      R root = (R) shape.read(cursor, known, 0);
      if (root == null) {
        throw new ViException("there is no " + shape + " at byte " + offset);
      }
      return root;
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new ViException("no " + shape + " at byte " + offset + ": " + e.getMessage(), e);
    }
  }
}
