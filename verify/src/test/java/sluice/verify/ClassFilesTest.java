package sluice.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks that the class files read from a jar are the ones that a class loader finds. A field of
/// each class tells the copies apart.
final class ClassFilesTest {
  private static final String MANIFEST = "META-INF/MANIFEST.MF";

  @TempDir Path directory;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final ZipOutputStream zip = new ZipOutputStream(bytes);

  private static byte[] type(String name, String mark) {
    return ClassFile.of()
        .build(
            ClassDesc.of(name), c -> c.withField(mark, ConstantDescs.CD_int, ClassFile.ACC_STATIC));
  }

  private void entry(String path, byte[] content) throws IOException {
    zip.putNextEntry(new ZipEntry(path));
    zip.write(content);
  }

  private Path jar() throws IOException {
    zip.close();
    return Files.write(directory.resolve("a.jar"), bytes.toByteArray());
  }

  private static List<String> read(Path path) throws IOException {
    List<String> found = new ArrayList<>();
    int count =
        ClassFiles.read(
            path,
            (_, file) -> {
              var model = ClassFile.of().parse(file);
              found.add(
                  model.thisClass().asInternalName()
                      + " "
                      + model.fields().getFirst().fieldName().stringValue());
            });
    assertThat(count).isEqualTo(found.size());
    return found;
  }

