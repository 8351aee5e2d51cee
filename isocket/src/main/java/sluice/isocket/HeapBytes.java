package sluice.isocket;

/// A wrapper that allows an array to be stored in a list with empty slots. Owned by the owner of
/// the list.
final class HeapBytes {
  final byte[] array;

  HeapBytes(byte[] array) {
    this.array = array;
  }
}
