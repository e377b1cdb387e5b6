package io.streampulse.it;

import static io.streampulse.it.ProjectFiles.ROOT;
import static io.streampulse.it.ProjectFiles.matches;
import static io.streampulse.it.ProjectFiles.read;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Links of the documents lead to files and headings that are there. */
class DocsLinksTest {
  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path document : ProjectFiles.documents()) {
      for (MatchResult found : matches("\\]\\(([^)\\s]+)\\)", read(document)).toList()) {
        String link = found.group(1);
        if (!link.matches("\\w+:.*")) {
          links++;
          if (!leadsSomewhere(document, link)) {
            broken.add(ROOT.relativize(document) + ": " + link);
          }
        }
      }
    }

    assertThat(broken).isEmpty();
    assertThat(links).isGreaterThan(100);
  }

  private static boolean leadsSomewhere(Path document, String link) {
    int hash = link.indexOf('#');
    String file = hash < 0 ? link : link.substring(0, hash);
    Path target = file.isEmpty() ? document : document.resolveSibling(file);
    return Files.exists(target) && (hash < 0 || anchors(target).contains(link.substring(hash + 1)));
  }

  /** As GitHub makes them of headings. */
  private static Set<String> anchors(Path document) {
    return matches("(?m)^#+ (.*)$", read(document))
        .map(
            heading ->
                heading
                    .group(1)
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\w\\- ]", "")
                    .replace(' ', '-'))
        .collect(Collectors.toSet());
  }
}