  /// Returns the name of the field in the class that the JDK's own loader defines.
  private static String loaded(Path jar, String name) throws Exception {
    try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()}, null)) {
      return loader.loadClass(name).getDeclaredFields()[0].getName();
    }
  }

  private void multiRelease() throws IOException {
    String text = "Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n";
    entry(MANIFEST, text.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] module() {
    return ClassFile.of()
        .buildModule(
            java.lang.classfile.attribute.ModuleAttribute.of(
                java.lang.constant.ModuleDesc.of("m"),
                m ->
                    m.requires(
                        java.lang.constant.ModuleDesc.of("java.base"),
                        ClassFile.ACC_MANDATED,
                        null)));
  }

  @Test
  void aMultiReleaseJarHasTheClassesOfTheRunningVersion() throws Exception {
    multiRelease();
    entry("p/A.class", type("p.A", "base"));
    entry("META-INF/versions/11/p/A.class", type("p.A", "of11"));
    entry("META-INF/versions/17/p/A.class", type("p.A", "of17"));
    entry("META-INF/versions/9999/p/A.class", type("p.A", "future"));
    entry("META-INF/versions/9/p/OnlyThere.class", type("p.OnlyThere", "of9"));
    entry("META-INF/versions/9/module-info.class", module());
    Path jar = jar();
    assertThat(read(jar)).contains("p/A of17", "p/OnlyThere of9").doesNotContain("p/A base");
    assertThat(loaded(jar, "p.A")).isEqualTo("of17");
    assertThat(loaded(jar, "p.OnlyThere")).isEqualTo("of9");
  }

  @Test
  void versionsCountOnlyInAMultiReleaseJar() throws Exception {
    entry("p/A.class", type("p.A", "base"));
    entry("META-INF/versions/11/p/A.class", type("p.A", "of11"));
    Path jar = jar();
    assertThat(read(jar)).first().isEqualTo("p/A base");
    assertThat(loaded(jar, "p.A")).isEqualTo("base");
  }

  /// Reads a jar in which the order of entries and the central directory differ. The JVM reads the
  /// central directory at the end of the file.
  @Test
  void theDirectoryOfAJarCounts() throws Exception {
    entry("p/A.class", type("p.A", "decoy"));
    Path decoy = jar();
    byte[] first = Files.readAllBytes(decoy);
    ByteArrayOutputStream second = new ByteArrayOutputStream();
    try (ZipOutputStream out = new ZipOutputStream(second)) {
      out.putNextEntry(new ZipEntry("p/A.class"));
      out.write(type("p.A", "hostile"));
    }
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.write(first);
    both.write(second.toByteArray());
    Path jar = Files.write(directory.resolve("both.jar"), both.toByteArray());
    assertThat(loaded(jar, "p.A")).isEqualTo("hostile");
    assertThat(read(jar)).containsExactly("p/A hostile");
  }

  /// Reads a jar with two entries of one name. The name of the second is patched in the bytes.
  @Test
  void ofTwoEntriesOfOneNameTheLoadersOneCounts() throws Exception {
    entry("p/A.class", type("p.A", "first"));
    entry("p/B.class", type("p.A", "second"));
    zip.close();
    byte[] raw = bytes.toByteArray();
    for (int i = 0; i + 2 < raw.length; i++) {
      boolean isName = raw[i] == 'p' && raw[i + 1] == '/' && raw[i + 2] == 'B';
      if (isName) {
        raw[i + 2] = 'A';
      }
    }
    Path jar = Files.write(directory.resolve("twice.jar"), raw);
    assertThat(read(jar)).containsExactly("p/A " + loaded(jar, "p.A"));
  }

  @Test
  void namesThatOnlyLookLikeDescriptorsAreRead() throws Exception {
    entry("p/module-info.class", type("p.module-info", "a"));
    entry("p/package-info.class", withMethod("p.package-info"));
    entry("META-INF/A.class", type("META-INF.A", "c"));
    entry("META-INFORMATION/A.class", type("META-INFORMATION.A", "d"));
    entry("p/Slash.class/", type("p.Slash", "e"));
    Path jar = jar();
    assertThat(read(jar))
        .containsExactlyInAnyOrder(
            "p/module-info a",
            "p/package-info b",
            "META-INF/A c",
            "META-INFORMATION/A d",
            "p/Slash e");
    assertThat(loaded(jar, "p.module-info")).isEqualTo("a");
    assertThat(loaded(jar, "META-INF.A")).isEqualTo("c");
    assertThat(loaded(jar, "p.Slash")).isEqualTo("e");
  }

  private static byte[] withMethod(String name) {
    return ClassFile.of()
        .build(
            ClassDesc.of(name),
            c ->
                c.withField("b", ConstantDescs.CD_int, ClassFile.ACC_STATIC)
                    .withMethodBody(
                        "m",
                        ConstantDescs.MTD_void,
                        ClassFile.ACC_STATIC,
                        java.lang.classfile.CodeBuilder::return_));
  }

  @Test
  void aFileWhosePathIsItsNameComesFirst() throws Exception {
    entry("a/p/A.class", type("p.A", "decoy"));
    entry("a/Other.class", type("p.A", "nowhere"));
    entry("p/A.class", type("p.A", "real"));
    Path jar = jar();
    assertThat(read(jar)).containsExactly("p/A real", "p/A decoy");
    assertThat(loaded(jar, "p.A")).isEqualTo("real");
  }

  @Test
  void aDirectoryIsReadThroughItsLinks() throws Exception {
    Path elsewhere = Files.createDirectories(directory.resolve("elsewhere"));
    Path root = Files.createDirectories(directory.resolve("root"));
    Files.write(elsewhere.resolve("A.class"), type("p.A", "linked"));
    Files.createSymbolicLink(root.resolve("p"), elsewhere);
    assertThat(read(root)).containsExactly("p/A linked");
    assertThat(loaded(root, "p.A")).isEqualTo("linked");
  }

  @Test
  void aBrokenClassIsHandedOnAndABrokenJarIsNot() throws Exception {
    entry("p/A.class", new byte[] {1, 2, 3});
    List<String> origins = new ArrayList<>();
    assertThat(ClassFiles.read(jar(), (origin, _) -> origins.add(origin))).isOne();
    assertThat(origins).singleElement().asString().endsWith("a.jar!p/A.class");
    Path noJar = Files.write(directory.resolve("no.jar"), new byte[100]);
    assertThatThrownBy(() -> ClassFiles.read(noJar, (_, _) -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no.jar");
  }
}
