import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Writes the exported packages of this JDK that a trimmed runtime lacks, each with its module, so
/// that the runtime can name the module when a class is missing.
///
/// Usage: `java AbsentPackages.java RELEASE`, where RELEASE is the `release` file of the runtime.
final class AbsentPackages {
  private static final String MODULES = "MODULES=";

  private AbsentPackages() {}

  public static void main(String[] args) throws IOException {
    Set<String> present = Set.of();
    for (String line : Files.readAllLines(Path.of(args[0]))) {
      if (line.startsWith(MODULES)) {
        String names = line.substring(MODULES.length()).replace("\"", "");
        present = Set.copyOf(List.of(names.split(" ")));
      }
    }
    TreeSet<String> lines = new TreeSet<>();
    for (ModuleReference module : ModuleFinder.ofSystem().findAll()) {
      ModuleDescriptor descriptor = module.descriptor();
      if (!present.contains(descriptor.name())) {
        for (ModuleDescriptor.Exports exports : descriptor.exports()) {
          if (!exports.isQualified()) {
            lines.add(exports.source() + " " + descriptor.name());
          }
        }
      }
    }
    lines.forEach(System.out::println);
  }
}
