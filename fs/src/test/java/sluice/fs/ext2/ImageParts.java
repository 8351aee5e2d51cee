package sluice.fs.ext2;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// Locates the structures of a valid image, byte by byte, without the code under test. Confined to
/// the test's thread.
final class ImageParts {
  /// A field of a structure.
  ///
  /// @param name the name in Linux's headers
  /// @param at the position in the image
  /// @param width the number of bytes: 1, 2 or 4
  record Field(String name, int at, int width) {}

  private static final String SUPERBLOCK =
      "s_inodes_count:4 s_blocks_count:4 s_r_blocks_count:4 s_free_blocks_count:4"
          + " s_free_inodes_count:4 s_first_data_block:4 s_log_block_size:4 s_log_cluster_size:4"
          + " s_blocks_per_group:4 s_clusters_per_group:4 s_inodes_per_group:4 s_mtime:4"
          + " s_wtime:4 s_mnt_count:2 s_max_mnt_count:2 s_magic:2 s_state:2 s_errors:2"
          + " s_minor_rev_level:2 s_lastcheck:4 s_checkinterval:4 s_creator_os:4 s_rev_level:4"
          + " s_def_resuid:2 s_def_resgid:2 s_first_ino:4 s_inode_size:2 s_block_group_nr:2"
          + " s_feature_compat:4 s_feature_incompat:4 s_feature_ro_compat:4 s_uuid:4 s_uuid:4"
          + " s_uuid:4 s_uuid:4 s_volume_name:4 -:12 -:64 -:4 s_prealloc_blocks:1"
          + " s_prealloc_dir_blocks:1 s_reserved_gdt_blocks:2 s_journal_uuid:4 s_journal_uuid:4"
          + " s_journal_uuid:4 s_journal_uuid:4 s_journal_inum:4 s_journal_dev:4 s_last_orphan:4"
          + " s_hash_seed:4 s_hash_seed:4 s_hash_seed:4 s_hash_seed:4 s_def_hash_version:1"
          + " s_jnl_backup_type:1 s_desc_size:2 s_default_mount_opts:4 s_first_meta_bg:4"
          + " s_mkfs_time:4 s_jnl_blocks:4 s_jnl_blocks:4 -:60 s_blocks_count_hi:4"
          + " s_r_blocks_count_hi:4 s_free_blocks_count_hi:4 s_min_extra_isize:2"
          + " s_want_extra_isize:2 s_flags:4 s_raid_stride:2 s_mmp_interval:2 s_mmp_block:4 -:4"
          + " s_raid_stripe_width:4 s_log_groups_per_flex:1 s_checksum_type:1"
          + " s_encryption_level:1 s_reserved_pad:1 s_kbytes_written:4 -:4 s_snapshot_inum:4"
          + " -:12 s_snapshot_list:4 s_error_count:4 s_first_error_time:4 s_first_error_ino:4 -:12"
          + " -:32 -:88 s_usr_quota_inum:4 s_grp_quota_inum:4 s_overhead_clusters:4"
          + " s_backup_bgs:4 s_backup_bgs:4 s_encrypt_algos:4 -:16 s_lpf_ino:4 s_prj_quota_inum:4"
          + " s_checksum_seed:4 -:8 s_encoding:2 -:2 s_orphan_file_inum:4 -:372 s_checksum:4";

  private static final String GROUP =
      "bg_block_bitmap:4 bg_inode_bitmap:4 bg_inode_table:4 bg_free_blocks_count:2"
          + " bg_free_inodes_count:2 bg_used_dirs_count:2 bg_flags:2 bg_exclude_bitmap:4"
          + " bg_block_bitmap_csum:2 bg_inode_bitmap_csum:2 bg_itable_unused:2 bg_checksum:2";

