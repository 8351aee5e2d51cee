package sluice.isocket;

/// An array in a list of which some places are empty. Belongs to the holder of the list.
final class HeapBytes {
  final byte[] array;

  HeapBytes(byte[] array) {
    this.array = array;
  }
}
