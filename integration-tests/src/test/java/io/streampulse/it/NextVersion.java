package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * This project's next release, with one field more in the schema: a copy of the sources in which
 * that is changed, built by its own build.
 *
 * @param agentJar the shaded agent, which writes {@value #VALUE} into {@value #FIELD}
 * @param consumerJar the shaded consumer, which knows the field
 */
record NextVersion(Path agentJar, Path consumerJar) {
  static final String FIELD = "fieldOfVersion2";
  static final String VALUE = "written by version 2";

  static NextVersion build() throws Exception {
    Path copy = OtherBuild.sources("next-version");
    Path avro = copy.resolve("schemas/src/main/avro");
    replace(
        avro.resolve("HealthRecord.avsc"),
        "{\"name\": \"truncated\"",
        "{\"name\": \"%s\", \"type\": [\"null\", \"string\"], \"default\": null, \"doc\": \"New.\"},\n    {\"name\": \"truncated\""
            .formatted(FIELD));
    Files.copy(avro.resolve("HealthRecord.avsc"), avro.resolve("released/HealthRecord.v2.avsc"));
    Files.writeString(
        avro.resolve("released/releases.txt"),
        Files.readString(avro.resolve("released/releases.txt")) + "2 - -\n");
    replace(
        copy.resolve("listener-agent/src/main/java/io/streampulse/agent/mapping/RecordMapper.java"),
        ".setAgentVersion(",
        ".setFieldOfVersion2(\"%s\").setAgentVersion(".formatted(VALUE));
    OtherBuild.maven(
        copy.resolve("pom.xml").toString(),
        "package",
        "-Dmaven.test.skip=true",
        "-Dspotless.check.skip=true",
        "-pl",
        "listener-agent,health-consumer",
        "-am");
    return new NextVersion(
        OtherBuild.jar(copy, "listener-agent"), OtherBuild.jar(copy, "health-consumer"));
  }

  private static void replace(Path file, String old, String now) throws IOException {
    String text = Files.readString(file);
    assertThat(text).contains(old);
    Files.writeString(file, text.replace(old, now));
  }
}