  private static final String INODE =
      "i_mode:2 i_uid:2 i_size:4 i_atime:4 i_ctime:4 i_mtime:4 i_dtime:4 i_gid:2 i_links_count:2"
          + " i_blocks:4 i_flags:4 i_version:4 i_block[0]:4 i_block[1]:4 i_block[2]:4"
          + " i_block[3]:4 i_block[4]:4 i_block[5]:4 i_block[6]:4 i_block[7]:4 i_block[8]:4"
          + " i_block[9]:4 i_block[10]:4 i_block[11]:4 i_block[12]:4 i_block[13]:4 i_block[14]:4"
          + " i_generation:4 i_file_acl:4 i_size_high:4 i_faddr:4 i_blocks_high:2"
          + " i_file_acl_high:2 i_uid_high:2 i_gid_high:2 i_checksum_lo:2 i_reserved:2";

  private static final String LARGE_INODE =
      " i_extra_isize:2 i_checksum_hi:2 i_ctime_extra:4 i_mtime_extra:4 i_atime_extra:4"
          + " i_crtime:4 i_crtime_extra:4 i_version_hi:4 i_projid:4 ibody_magic:4"
          + " ibody_e_name_len:1 ibody_e_name_index:1 ibody_e_value_offs:2 ibody_e_value_block:4"
          + " ibody_e_value_size:4 ibody_e_hash:4 ibody_e_name:4 ibody_next:4";

  private static final String JOURNAL =
      "h_magic:4 h_blocktype:4 h_sequence:4 s_blocksize:4 s_maxlen:4 s_first:4 s_sequence:4"
          + " s_start:4 s_errno:4 s_feature_compat:4 s_feature_incompat:4 s_feature_ro_compat:4"
          + " s_uuid:4 -:12 s_nr_users:4 s_dynsuper:4 s_max_transaction:4 s_max_trans_data:4"
          + " s_checksum_type:1 -:3 s_num_fc_blks:4 s_head:4 -:160 s_checksum:4 s_users:4";

  private static final String ATTRIBUTES =
      "h_magic:4 h_refcount:4 h_blocks:4 h_hash:4 h_checksum:4 h_reserved:4 -:8 e_name_len:1"
          + " e_name_index:1 e_value_offs:2 e_value_block:4 e_value_size:4 e_hash:4 e_name:4";

  private static final String DX_ROOT =
      "dot_inode:4 dot_rec_len:2 dot_name_len:1 dot_type:1 dot_name:4 dotdot_inode:4"
          + " dotdot_rec_len:2 dotdot_name_len:1 dotdot_type:1 dotdot_name:4 dx_reserved:4"
          + " dx_hash_version:1 dx_info_length:1 dx_levels:1 dx_flags:1 dx_limit:2 dx_count:2"
          + " dx_block:4 dx_hash:4 dx_block:4";

  private static final int FLAG_INDEX = 0x1000;

  private final ByteBuffer b;
  private final int blockBytes;
  private final int inodeBytes;
  private final int inodesPerGroup;
  private final int groups;
  private final int firstDataBlock;
  private final List<Integer> used = new ArrayList<>();
  private final List<Integer> unused = new ArrayList<>();
  private final List<Integer> directories = new ArrayList<>();
  private final List<Integer> pointers = new ArrayList<>();
  private final List<Integer> attributes = new ArrayList<>();
  private final List<Integer> trees = new ArrayList<>();

  /// The directories by their blocks.
  private final Map<Integer, Integer> owners = new HashMap<>();

  private int journal;

  ImageParts(byte[] image) {
    b = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    blockBytes = 1024 << b.getInt(1024 + 24);
    inodeBytes = b.getInt(1024 + 76) == 0 ? 128 : b.getShort(1024 + 88);
    inodesPerGroup = b.getInt(1024 + 40);
    firstDataBlock = b.getInt(1024 + 20);
    int perGroup = b.getInt(1024 + 32);
    groups = (b.getInt(1024 + 4) - firstDataBlock + perGroup - 1) / perGroup;
    for (int inode = 1; inode <= inodesPerGroup * groups; inode++) {
      look(inode);
    }
  }

