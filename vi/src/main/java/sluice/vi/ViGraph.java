package sluice.vi;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;

/// A [ViBuffer] as the place of graphs of objects: records whose components are primitives,
/// strings, arrays of primitives, records, and lists of these. Of one thread at a time.
///
/// A graph is written into the buffer and read out of it object by object, without an array
/// between. An object that is reached on two ways is there once, and is one object again when it is
/// read. The classes follow from the declared types alone: bytes of a peer name none.
///
/// ```
///  reference: 0 null · 1 a new object, its content behind · -k the k-th object that was complete
///  record: its components in order · string, array, list: how many, then the elements
/// ```
///
/// Limits: a depth of [#MAX_DEPTH], so no cycles; what is read takes memory in proportion to its
/// bytes.
public final class ViGraph<R extends Record> {
  /// Most objects on a way from the first one.
  public static final int MAX_DEPTH = 64;

  private final ViewStorage storage;
  private final GraphShape shape;

  ViGraph(ViewStorage storage, Class<R> type) {
    this.storage = storage;
    shape = GraphShape.of(type, new HashMap<>());
  }

  /// Writes a graph.
  ///
  /// @param offset in the buffer, in bytes
  /// @return how many bytes it took: what a send is posted with
  /// @throws IndexOutOfBoundsException when it does not fit; some of it has been written then
  /// @throws IllegalArgumentException when it is too deep
  public int write(int offset, R root) {
    IdentityHashMap<Object, Integer> known = new IdentityHashMap<>();
    return (int) (shape.write(storage.use(), offset, root, known, 0) - offset);
  }

  /// Reads a graph.
  ///
  /// @throws ViException when the bytes are none of this type
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
