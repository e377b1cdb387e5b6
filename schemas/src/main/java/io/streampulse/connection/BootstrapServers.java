package io.streampulse.connection;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What can be told of brokers by their addresses, {@code host:port} separated by commas. */
final class BootstrapServers {
  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|127(\\.\\d{1,3}){3}|(0*:)+0*1");

  /** Event Hubs' domains in all of Azure's clouds. */
  private static final Pattern EVENT_HUBS =
      Pattern.compile(
          "[^.]+\\.servicebus\\.(windows\\.net|usgovcloudapi\\.net|chinacloudapi\\.cn|cloudapi\\.de)");

  private static final Pattern ADDRESS =
      Pattern.compile("([A-Za-z_]+://)?(\\[[0-9A-Fa-f:.%]+]|[\\w.%-]+):\\d{1,5}");

  private BootstrapServers() {}

  /** Whether these are addresses as Kafka's client takes them. */
  static boolean areAddresses(String servers) {
    return each(servers).allMatch(server -> ADDRESS.matcher(server).matches());
  }

  static List<String> hosts(String servers) {
    return each(servers).map(BootstrapServers::host).toList();
  }

  /** Whether a connection to the host can't leave this machine. */
  static boolean isLoopback(String host) {
    return LOOPBACK.matcher(withoutBrackets(host).toLowerCase(Locale.ROOT)).matches();
  }

  static boolean isEventHubs(String host) {
    return EVENT_HUBS.matcher(host.toLowerCase(Locale.ROOT)).matches();
  }

  private static Stream<String> each(String servers) {
    return Arrays.stream(servers.split(",", -1))
        .map(String::strip)
        .filter(server -> !server.isEmpty());
  }

  private static String host(String server) {
    return withoutBrackets(server.replaceFirst("^[A-Za-z_]+://", "").replaceFirst(":\\d*$", ""));
  }

  private static String withoutBrackets(String address) {
    return address.startsWith("[") && address.endsWith("]")
        ? address.substring(1, address.length() - 1)
        : address;
  }
}