  /// Writes the checksums of `metadata_csum` and `uninit_bg` into a copy of the image in which a
  /// field was changed, so that the field is judged and not its checksum. A structure in the wrong
  /// place keeps its wrong checksum.
  void seal(byte[] image, Checksums sums) {
    ByteBuffer to = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    if (sums.everywhere()) {
      for (int group = 0; group < groups; group++) {
        int at = group(group);
        byte[] blocks = block(image, b.getInt(at));
        to.putShort(at + 24, (short) sums.bitmap(blocks, b.getInt(1024 + 32)));
        byte[] bits = block(image, b.getInt(at + 4));
        to.putShort(at + 26, (short) sums.bitmap(bits, inodesPerGroup));
      }
      used.forEach(number -> sealInode(image, number, sums));
      unused.forEach(number -> sealInode(image, number, sums));
      for (int at : attributes) {
        to.putInt(at * blockBytes + 16, sums.attributes(at, block(image, at)));
      }
      owners.forEach((block, owner) -> sealDirectory(image, block, owner, sums));
      byte[] superblock = Arrays.copyOfRange(image, 1024, 2048);
      to.putInt(1024 + 1020, Checksums.superblock(superblock));
    }
    for (int group = 0; group < groups && sums.ofGroups(); group++) {
      byte[] descriptor = Arrays.copyOfRange(image, group(group), group(group) + 32);
      to.putShort(group(group) + 30, (short) sums.group(group, descriptor));
    }
  }

  private byte[] block(byte[] image, int number) {
    return Arrays.copyOfRange(image, number * blockBytes, (number + 1) * blockBytes);
  }

  private void sealInode(byte[] image, int number, Checksums sums) {
    ByteBuffer to = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    int at = inode(number);
    boolean written = false;
    for (int i = 0; i < inodeBytes; i++) {
      written |= to.get(at + i) != 0;
    }
    if (written) {
      int sum = sums.inode(number, image, at, inodeBytes);
      to.putShort(at + 124, (short) sum);
      if (inodeBytes > 128 && (to.getShort(at + 128) & 0xFFFF) >= 4) {
        to.putShort(at + 130, (short) (sum >>> 16));
      }
    }
  }

  private void sealDirectory(byte[] image, int block, int owner, Checksums sums) {
    ByteBuffer to = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    Inode inode = new Inode(owner);
    inode.generation = to.getInt(inode(owner) + 100);
    byte[] bytes = block(image, block);
    if (trees.contains(block)) {
      int limit = b.getShort(block * blockBytes + 32);
      int count = to.getShort(block * blockBytes + 34);
      if (to.getShort(block * blockBytes + 32) == limit && count >= 0 && count <= limit) {
        to.putInt(block * blockBytes + 32 + 8 * limit + 4, sums.node(inode, bytes, 32));
      }
    } else {
      to.putInt((block + 1) * blockBytes - 4, sums.entries(inode, bytes));
    }
  }

  private int group(int number) {
    return (firstDataBlock + 1) * blockBytes + 32 * number;
  }

  private int inode(int number) {
    int table = b.getInt(group((number - 1) / inodesPerGroup) + 8);
    return table * blockBytes + (number - 1) % inodesPerGroup * inodeBytes;
  }

  private void look(int number) {
    int at = inode(number);
    int kind = b.getShort(at) & 0xF000;
    if (b.getShort(at + 26) == 0) {
      unused.add(number);
      return;
    }
    used.add(number);
    if (b.getInt(at + 104) != 0) {
      attributes.add(b.getInt(at + 104));
    }
    if (number == 8) {
      journal = b.getInt(at + 40);
    }
    if (kind == 0x4000) {
      int first = b.getInt(at + 40);
      for (int i = 0; i < 12 && b.getInt(at + 40 + 4 * i) != 0; i++) {
        owners.put(b.getInt(at + 40 + 4 * i), number);
      }
      boolean indexed = (b.getInt(at + 32) & FLAG_INDEX) != 0;
      (indexed ? trees : directories).add(first);
      for (int i = 1; i < 12 && b.getInt(at + 40 + 4 * i) != 0; i++) {
        directories.add(b.getInt(at + 40 + 4 * i));
      }
    }
    boolean hasBlocks = kind == 0x4000 || kind == 0x8000;
    for (int i = 12; hasBlocks && i < 15; i++) {
      if (b.getInt(at + 40 + 4 * i) != 0) {
        pointers.add(b.getInt(at + 40 + 4 * i));
      }
    }
  }

