package sluice.isocket;

/// A wrapper of an array, for lists with empty slots. Owned by the holder of the list.
final class HeapBytes {
  final byte[] array;

  HeapBytes(byte[] array) {
    this.array = array;
  }
}
