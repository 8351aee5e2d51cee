package sluice.sys.mount;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import sluice.sys.call.Kernel;
import sluice.sys.call.Layout;
import sluice.sys.call.SystemCall;

/// Loop devices, which are block devices that are backed by files (see `loop(4)`). This class is
/// stateless and thread-safe. All methods return the result of the kernel, which is 0, a number, or
/// a negative errno.
///
/// ```
/// struct loop_config { u32 fd, block_size;          /*  0 */
///                      struct loop_info64 info;     /*  8 */
///                      u64 reserved[8]; };          /* 240 */
/// struct loop_info64 { u64 lo_device, lo_inode, lo_rdevice, lo_offset, lo_sizelimit;  /*  0 */
///                      u32 lo_number, lo_encrypt_type, lo_encrypt_key_size, lo_flags; /* 40 */
///                      u8 lo_file_name[64], lo_crypt_name[64], lo_encrypt_key[32];    /* 56 */
///                      u64 lo_init[2]; };                                             /* 216 */
/// ```
public final class LoopDevice {
  /// A flag that causes the file to be detached when the last user of the device closes it.
  public static final int LO_FLAGS_AUTOCLEAR = 4;

  public static final int LO_FLAGS_READ_ONLY = 1;

  static final int LO_NAME_SIZE = 64;

  static final Layout INFO = Layout.of("struct loop_info64");
  static final int INFO_DEVICE = INFO.u64("lo_device");
  static final int INFO_INODE = INFO.u64("lo_inode");
  static final int INFO_RDEVICE = INFO.u64("lo_rdevice");
  static final int INFO_OFFSET = INFO.u64("lo_offset");
  static final int INFO_SIZELIMIT = INFO.u64("lo_sizelimit");
  static final int INFO_NUMBER = INFO.u32("lo_number");
  static final int INFO_ENCRYPT_TYPE = INFO.u32("lo_encrypt_type");
  static final int INFO_ENCRYPT_KEY_SIZE = INFO.u32("lo_encrypt_key_size");
  static final int INFO_FLAGS = INFO.u32("lo_flags");
  static final int INFO_FILE_NAME = INFO.array("lo_file_name", 1, LO_NAME_SIZE);
  static final int INFO_CRYPT_NAME = INFO.array("lo_crypt_name", 1, LO_NAME_SIZE);
  static final int INFO_ENCRYPT_KEY = INFO.array("lo_encrypt_key", 1, 32);
  static final int INFO_INIT = INFO.array("lo_init", 8, 2);

  static final Layout CONFIG = Layout.of("struct loop_config");
  static final int CONFIG_FD = CONFIG.u32("fd");
  static final int CONFIG_BLOCK_SIZE = CONFIG.u32("block_size");
  static final int CONFIG_INFO = CONFIG.array("info", 8, 29);
  static final int CONFIG_RESERVED = CONFIG.array("__reserved", 8, 8);

  static final long LOOP_CONFIGURE = 0x4C0A;
  static final long LOOP_GET_STATUS64 = 0x4C05;
  static final long LOOP_CTL_GET_FREE = 0x4C82;

  private LoopDevice() {}

  /// Returns the number of a device to which no file is attached. The kernel creates another device
  /// if necessary.
  ///
  /// @param control the descriptor of `/dev/loop-control`
  public static int free(int control) {
    return (int) Kernel.call(SystemCall.IOCTL, control, LOOP_CTL_GET_FREE, 0);
  }

  /// Attaches a file to a device. Requires Linux 5.8.
  ///
  /// @param device the descriptor of the device, which must be open for writing unless the device
  ///   is to be read-only
  /// @param file the descriptor of the file, which the kernel keeps open
  /// @param name a name that is stored with the device (see [#name])
  /// @param flags `LO_FLAGS_` bits
  /// @return 0, or -EBUSY if another file has been attached in the meantime
  public static int configure(int device, int file, String name, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment config = arena.allocate(CONFIG.sizeBytes(), Long.BYTES);
      config.set(JAVA_INT, CONFIG_FD, file);
      config.set(JAVA_INT, CONFIG_INFO + INFO_FLAGS, flags);
      byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
      int length = Math.min(bytes.length, LO_NAME_SIZE - 1);
      MemorySegment.copy(bytes, 0, config, JAVA_BYTE, CONFIG_INFO + INFO_FILE_NAME, length);
      return (int) Kernel.call(SystemCall.IOCTL, device, LOOP_CONFIGURE, config.address());
    }
  }

  /// Returns the name that was stored when a file was attached to the device, or an empty string if
  /// there is none.
  public static String name(int device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = arena.allocate(INFO.sizeBytes(), Long.BYTES);
      long result = Kernel.call(SystemCall.IOCTL, device, LOOP_GET_STATUS64, info.address());
      byte[] bytes = new byte[LO_NAME_SIZE];
      MemorySegment.copy(info, JAVA_BYTE, INFO_FILE_NAME, bytes, 0, LO_NAME_SIZE);
      int length = 0;
      while (result == 0 && length < LO_NAME_SIZE && bytes[length] != 0) {
        length++;
      }
      return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
  }
}
