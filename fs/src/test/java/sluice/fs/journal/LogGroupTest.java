package sluice.fs.journal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Tests the successive states of a block in a group.
final class LogGroupTest {
  private static final long BLOCK = 77;

  private final LogGroup before = new LogGroup(1);
  private final LogGroup group = new LogGroup(2);

  @Test
  void contentThatBecomesMetadataIsOnlyLogged() {
    group.content(BLOCK);
    group.metadata(BLOCK);
    assertThat(group.metadataBlocks()).containsExactly(BLOCK);
    assertThat(group.contentBlocks()).isEmpty();
    assertThat(group.needsLog()).isTrue();
  }

  @Test
  void contentThatIsFreedNeedsNoLog() {
    group.content(BLOCK);
    assertThat(group.free(BLOCK, true, null)).isFalse();
    assertThat(group.contentBlocks()).isEmpty();
    assertThat(group.frees(BLOCK)).isTrue();
    assertThat(group.needsLog()).isFalse();
    assertThat(group.isEmpty()).isFalse();
  }

  @Test
  void metadataThatIsFreedIsRevoked() {
    assertThat(group.free(BLOCK, false, null)).isFalse();
    assertThat(group.revokedBlocks()).containsExactly(BLOCK);
    assertThat(group.needsLog()).isTrue();
  }

  @Test
  void contentThatWasMetadataInThisGroupIsRevoked() {
    group.metadata(BLOCK);
    group.free(BLOCK, true, null);
    assertThat(group.metadataBlocks()).isEmpty();
    assertThat(group.revokedBlocks()).containsExactly(BLOCK);
  }

  @Test
  void whatTheGroupBeforePromisesIsKept() {
    before.content(BLOCK);
    assertThat(group.free(BLOCK, true, before)).isTrue();
    assertThat(group.keptBlocks()).containsExactly(BLOCK);
    assertThat(group.free(BLOCK + 1, true, before)).isFalse();
  }

  @Test
  void metadataOfTheGroupBeforeIsNotKeptByItsFrame() {
    before.metadata(BLOCK);
    assertThat(group.free(BLOCK, false, before)).isFalse();
    assertThat(group.keptBlocks()).isEmpty();
    assertThat(group.revokedBlocks()).containsExactly(BLOCK);
  }

  @Test
  void aFreedBlockThatIsMetadataAgainIsNeitherRevokedNorFreedNorKept() {
    before.content(BLOCK);
    group.free(BLOCK, true, before);
    group.metadata(BLOCK);
    assertThat(group.frees(BLOCK)).isFalse();
    assertThat(group.revokedBlocks()).isEmpty();
    assertThat(group.keptBlocks()).isEmpty();
    assertThat(group.logged()).isEqualTo(1);
  }

  @Test
  void contentAgainIsNotKept() {
    before.content(BLOCK);
    group.free(BLOCK, true, before);
    group.content(BLOCK);
    assertThat(group.keptBlocks()).isEmpty();
    assertThat(group.contentBlocks()).containsExactly(BLOCK);
  }
}
