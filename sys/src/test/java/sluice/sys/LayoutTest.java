package sluice.sys;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.sys.call.Layout;

class LayoutTest {
  @Test
  void membersAreAlignedAsInC() {
    Layout layout = Layout.of("struct x");
    assertThat(layout.u8("a")).isZero();
    assertThat(layout.u16("b")).isEqualTo(2);
    assertThat(layout.u8("c")).isEqualTo(4);
    assertThat(layout.u64("d")).isEqualTo(8);
    assertThat(layout.array("e", 1, 3)).isEqualTo(16);
    assertThat(layout.sizeBytes()).isEqualTo(24);
    assertThat(layout.members()).hasSize(5);
  }

  @Test
  void packedMembersAreNot() {
    Layout layout = Layout.packed("struct x");
    assertThat(layout.u32("a")).isZero();
    assertThat(layout.u64("b")).isEqualTo(4);
    assertThat(layout.sizeBytes()).isEqualTo(12);
  }
}
