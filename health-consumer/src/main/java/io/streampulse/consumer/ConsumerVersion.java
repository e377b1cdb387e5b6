package io.streampulse.consumer;

import picocli.CommandLine.IVersionProvider;

/** The version this consumer was built as, from its jar. */
public final class ConsumerVersion implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"health-consumer " + current()};
  }

  static String current() {
    String version = ConsumerVersion.class.getPackage().getImplementationVersion();
    return version == null ? "(not built as a jar)" : version;
  }
}