  private static int any(List<Integer> list, Random random) {
    return list.get(random.nextInt(list.size()));
  }

  private static Field fieldOf(String part, String layout, int at, Random random) {
    List<Field> fields = new ArrayList<>();
    int offset = at;
    for (String word : layout.split(" ", -1)) {
      int colon = word.indexOf(':');
      int width = Integer.parseInt(word.substring(colon + 1));
      if (word.charAt(0) != '-') {
        fields.add(new Field(part + " " + word.substring(0, colon), offset, width));
      }
      offset += width;
    }
    return fields.get(random.nextInt(fields.size()));
  }

  /// Returns a random field. Structures are chosen about as often as they have many fields.
  Field field(Random random) {
    @Nullable Field field = null;
    while (field == null) {
      field =
          switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4 -> fieldOf("superblock", SUPERBLOCK, 1024, random);
            case 5, 6 -> fieldOf("group", GROUP, group(random.nextInt(groups)), random);
            case 7, 8, 9, 10, 11 -> inodeField("inode", any(used, random), random);
            case 12 -> inodeField("free inode", any(unused, random), random);
            case 13 -> inodeField("reserved inode", 1 + random.nextInt(11), random);
            case 14, 15 -> entryField(random);
            case 16 -> bitmap(random);
            case 17 -> pointers.isEmpty() ? null : pointer(random);
            case 18 ->
                attributes.isEmpty() || random.nextBoolean()
                    ? null
                    : fieldOf(
                        "attributes", ATTRIBUTES, any(attributes, random) * blockBytes, random);
            default -> treeOrJournal(random);
          };
    }
    return field;
  }

  private Field inodeField(String part, int number, Random random) {
    String layout = inodeBytes > 128 ? INODE + LARGE_INODE : INODE;
    return fieldOf(part, layout, inode(number), random);
  }

  private @Nullable Field treeOrJournal(Random random) {
    if (random.nextBoolean()) {
      return journal == 0
          ? null
          : fieldOf("journal superblock", JOURNAL, journal * blockBytes, random);
    }
    return trees.isEmpty()
        ? null
        : fieldOf("tree", DX_ROOT, any(trees, random) * blockBytes, random);
  }

  private Field pointer(Random random) {
    int at = any(pointers, random) * blockBytes;
    return new Field("pointer", at + 4 * random.nextInt(random.nextBoolean() ? 8 : 256), 4);
  }

  private Field bitmap(Random random) {
    int which = random.nextInt(2);
    int at = b.getInt(group(random.nextInt(groups)) + 4 * which) * blockBytes;
    String name = which == 0 ? "bitmap of blocks" : "bitmap of inodes";
    return new Field(name, at + random.nextInt(random.nextBoolean() ? 8 : blockBytes), 1);
  }

  private @Nullable Field entryField(Random random) {
    if (directories.isEmpty()) {
      return null;
    }
    int block = any(directories, random) * blockBytes;
    List<Integer> entries = new ArrayList<>();
    for (int at = 0; at < blockBytes; at += Math.max(8, b.getShort(block + at + 4) & 0xFFFF)) {
      entries.add(block + at);
    }
    return fieldOf(
        "entry",
        "inode:4 rec_len:2 name_len:1 file_type:1 name:1 name:1",
        any(entries, random),
        random);
  }
}
